"""The judges that can be started by name: which method over which engines, one line each.

Nothing is imported until it is asked for, so a missing library is a sentence, not a crash.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from judges.errors import JudgeMissing, JudgeRefused
from judges.protocols import Engine, Method

NOTHING: Mapping[str, Any] = MappingProxyType({})
# What an engine may be asked for, in the order in which the answers build on each other.
KINDS = ("objects", "colors", "depth", "similarity", "answers", "talk")
SELF_TEST = "self_test"
# They change how fast an engine tells, not what.
PACE = {"batch", "device"}


@dataclass(frozen=True, slots=True)
class Entry:
    """`method` and each part's engine are "module:class"; a part has its engine's options.

    `options` are the method's. An option "objects.checkpoint" is the checkpoint of the part
    "objects".
    """

    title: str
    method: str
    parts: Mapping[str, tuple[str, Mapping[str, Any]]]
    options: Mapping[str, Any] = field(default_factory=dict)
    release_date: date | None = None
    needs: tuple[str, ...] = ()

    @property
    def all_options(self) -> dict[str, Any]:
        parts = {f"{kind}.{k}": v for kind, part in self.parts.items() for k, v in part[1].items()}
        return {**parts, **self.options}


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge that can look: its method, its engines by kind, and the keys of what they tell."""

    name: str
    method: Method
    parts: Mapping[str, Engine]
    keys: Mapping[str, str]
    facts: Mapping[str, Mapping[str, str]]
    self_test: bool = True


BUILTIN = ("judges.engines.builtin:BuiltinEngine", NOTHING)

JUDGES: dict[str, Entry] = {
    "geneval-builtin": Entry(
        "GenEval (built-in)",
        "judges.methods.geneval:GenEval",
        {"objects": BUILTIN},
        release_date=date(2021, 3, 1),
    ),
    "soft-tifa-gm-builtin": Entry(
        "Soft-TIFA GM (built-in)",
        "judges.methods.soft_tifa:SoftTifa",
        {"answers": BUILTIN},
        {"mean": "geometric"},
        date(2021, 3, 1),
    ),
    "soft-tifa-am-builtin": Entry(
        "Soft-TIFA AM (built-in)",
        "judges.methods.soft_tifa:SoftTifa",
        {"answers": BUILTIN},
        {"mean": "arithmetic"},
        date(2021, 3, 1),
    ),
}


def entry(name: str) -> Entry:
    try:
        return JUDGES[name]
    except KeyError:
        known = ", ".join(sorted(JUDGES))
        raise JudgeRefused(f"There is no judge named “{name}”. Known judges: {known}.") from None


def why_not(name: str) -> str:
    """What this machine lacks to run the judge, in a sentence; empty when it can run."""
    lacking = [module for module in entry(name).needs if importlib.util.find_spec(module) is None]
    if not lacking:
        return ""
    return f"Needs {', '.join(lacking)}: install requirements.txt, which holds the neural engines."


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Unknown or unusable options are refused before a run exists."""
    build(name, options)


def identity(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """All that can change a score, as plain data."""
    chosen, built = entry(name), build(name, options)
    engines = {kind: path.partition(":")[2] for kind, (path, _) in chosen.parts.items()}
    versions = {kind: built.parts[kind].version for kind in engines}
    return {
        "method": chosen.method.partition(":")[2],
        "method_version": built.method.version,
        "engine": _joined(engines),
        "engine_version": _joined(versions),
        "checkpoint": _joined(_told(built, "checkpoint")),
        "revision": _joined(_told(built, "revision")),
        "precision": _joined(_told(built, "precision")),
        "options": {**chosen.all_options, **options},
        "facts": {
            kind: {"engine": engines[kind], "key": built.keys[kind], **built.facts[kind]}
            for kind in engines
        },
    }


def fingerprint(identity: Mapping[str, Any]) -> str:
    return _digest(identity)


def build(name: str, options: Mapping[str, Any]) -> Judge:
    """The judge itself, ready to look; its engines are kept for the life of a worker."""
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
                "engine": chosen.parts[kind][0],
                "version": parts[kind].version,
                "facts": facts[kind],
                "options": {k: v for k, v in by_part[kind].items() if k not in PACE},
            }
        )
        for kind in parts
    }
    if "colors" in keys and "objects" in keys:
        # A color belongs to the n-th object that one detector found.
        keys["colors"] = _digest([keys["objects"], keys["colors"]])
    return Judge(name, method, parts, keys, facts, self_test)


def usual_options(name: str) -> dict[str, Any]:
    """Every option that the judge takes, with the value that it has when none is given."""
    chosen = entry(name)
    taken = {}
    for kind, (path, given) in chosen.parts.items():
        taken |= {f"{kind}.{k}": v for k, v in {**_defaults(_load(path)), **given}.items()}
    method = _load(chosen.method)
    told = getattr(method(**chosen.options), "options", None)
    return {**taken, **(told if isinstance(told, Mapping) else _defaults(method))}


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
            raise JudgeRefused(f"“{name}” is about no part of this judge; its parts: {parts}.")
    return own, by_part


def _defaults(made: Any) -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(made).parameters.items()
        if parameter.default is not parameter.empty
    }


def _told(built: Judge, name: str) -> dict[str, str]:
    return {kind: str(facts[name]) for kind, facts in built.facts.items() if facts.get(name)}


def _joined(by_kind: Mapping[str, str]) -> str:
    """One text; the kinds are named only where the parts differ."""
    if len(set(by_kind.values())) <= 1:
        return next(iter(by_kind.values()), "")
    return ", ".join(f"{kind}: {value}" for kind, value in by_kind.items())


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# Weights fill a machine: only the engines of the last few judges are kept.
@lru_cache(maxsize=4)
def _engine(path: str, options: str) -> Engine:
    return _load(path)(**json.loads(options))


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
