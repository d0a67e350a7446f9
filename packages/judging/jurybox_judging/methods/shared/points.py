"""The points of a checklist: the questions about one prompt, from its atoms, its metadata or a recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jurybox_judging.protocols import Subject

# What a point's text, its name and its right answer may be called in a prompt's metadata.
_TEXTS = ("question", "text", "description", "point")
_NAMES = ("name", "type", "category")
_RIGHT = ("expected", "answer")


@dataclass(frozen=True, slots=True)
class Point:
    """`index` is the atom's, where it is one; `parents` are indexes of atoms."""

    text: str
    name: str = ""
    expected: str = "yes"
    index: int | None = None
    parents: tuple[int, ...] = ()


class NoPoints(ValueError):
    """This prompt has no points; the message says why, `lacks` what it would need."""

    def __init__(self, message: str, lacks: str) -> None:
        super().__init__(message)
        self.lacks = lacks


def points_of(subject: Subject, own: Sequence[str], key: str) -> list[Point]:
    """`own`: the same for all prompts; `key`: the metadata that hold them; else the atoms."""
    if own:
        return [Point(text) for text in own]
    if key:
        return _from_metadata(subject.metadata.get(key), key)
    if not subject.atoms:
        raise NoPoints("This prompt has no questions to ask.", "questions")
    return [Point(a.question, a.text, a.expected, a.index, a.parents) for a in subject.atoms]


def numbered(points: Sequence[Point]) -> str:
    return "\n".join(f"{number}. {point.text}" for number, point in enumerate(points, start=1))


def _from_metadata(held: Any, key: str) -> list[Point]:
    if isinstance(held, list) and len(held) == 1 and _is_table(held[0]):
        held = held[0]
    if _is_table(held):
        held = [{"name": name, "text": text} for name, text in held.items()]
    if not isinstance(held, list | tuple) or not held:
        raise NoPoints(f"This prompt's metadata has no list of points named “{key}”.", "metadata")
    return [_point(one, key, number) for number, one in enumerate(held, start=1)]


def _is_table(held: Any) -> bool:
    """Whether these are points by their names, and not one point with its fields."""
    return isinstance(held, Mapping) and not any(name in held for name in _TEXTS)


def _point(one: Any, key: str, number: int) -> Point:
    if isinstance(one, str) and one.strip():
        return Point(one)
    if isinstance(one, Mapping):
        text = _first(one, _TEXTS)
        if text:
            return Point(text, _first(one, _NAMES), _first(one, _RIGHT) or "yes")
    raise NoPoints(f"Point {number} of this prompt's “{key}” has no text.", "metadata")


def _first(held: Mapping[str, Any], names: Sequence[str]) -> str:
    values = (held.get(name) for name in names)
    return next((value.strip() for value in values if isinstance(value, str) and value.strip()), "")
