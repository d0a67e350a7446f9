"""Small drawings in a row of a table: a number with its interval, and its course over the dates. They have
no axis of their own: all of a column share one."""

from __future__ import annotations

from collections.abc import Sequence
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
    """Places on an axis: of the number, its interval, and what it is compared with."""

    at: float
    low: float
    high: float
    guide: float

    @property
    def length(self) -> float:
        return round(self.high - self.low, 1)


def draw_dot(number: Number, axis: Axis, guide: float) -> Dot | None:
    """None where there is no number."""
    value = number.get("value")
    if value is None:
        return None
    low, high = (value if number.get(end) is None else number[end] for end in ("low", "high"))
    return Dot(axis.place(value), axis.place(low), axis.place(high), axis.place(guide))


def axis_around_zero(numbers: Sequence[Number], least: float) -> Axis:
    """As far to either side, at least `least`."""
    ends = [
        abs(number[end])
        for number in numbers
        for end in ("value", "low", "high")
        if number.get(end) is not None
    ]
    most = max([least, *ends])
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
