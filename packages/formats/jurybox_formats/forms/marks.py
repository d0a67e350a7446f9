"""Marks on an image: points and boxes as fractions of its width and height, 0 to 1 from the top left.

Stored, exported and sent as one line of JSON: `[{"x":0.25,"y":0.5},{"x":0.1,"y":0.2,"width":0.3,
"height":0.25,"on":"source"}]`. `on` names the picture of the prompt that is marked instead of the image.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

MOST = 20
KEYS = {"x", "y", "width", "height", "on"}
# How every stored text of marks begins.
BEGINS = '[{"x":'
# Where a picture stands that an edit began with; a mark on the image itself names none.
PLACE = re.compile(r"source(-[1-9]\d?)?")
# The finest place: a tenth of a pixel of the largest picture that a screen shows.
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Mark:
    """A point, or the box with its left upper corner there."""

    x: float
    y: float
    width: float = 0
    height: float = 0
    on: str = ""

    @property
    def is_point(self) -> bool:
        return not (self.width and self.height)


def read(given: Any) -> tuple[Mark, ...]:
    """From a text of JSON, or what it says. ValueError, with a reason, if it is none."""
    if isinstance(given, str):
        if not given.strip():
            return ()
        try:
            given = json.loads(given[: 200 * MOST])
        except (ValueError, RecursionError):
            raise ValueError("it is no list of marks") from None
    if not isinstance(given, list | tuple):
        raise ValueError("it is no list of marks")
    if len(given) > MOST:
        raise ValueError(f"it has {len(given)} marks, and {MOST} are allowed")
    return tuple(map(_mark, given))


def marks_text(marks: tuple[Mark, ...]) -> str:
    """The same marks are always the same text; empty for none."""
    plain = [_plain(mark) for mark in marks]
    return json.dumps(plain, separators=(",", ":")) if plain else ""


def _plain(mark: Mark) -> dict[str, float | str]:
    plain: dict[str, float | str] = {"x": mark.x, "y": mark.y}
    if not mark.is_point:
        plain |= {"width": mark.width, "height": mark.height}
    return plain | ({"on": mark.on} if mark.on else {})


def are_in(text: str) -> bool:
    """Whether a stored answer is marks: no two people set the same ones, so none are compared."""
    return text.startswith(BEGINS)


def stored_marks(text: str) -> tuple[Mark, ...]:
    """Of a stored answer; a text that only looks like marks has none."""
    try:
        return read(text) if are_in(text) else ()
    except ValueError:
        return ()


def in_words(text: str) -> str:
    marks = stored_marks(text)
    before = sum(bool(mark.on) for mark in marks)
    counts = ((len(marks) - before, "the image"), (before, "the picture before the edit"))
    return " and ".join(_count_words(count, what) for count, what in counts if count) or "0 marks"


def _count_words(count: int, what: str) -> str:
    return f"{count} mark{'' if count == 1 else 's'} on {what}"


def _mark(given: Any) -> Mark:
    if not isinstance(given, dict) or not {"x", "y"} <= given.keys() <= KEYS:
        raise ValueError("a mark has x and y, and a box width and height as well")
    x, y = _share(given["x"]), _share(given["y"])
    width, height = _share(given.get("width", 0)), _share(given.get("height", 0))
    if (width > 0) != (height > 0):
        raise ValueError("a box has a width and a height")
    if x + width > 1 + 10**-DIGITS or y + height > 1 + 10**-DIGITS:
        raise ValueError("a box ends outside the image")
    on = given.get("on", "")
    if not isinstance(on, str) or (on and not PLACE.fullmatch(on)):
        raise ValueError("a mark is on the image, or on its “source”")
    return Mark(x, y, width, height, on)


def _share(given: Any) -> float:
    number = isinstance(given, int | float) and not isinstance(given, bool)
    if not number or not 0 <= given <= 1:
        raise ValueError("a place on the image is a number from 0 to 1")
    return round(float(given), DIGITS)
