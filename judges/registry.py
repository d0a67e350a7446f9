"""The judges that can be started by name: which method over which engine, one line each.

Nothing is imported until it is asked for, so a missing library is a sentence, not a crash.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from typing import Any

from judges.errors import JudgeMissing, JudgeRefused
from judges.protocols import Method


@dataclass(frozen=True, slots=True)
class Entry:
    """`method` and `engine` are "module:class"; `options` are the method's, and its identity."""

    title: str
    method: str
    engine: str
    options: Mapping[str, Any] = field(default_factory=dict)
    release_date: date | None = None
    needs: tuple[str, ...] = ()


BUILTIN = "judges.engines.builtin:BuiltinEngine"

JUDGES: dict[str, Entry] = {
    "geneval-builtin": Entry(
        "GenEval (built-in)",
        "judges.methods.geneval:GenEval",
        BUILTIN,
        release_date=date(2021, 3, 1),
    ),
    "soft-tifa-gm-builtin": Entry(
        "Soft-TIFA GM (built-in)",
        "judges.methods.soft_tifa:SoftTifa",
        BUILTIN,
        {"mean": "geometric"},
        date(2021, 3, 1),
    ),
    "soft-tifa-am-builtin": Entry(
        "Soft-TIFA AM (built-in)",
        "judges.methods.soft_tifa:SoftTifa",
        BUILTIN,
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
    _build(name, json.dumps(dict(options), sort_keys=True))


def identity(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """All that can change a score, as plain data."""
    chosen = entry(name)
    method = _load(chosen.method)
    engine = _load(chosen.engine)
    return {
        "method": chosen.method.partition(":")[2],
        "method_version": method.version,
        "engine": chosen.engine.partition(":")[2],
        "engine_version": engine.version,
        "options": {**chosen.options, **options},
    }


def fingerprint(identity: Mapping[str, Any]) -> str:
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def build(name: str, options: Mapping[str, Any]) -> Method:
    """The judge itself, ready to look; one of each kind is kept for the life of a worker."""
    return _build(name, json.dumps(dict(options), sort_keys=True))


@cache
def _engine(path: str) -> Any:
    return _load(path)()


@cache
def _build(name: str, options: str) -> Method:
    chosen = entry(name)
    lacking = why_not(name)
    if lacking:
        raise JudgeMissing(f"“{name}” cannot run here. {lacking}")
    try:
        return _load(chosen.method)(
            _engine(chosen.engine), **{**chosen.options, **json.loads(options)}
        )
    except (TypeError, ValueError) as error:
        raise JudgeRefused(f"“{name}” does not take these options: {error}.") from error


def _load(path: str) -> Any:
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)
