"""Judges of the catalogue, ready to run: options checked, engines built, fingerprint taken."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from judges.catalogue import Entry, entry
from judges.errors import JudgeMissing, JudgeRefused
from judges.protocols import Engine, Method

SELF_TEST = "self_test"
# Options that change how fast an engine answers, not what.
PACE = {"batch", "device", "rows", "concurrency", "timeout", "attempts", "pause", "longest_pause"}


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge that can look: its method, its engines by kind, and the keys of their looks.

    A part has the protocol of its kind: `objects` is a Detector, `colors` a Colorist, `depth` a
    DepthSensor, `similarity` a Matcher, `answers` an Answerer, `talk` a Talker.
    """

    name: str
    method: Method
    parts: Mapping[str, Any]
    keys: Mapping[str, str]
    facts: Mapping[str, Mapping[str, str]]
    self_test: bool = True


def why_not(name: str) -> str:
    """What this machine lacks to run the judge, in a sentence; empty when it can run."""
    lacking = [module for module in entry(name).needs if importlib.util.find_spec(module) is None]
    if not lacking:
        return ""
    return f"Needs {', '.join(lacking)}: install requirements.txt, which holds the neural engines."


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Unknown, unusable and missing options are refused before a run exists."""
    build(name, options)
    for option, value in {**usual_options(name), **options}.items():
        if option.endswith(".checkpoint") and not value:
            raise JudgeRefused(
                f"“{name}” needs {option}: a file, a folder, or a name on a model hub."
            )


def identity(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """All that can change a score, as plain data."""
    chosen, built = entry(name), build(name, options)
    engines = {kind: part.identity.partition(":")[2] for kind, part in built.parts.items()}
    versions = {kind: built.parts[kind].version for kind in engines}
    return {
        "method": built.method.identity,
        "method_version": built.method.version,
        "engine": _joined(engines),
        "engine_version": _joined(versions),
        "checkpoint": _joined(_facts(built, "checkpoint")),
        "revision": _joined(_facts(built, "revision")),
        "precision": _joined(_facts(built, "precision")),
        "options": {**chosen.all_options, **options},
        "facts": {
            kind: {"engine": engines[kind], "key": built.keys[kind], **built.facts[kind]}
            for kind in engines
        },
    }


def fingerprint(identity: Mapping[str, Any]) -> str:
    return _digest(identity)


def build(name: str, options: Mapping[str, Any]) -> Judge:
    """The judge, ready to run; its engines are kept for the life of a worker."""
    lacking = why_not(name)
    if lacking:
        raise JudgeMissing(f"“{name}” cannot run here. {lacking}")
    chosen = entry(name)
    own, by_part = _sorted_out(chosen, options)
    self_test = own.pop(SELF_TEST, True)
    if not isinstance(self_test, bool):
        raise JudgeRefused(f"“{name}”: self_test is true or false, not “{self_test}”.")
    try:
        method = _load(chosen.method)(**own)
        parts = {
            kind: _engine(path, json.dumps(by_part[kind], sort_keys=True))
            for kind, (path, _) in chosen.parts.items()
        }
    except (TypeError, ValueError) as error:
        raise JudgeRefused(f"“{name}” does not take these options: {error}.") from error
    facts = {kind: dict(engine.facts) for kind, engine in parts.items()}
    keys = {
        kind: _digest(
            {
                "engine": parts[kind].identity,
                "version": parts[kind].version,
                "facts": facts[kind],
                "options": {k: v for k, v in by_part[kind].items() if k not in PACE},
            }
        )
        for kind in parts
    }
    if "colors" in keys and "objects" in keys:
        # A color belongs to the n-th object that this detector found.
        keys["colors"] = _digest([keys["objects"], keys["colors"]])
    return Judge(name, method, parts, keys, facts, self_test)


def as_value(text: str) -> Any:
    """An option as a person types it: 0.4, true, [1, 2], or just a text."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def usual_options(name: str) -> dict[str, Any]:
    """Every option that the judge takes, with the value that it has when none is given."""
    chosen = entry(name)
    taken: dict[str, Any] = {}
    for kind, (path, given) in chosen.parts.items():
        taken |= {f"{kind}.{k}": v for k, v in {**_defaults(_load(path)), **given}.items()}
    method = _load(chosen.method)
    own = dict(chosen.options)
    tested = own.pop(SELF_TEST, True)
    options = getattr(method(**own), "options", None)
    if not isinstance(options, Mapping):
        options = {**_defaults(method), **own}
    return {**taken, **options, SELF_TEST: tested}


def whereabouts(checkpoint: str) -> str:
    """Whether these weights are here already, in words."""
    if Path(checkpoint).expanduser().exists():
        return "on this machine"
    if importlib.util.find_spec("huggingface_hub") is not None:
        from huggingface_hub.constants import HF_HUB_CACHE

        if (Path(HF_HUB_CACHE) / f"models--{checkpoint.replace('/', '--')}").is_dir():
            return "in this machine’s cache"
    return "to be fetched on first use"


def _sorted_out(
    chosen: Entry, options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The method's options, and those of each part."""
    own = dict(chosen.options)
    by_part = {kind: dict(given) for kind, (_, given) in chosen.parts.items()}
    for name, value in options.items():
        kind, dot, option = name.partition(".")
        if not dot:
            own[name] = value
        elif kind in by_part:
            by_part[kind][option] = value
        else:
            parts = ", ".join(chosen.parts)
            raise JudgeRefused(f"“{name}” names no part of this judge; its parts: {parts}.")
    return own, by_part


def _defaults(made: Any) -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(made).parameters.items()
        if parameter.default is not parameter.empty
    }


def _facts(built: Judge, name: str) -> dict[str, str]:
    return {kind: str(facts[name]) for kind, facts in built.facts.items() if facts.get(name)}


def _joined(by_kind: Mapping[str, str]) -> str:
    """As one text, which names the kinds only where the parts differ."""
    if len(set(by_kind.values())) <= 1:
        return next(iter(by_kind.values()), "")
    return ", ".join(f"{kind}: {value}" for kind, value in by_kind.items())


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# Weights fill the memory: only the engines of the last few judges are kept.
@lru_cache(maxsize=4)
def _engine(path: str, options: str) -> Engine:
    return _load(path)(**json.loads(options))


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
