"""What moved the difference between people and the judge from some generators to others.

    Δq − Δs  =  (1 − b) Δq  +  b · offset

The first part is there because people's score moved and the judge follows only so much of that; the
second because it reads the later ones otherwise. b is the gain on the reference. Where the offset is read
by cuts, what a bent scale makes of better generators is in the first part.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from jurybox_stats.instrument.comparison import Comparison, jackknifed
from jurybox_stats.instrument.moments import Answers
from jurybox_stats.over_time.courses import Change
from jurybox_stats.series import Floats


@dataclass(frozen=True, slots=True)
class Gap:
    before: float  # people less judge on the reference
    now: Change
    generators: Change  # (1 − b) Δq
    judge: Change  # b · offset


def gap_of(
    comparison: Comparison,
    *,
    points: float = 1.0,
    apart: float = 0.0,
    offset: Floats | None = None,
) -> Gap:
    """For a judge whose scores are in people's units; `points` for one of them. `apart`: as in the
    sums (`moments`). `offset`: as the cuts read it, of all and without each prompt."""
    old, new, n = comparison.reference, comparison.later, comparison.images
    moved, read = new.people - old.people, new.score - old.score
    gain = old.gain
    judge = gain * moved - read if offset is None else gain * offset
    return Gap(
        points * float(old.people[0] - old.score[0] + apart),
        jackknifed(points * (new.people - new.score + apart), int(new.images[0]), unit=points),
        jackknifed(points * (moved - read - judge), n, unit=points),
        jackknifed(points * judge, n, unit=points),
    )


def share_of_slips(answers: Answers) -> float | None:
    """How often a single answer of yes or no is wrong, if people err by slips alone, as often on every
    image: two answers to one then differ on 2e(1 - e) of them. None where nothing tells."""
    twice = answers.count > 1
    differ = 2 * float((answers.mean - answers.pair)[twice].mean()) if twice.any() else 0.5
    return (1 - math.sqrt(1 - 2 * differ)) / 2 if differ < 0.5 else None


def points_of_slips(share: float, slips: float) -> float:
    """By how much people's share of yes lies above what is so: a judge that is always right is off by this."""
    return 100.0 * slips * (1 - 2 * share) / (1 - 2 * slips)
