"""Has this judge left people as generators grew newer? One claim for each way in which it can.

Judges are of two kinds. *Verdicts* are yes or no, as people's answers are, so that the difference of
means is in points (GenEval 2's net deviation). *Scores* are on a scale of their own: what they say of
people is their order, so the first claim is that the order got worse; the second is net deviation of the
score calibrated to people on reference generators. When people's own answers rise, a calibrated score
can move although the judge has not: either of "images with this score" and "images that people call
this" may be what stays. So the second claim is read both ways, and only what both show counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from audit.stats.estimate import Estimate
from audit.stats.over_time.calibrated import out_of_fold
from audit.stats.over_time.courses import Change, Course, change, fit, of_means, of_order
from audit.stats.over_time.evidence import evidence
from audit.stats.series import Codes, Floats

# What a drift worth seeing is: points of net deviation, and as much of AUROC (10 of 100 pairs).
POINTS, ORDER = 10.0, 0.1
POINTS_OF_A_SCALE = 100.0
# A generator counts for the order with at least so many independent pairs.
PAIRS = 5.0


@dataclass(frozen=True, slots=True)
class Judged:
    """Images with an answer of people and a score, of generators that are codes in order of release;
    the first `reference` of them are those that the others are compared with."""

    people: Floats
    judge: Floats
    generators: Codes
    prompts: Codes
    count: int  # of generators
    reference: int
    verdicts: bool
    points: float  # for one step of people's scale: 100 for a yes or no


@dataclass(frozen=True, slots=True)
class Claim:
    """Evidence of a change at some date; `since` is the first generator after the likeliest of `dates`,
    and `moved` the change there. `later` compares all later generators with the reference."""

    evidence: float
    since: int
    moved: Change
    dates: int
    later: Change

    def there(self, confidence: float = 0.95) -> Estimate:
        """The change at the likeliest date, with an interval that holds for whichever of the dates was
        taken (Bonferroni): of several changes the largest was picked."""
        return self.moved.interval(1 - (1 - confidence) / self.dates)


@dataclass(frozen=True, slots=True)
class Claims:
    """`deviation` and `order` have a number for each generator; a claim is None where no generator
    that is newer than the reference has one."""

    deviation: Course
    order: Course
    by_deviation: Claim | None
    by_order: Claim | None
    # The net deviation that a judge would have who errs as on the reference generators.
    same_errors: Course


def claims(judged: Judged) -> Claims:
    on_reference = judged.generators < judged.reference
    people, read = judged.people * judged.points, judged.judge * judged.points
    if not judged.verdicts:
        read = out_of_fold(people, judged.judge, on_reference, judged.prompts)
    expected = out_of_fold(read, people, on_reference & ~np.isnan(read), judged.prompts)

    def means(values: Floats) -> Course:
        known = ~np.isnan(values)
        where = (judged.generators[known], judged.prompts[known], judged.count)
        return of_means(values[known], *where, unit=POINTS_OF_A_SCALE)

    deviation, same_people = means(people - read), means(expected - read)
    order = of_order(people, judged.judge, judged.generators, judged.prompts, judged.count)
    readings = [deviation] if judged.verdicts else [deviation, same_people]
    return Claims(
        deviation,
        order,
        _claim(readings, judged.reference, scale=POINTS),
        None if judged.verdicts else _claim([order], judged.reference, scale=ORDER, falls=True),
        means(people - expected),
    )


def _claim(
    readings: Sequence[Course], reference: int, *, scale: float, falls: bool = False
) -> Claim | None:
    least = PAIRS if falls else 1.0
    there = readings[0].weights >= least
    number = np.arange(there.size)
    old, later = there & (number < reference), there & (number >= reference)
    if not old.any() or not later.any():
        return None
    shown_by_all, steps = [], []
    for place in number[later].tolist():
        sides = (there & (number < place), there & (number >= place))
        moves = [change(reading, *sides) for reading in readings]
        one_way = len({move.value > 0 for move in moves}) == 1
        shown = [evidence(move, scale=scale, falls=falls) for move in moves]
        shown_by_all.append(min(shown) if one_way else 0.0)
        steps.append((fit(readings[0], *sides), place, moves[0]))
    _, since, moved = max(steps, key=lambda step: step[0])
    mean = sum(shown_by_all) / len(shown_by_all)
    return Claim(mean, since, moved, len(steps), change(readings[0], old, later))
