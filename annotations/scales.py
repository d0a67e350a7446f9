"""How a question is answered: yes or no, a rating from low to high, or any number; or not at all."""

from __future__ import annotations

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


def inferred(values: Collection[float]) -> Scale:
    """The scale of answers that no form explains. Without any, it is yes/no."""
    distinct = set(values)
    if distinct <= {0, 1}:
        return Scale("yes/no", 0, 1)
    if distinct <= {1, 2, 3, 4, 5}:
        return Scale("rating", 1, 5)
    return Scale("number", min(distinct), max(distinct))
