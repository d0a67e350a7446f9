"""Judges of the catalogue, ready to run: options checked, engines built, fingerprint taken."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from PIL import Image

from jurybox_judging import host
from jurybox_judging.catalogue import entry
from jurybox_judging.engines.shared import memory
from jurybox_judging.errors import JudgeMissing, JudgeRefused
from jurybox_judging.marks import gettext_noop
from jurybox_judging.options import Option, declared, shown_name, typed
from jurybox_judging.protocols import RESULT, Engine, Judgement, Method, Subject, Unscored
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import load
from jurybox_judging.scorer import Loose, Scorer

SELF_TEST = "self_test"
TO_FETCH = gettext_noop("to be fetched on first use")
# Options that change how fast an engine answers, not what.
PACE = {"batch", "device", "rows", "concurrency", "timeout", "attempts", "pause", "longest_pause"}
_SELF_TEST = Option(
    kind="flag", default=True, help="Before the first image every engine must get a drawing right."
)


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

    def score(self, picture: Image.Image, subject: Subject) -> Judgement | Unscored:
        """Of one picture, by itself. Who has many gives them to a `Scorer` together."""
        if subject.size == (0, 0):
            subject = replace(subject, size=picture.size)
        with closing(Scorer(self)) as scorer:
            return scorer.finish(scorer.begin_pictures([(Loose(), subject, picture)]))[0]


def why_not(name: str) -> str:
    """What this machine lacks to run the judge, in a sentence; empty when it can run."""
    return lacking(entry(name))


def absent_libraries(chosen: Entry) -> tuple[str, ...]:
    return tuple(module for module in chosen.needs if not is_installed(module))


@lru_cache(maxsize=64)
def is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def lacking(chosen: Entry) -> str:
    absent = absent_libraries(chosen)
    if not absent:
        return ""
    return f"Needs {', '.join(absent)}: install requirements.txt, which holds the neural engines."


def expect_here(name: str) -> None:
    """For whoever is about to look: starting a run needs no engine, only workers do."""
    if reason := why_not(name):
        raise JudgeMissing(f"“{name}” cannot run here. {reason}")


def declared_options(name: str) -> dict[str, Option]:
    """Every option that the judge takes: the engines' with their part's name before them, then the
    method's. Each has the value that it has in this judge when none is given."""
    return options_of(entry(name))


def options_of(chosen: Entry) -> dict[str, Option]:
    found: dict[str, Option] = {}
    for kind, (path, given) in chosen.parts.items():
        found |= {
            f"{kind}.{option}": replace(told, default=given.get(option, told.default))
            for option, told in declared(load(path)).items()
        }
    method = load(chosen.method)
    own = {option: value for option, value in chosen.options.items() if option != SELF_TEST}
    usual = getattr(method(**own), "options", {})
    found |= {o: replace(told, default=usual[o]) for o, told in declared(method).items()}
    return {**found, SELF_TEST: replace(_SELF_TEST, default=chosen.options.get(SELF_TEST, True))}


def check_options(name: str, options: Mapping[str, Any]) -> None:
    """Unknown, unusable and missing options are refused before a run exists.

    No library of an engine is imported for it, and no file is opened.
    """
    build(name, options)
    for option, told in options_of(entry(name)).items():
        needed = option.endswith(".checkpoint") and told.default == ""
        if needed and not options.get(option):
            wanted = f"{told.help[0].lower()}{told.help[1:]}"
            raise JudgeRefused(f"“{name}” needs {option}: {wanted}")


