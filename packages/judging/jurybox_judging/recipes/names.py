"""What a recipe may name: methods and engines, each by a short name that stands in its file's `NAMES`.

A recipe never names a module. Nothing is imported until a judge is built or its options are read.
"""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

# What an engine may answer, in the order in which answers build on each other, and the verb
# that does it.
VERBS = {
    "objects": "detect",
    "colors": "colors",
    "depth": "depths",
    "writing": "read_text",
    "similarity": "similarities",
    "reward": "rewards",
    "answers": "answer",
    "talk": "talk",
}
KINDS = tuple(VERBS)
NOTHING: Mapping[str, Any] = MappingProxyType({})
Named = TypeVar("Named")


@dataclass(frozen=True, slots=True)
class MethodName:
    """`parts`: the engines that it asks; `more`: those that it can do without. With the option that
    `instead` names, it asks another one."""

    path: str
    parts: tuple[str, ...]
    more: tuple[str, ...] = ()
    instead: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def required_methods(self, options: Mapping[str, Any]) -> tuple[str, ...]:
        for (option, value), part in self.instead.items():
            if options.get(option) == value:
                return (part,)
        return self.parts


@dataclass(frozen=True, slots=True)
class EngineName:
    path: str
    needs: tuple[str, ...] = ()  # the packages that it needs


_NAMES = re.compile(r"^NAMES = (\{.*?\})$", re.MULTILINE | re.DOTALL)


def _find(folder: str, kind: Callable[..., Named]) -> dict[str, Named]:
    """What each file of a folder calls its classes: its `NAMES`, read without importing it."""
    judges, found = Path(__file__).parents[1], {}
    for file in (judges / folder).rglob("*.py"):
        if written := _NAMES.search(file.read_text(encoding="utf-8")):
            parts = file.with_suffix("").relative_to(judges.parent).parts
            module = ".".join(parts).removesuffix(".__init__")
            for name, more in ast.literal_eval(written[1]).items():
                found[name] = kind(f"{module}:{more.pop('class')}", **more)
    return dict(sorted(found.items()))


METHODS = _find("methods", MethodName)
ENGINES = _find("engines", EngineName)


def load(path: str) -> Any:
    """The class at the path of a method or an engine."""
    module, _, name = path.partition(":")
    return getattr(importlib.import_module(module), name)


def kinds_of(engine: Any) -> tuple[str, ...]:
    """What this class of engines can answer."""
    return tuple(kind for kind, verb in VERBS.items() if callable(getattr(engine, verb, None)))
