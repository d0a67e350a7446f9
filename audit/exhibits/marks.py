"""Small drawings in a row of a table: a number with its interval, and its course. A column shares an axis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from audit.exhibits import Number

WIDTH, HEIGHT = 120.0, 24.0
# A dot at an end is not cut off.
EDGE = 6.0


@dataclass(frozen=True, slots=True)
class Axis:
    low: float
    high: float

    def place(self, value: float) -> float:
        """From left to right; what lies beyond an end stands there."""
        part = (value - self.low) / (self.high - self.low)
        return round(EDGE + min(max(part, 0.0), 1.0) * (WIDTH - 2 * EDGE), 1)


@dataclass(frozen=True, slots=True)
class Dot:
    """Places on an axis: of the number, of its interval and its length, and of what it is compared with."""

    at: float
    low: float
    length: float
    guide: float


def draw_dot(number: Number, axis: Axis, guide: float) -> Dot | None:
    """None where there is no number."""
    value = number.get("value")
    if value is None:
        return None
    low, high = (value if number.get(end) is None else number[end] for end in ("low", "high"))
    begins, ends = axis.place(low), axis.place(high)
    return Dot(axis.place(value), begins, round(ends - begins, 1), axis.place(guide))


def axis_around_zero(values: Iterable[float | None], least: float) -> Axis:
    """As far to either side, at least `least`."""
    most = max([least, *(abs(value) for value in values if value is not None)])
    return Axis(-most, most)


@dataclass(frozen=True, slots=True)
class Course:
    """`points` of an SVG polyline, the height of zero, and the last point."""

    points: str
    zero: float
    last: tuple[float, float]


def draw_course(values: Sequence[float | None], axis: Axis) -> Course | None:
    """One value for each date, from left to right; None where fewer than two are known."""
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    if len(known) < 2:
        return None
    steps = Axis(0, len(values) - 1)

    def height(value: float) -> float:
        return round(HEIGHT - axis.place(value) / WIDTH * HEIGHT, 1)

    points = [(steps.place(place), height(value)) for place, value in known]
    return Course(" ".join(f"{x},{y}" for x, y in points), height(0.0), points[-1])