def from_text(name: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Options as a person types them in a form or in a shell."""
    told = declared_options(name)
    return {option: typed(told.get(option), text) for option, text in given.items()}


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
        # Cut to what the table holds; all of it is among the facts.
        "checkpoint": _joined(_facts(built, "checkpoint"))[:300],
        "revision": _joined(_facts(built, "revision"))[:80],
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
    """The judge with its engines, which are kept for the life of a worker and load their weights, and
    the libraries for them, when they first look."""
    chosen = entry(name)
    _check_each(name, chosen, options)
    if chosen.is_own:
        # What it names may not be allowed any more.
        check_allowed(chosen)
    own, by_part = _sorted_out(chosen, options)
    self_test = own.pop(SELF_TEST, True)
    try:
        method = load(chosen.method)(**own)
        parts = {
            kind: _engine(path, json.dumps(by_part[kind], sort_keys=True))
            for kind, (path, _) in chosen.parts.items()
        }
    except (TypeError, ValueError) as error:
        raise JudgeRefused(f"“{name}” does not take these options: {error}") from error
    _check_pictures(name, method, parts)
    _check_reply_start(name, method, parts)
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


def _check_pictures(name: str, method: Any, parts: Mapping[str, Any]) -> None:
    """Several pictures in one question need an engine that takes them."""
    shown = tuple(getattr(method, "pictures", (RESULT,)))
    for engine in parts.values():
        if shown != (RESULT,) and not getattr(engine, "takes_several", False):
            raise JudgeRefused(
                f"“{name}” shows several pictures in one question ({', '.join(shown)}), and "
                f"{type(engine).__name__} takes one. Choose a judge whose engine takes several, such "
                "as a model server or Qwen-VL."
            )


def _check_reply_start(name: str, method: Any, parts: Mapping[str, Any]) -> None:
    for engine in parts.values():
        if getattr(method, "reply_start", "") and not getattr(engine, "continue_replies", False):
            raise JudgeRefused(
                f"“{name}” begins the reply (reply_start), and {type(engine).__name__} cannot go on with "
                "one. Leave the option out, or choose an image-text or Qwen-VL model of this machine."
            )


def weights_of(chosen: Entry) -> dict[str, str]:
    """By option, the weights that it asks for where no others are named, of which model, and how exact."""
    named = {}
    for kind, (path, given) in chosen.parts.items():
        told = declared(load(path))
        if "checkpoint" in told:
            for option in {"checkpoint", "model", "precision"} & told.keys():
                named[f"{kind}.{option}"] = given.get(option, told[option].default)
    return named


def method_of(chosen: Entry, options: Mapping[str, Any]) -> Method:
    """The judge's rules alone; no engine is made."""
    own, _ = _sorted_out(chosen, options)
    own.pop(SELF_TEST, None)
    return load(chosen.method)(**own)


def whereabouts(checkpoint: str) -> str:
    """Whether these weights are here already, in words."""
    if Path(checkpoint).expanduser().exists():
        return gettext_noop("on this machine")
    if importlib.util.find_spec("huggingface_hub") is not None:
        from huggingface_hub.constants import HF_HUB_CACHE

        repository = checkpoint.partition(":")[0]
        if (Path(HF_HUB_CACHE) / f"models--{repository.replace('/', '--')}").is_dir():
            return gettext_noop("in this machine’s cache")
    return TO_FETCH


def check_allowed(chosen: Entry) -> None:
    """What a recipe of somebody's own names of the machine and the network, the operator allows."""
    told = options_of(chosen)
    for option, value in chosen.all_options.items():
        if told[option].names:
            host.current().check_option(option, told[option], value)


def _check_each(name: str, chosen: Entry, options: Mapping[str, Any]) -> None:
    """Each option by itself: known, declared so, and allowed on this machine."""
    parts = chosen.parts
    told = options_of(chosen)
    for option, value in options.items():
        if option not in told:
            kind, dot, _ = str(option).partition(".")
            if dot and kind not in parts:
                raise JudgeRefused(
                    f"“{shown_name(option)}” names no part of this judge; its parts: "
                    f"{', '.join(parts)}."
                )
            raise JudgeRefused(
                f"“{name}” does not take these options: there is no “{shown_name(option)}”; "
                f"it has {', '.join(told)}."
            )
        try:
            told[option].check(option, value)
        except ValueError as error:
            raise JudgeRefused(f"“{name}” does not take these options: {error}") from error
        if told[option].names:
            host.current().check_option(option, told[option], value)


def _sorted_out(
    chosen: Entry, options: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The method's options, and those of each part."""
    own = dict(chosen.options)
    by_part = {kind: dict(given) for kind, (_, given) in chosen.parts.items()}
    for name, value in options.items():
        kind, dot, option = name.partition(".")
        if dot:
            by_part[kind][option] = value
        else:
            own[name] = value
    return own, by_part


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


# Weights fill the memory: only the engines of the last few judges are kept, and where it is short, only
# those of the judge in hand.
_KEPT = 4
_engines: OrderedDict[tuple[str, str], Engine] = OrderedDict()
_in_hand: tuple[Engine, ...] = ()
_door = threading.Lock()


def take_in_hand(judge: Judge) -> None:
    """From now on this judge works: its engines are the last to be let go."""
    global _in_hand
    _in_hand = tuple(judge.parts.values())


def let_others_go() -> None:
    with _door:
        for key, engine in list(_engines.items()):
            if not any(engine is one for one in _in_hand):
                del _engines[key]


memory.when_short(let_others_go)


def forget_engines() -> None:
    with _door:
        _engines.clear()


def _engine(path: str, options: str) -> Engine:
    with _door:
        engine = _engines.pop((path, options), None) or load(path)(**json.loads(options))
        _engines[path, options] = engine
        while len(_engines) > _KEPT:
            _engines.popitem(last=False)
        return engine
