"""So many of so many, and the interval around it."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

# Two and a half standard deviations: about 99 % of what chance does lies within.
WIDTH = 2.576


@dataclass(frozen=True, slots=True)
class Share:
    """`share` is None where there was nothing to count."""

    right: int
    of: int

    @property
    def share(self) -> float | None:
        return self.right / self.of if self.of else None

    @property
    def percent(self) -> float | None:
        return None if self.share is None else 100 * self.share

    @property
    def highest(self) -> float:
        """The upper end of Wilson's interval."""
        if not self.of:
            return 1.0
        p, z2 = self.right / self.of, WIDTH**2 / self.of
        return (p + z2 / 2 + sqrt(p * (1 - p) * z2 + z2**2 / 4)) / (1 + z2)
