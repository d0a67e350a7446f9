"""What moved the difference between people and the judge from some generators to others.

    Δq − Δs  =  (1 − b) Δq  +  b · offset

The first part is there because people's score moved and the judge follows only so much of that; the
second because it reads the later ones otherwise. b is the gain on the reference.
"""

from __future__ import annotations

from dataclasses import dataclass

from audit.stats.instrument.comparison import Comparison, jackknifed
from audit.stats.over_time.courses import Change


@dataclass(frozen=True, slots=True)
class Gap:
    before: float  # people less judge on the reference
    now: float
    generators: Change  # (1 − b) Δq
    judge: Change  # b · offset


def gap_of(comparison: Comparison, *, points: float = 1.0, apart: float = 0.0) -> Gap:
    """For a judge whose scores are in people's units; `points` for one of them. `apart`: as in the
    sums (`moments`)."""
    old, new, n = comparison.reference, comparison.later, comparison.images
    moved, read = new.people - old.people, new.score - old.score
    gain = old.gain
    return Gap(
        points * float(old.people[0] - old.score[0] + apart),
        points * float(new.people[0] - new.score[0] + apart),
        jackknifed(points * (1 - gain) * moved, n, unit=points),
        jackknifed(points * (gain * moved - read), n, unit=points),
    )
