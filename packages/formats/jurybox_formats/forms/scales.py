"""How a question is answered: yes or no, a rating from low to high, or any number; or not at all."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

# The answer of a person who cannot tell, as it is stored and exported: a word, never a number, so
# that no statistic takes it for one.
CANT_TELL = "can't tell"


@dataclass(frozen=True, slots=True)
class Scale:
    kind: str
    low: float
    high: float

    @property
    def is_yes_no(self) -> bool:
        return self.kind == "yes/no"

    @property
    def in_points(self) -> bool:
        """Whether answers, like most judges' scores, lie between 0 and 1: then 100 times both are
        points, and one can be subtracted from the other."""
        return (self.low, self.high) == (0, 1)

    @property
    def ends(self) -> tuple[float, float] | None:
        """Where the scale ends; of numbers that nobody explained it is not known."""
        return None if self.kind == "number" and not self.in_points else (self.low, self.high)

    @property
    def cut(self) -> float:
        """From which mean on an image counts as right, where nobody says otherwise: the step above
        the middle of a rating (4 of 1 to 5), the middle of any other number (0.5 of 0 to 1)."""
        middle = (self.low + self.high) / 2
        return math.floor(middle) + 1.0 if self.kind == "rating" else middle

    @property
    def labels_text(self) -> str:
        return "yes or no" if self.is_yes_no else f"from {self.low:g} to {self.high:g}"


def inferred(values: Collection[float]) -> Scale:
    """The scale of answers that no form explains. Without any, it is yes/no."""
    distinct = set(values)
    if distinct <= {0, 1}:
        return Scale("yes/no", 0, 1)
    if distinct <= {1, 2, 3, 4, 5}:
        return Scale("rating", 1, 5)
    if min(distinct) >= 0 and max(distinct) <= 1:
        return Scale("number", 0, 1)
    return Scale("number", min(distinct), max(distinct))
