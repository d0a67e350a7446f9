"""May the judge stand in for a person? The alternative annotator test (Calderon, Reichart & Dror,
ACL 2025).

Leave one person out, and ask on each image who is closer to the others, that person or the judge.
The judge wins over a person when it is not behind by `epsilon` or more: epsilon is what people
cost more than the judge (0.2 for experts, 0.1 for a crowd).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.multiplicity import benjamini_yekutieli
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import by_group, ratio
from jurybox_stats.series import Codes, Floats, coded, group_codes, numbers, ratings_table

Scoring = Literal["agreement", "distance"]
# Sums of squares of decimals that are equal on paper differ by a few last digits.
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class AgainstOne:
    """The judge against one person. `p` is None where all differences are exactly epsilon."""

    rater: int
    images: int
    mean_difference: float
    advantage: float
    p: float | None
    beaten: bool


@dataclass(frozen=True, slots=True)
class AltTest:
    """`winning_rate`: the share of people whom the judge beats; `advantage`: how often it is at
    least as close to the others as a person is, meaned over people. `n` counts tested people."""

    raters: tuple[AgainstOne, ...]
    winning_rate: float
    advantage: float
    n: int

    @property
    def passes(self) -> bool:
        return self.winning_rate >= 0.5


@dataclass(frozen=True, slots=True)
class PersonBesideJudge:
    """One person beside the judge: on which images, and how far the person is closer to the others."""

    rater: int
    images: Codes
    ahead: Floats


def alt_test(
    judge: ArrayLike,
    ratings: ArrayLike,
    *,
    epsilon: float,
    scoring: Scoring = "agreement",
    prompts: ArrayLike | None = None,
    least_raters: int = 2,
    least_images: int = 30,
    level: float = 0.05,
) -> AltTest | Undefined:
    """`ratings` is raters x images, NaN where there is none; so is `judge` where it has no verdict.

    For a person r, S is the closeness to the others: the share that says the same ("agreement"),
    or less the root of the mean squared difference ("distance"). d = [S_r >= S_judge] -
    [S_judge >= S_r]; a one-sided t test of mean d < epsilon, with whole prompts as its units where
    `prompts` are given, and Benjamini-Yekutieli over people.
    """
    tested = alt_tests(
        judge,
        ratings,
        epsilons=[epsilon],
        scoring=scoring,
        prompts=prompts,
        least_raters=least_raters,
        least_images=least_images,
        level=level,
    )
    return tested if isinstance(tested, Undefined) else tested[0]


def alt_tests(
    judge: ArrayLike,
    ratings: ArrayLike,
    *,
    epsilons: Sequence[float],
    scoring: Scoring = "agreement",
    prompts: ArrayLike | None = None,
    least_raters: int = 2,
    least_images: int = 30,
    level: float = 0.05,
    beside: list[PersonBesideJudge] | Undefined | None = None,
) -> list[AltTest] | Undefined:
    """The same test at several prices of people. `beside`: `people_beside_judge`, where it is known."""
    if beside is None:
        beside = people_beside_judge(judge, ratings, scoring, least_raters, least_images)
    if isinstance(beside, Undefined):
        return beside
    codes = None
    if prompts is not None:
        codes = group_codes(prompts, np.asarray(judge).size, what="prompts")[0]
    differences = [
        _mean_difference(np.sign(row.ahead), None if codes is None else codes[row.images])
        for row in beside
    ]
    return [_tested(beside, differences, epsilon, level) for epsilon in epsilons]


def resampled_advantage(
    draw: Draw,
    judge: ArrayLike,
    ratings: ArrayLike,
    *,
    scoring: Scoring = "agreement",
    least_raters: int = 2,
    least_images: int = 30,
    beside: list[PersonBesideJudge] | Undefined | None = None,
) -> Resampled | Undefined:
    """The `advantage` of the test on every resample; `n` counts images. `beside` as there."""
    if beside is None:
        beside = people_beside_judge(judge, ratings, scoring, least_raters, least_images)
    if isinstance(beside, Undefined):
        return draw.check_length(beside, judge)
    draw.check_size(np.asarray(judge).size)
    won, asked = (
        np.stack(
            [
                by_group(values, draw.cluster[row.images], draw.clusters)
                for row in beside
                for values in [(row.ahead <= 0) * 1.0 if hits else np.ones(row.ahead.size)]
            ],
            axis=1,
        )
        for hits in (True, False)
    )

    def resampled(counts: Counts) -> Floats:
        shares = ratio(counts @ won, counts @ asked)
        # Which person comes first changes no digit.
        return np.array([math.fsum(row) / len(beside) for row in shares.tolist()])

    tested = np.zeros(draw.n, dtype=bool)
    for row in beside:
        tested[row.images] = True
    n = int(np.count_nonzero(tested))
    point = Estimate(float(resampled(draw.once)[0]), None, None, n)
    return Resampled(point, resampled, "share")


def people_beside_judge(
    judge: ArrayLike,
    ratings: ArrayLike,
    scoring: str = "agreement",
    least_raters: int = 2,
    least_images: int = 30,
) -> list[PersonBesideJudge] | Undefined:
    if scoring not in ("agreement", "distance"):
        raise ValueError("scoring is “agreement” or “distance”")
    table = ratings_table(ratings)
    if isinstance(table, Undefined):
        return table
    verdicts = numbers(np.asarray(judge))
    if verdicts.shape != table.shape[1:]:
        raise ValueError("the judge needs one verdict, or NaN, for each image")
    given = ~np.isnan(table)
    used = ~np.isnan(verdicts) & (given.sum(axis=0) >= least_raters)
    agrees = (table == verdicts).sum(axis=0) if scoring == "agreement" else None
    rows = []
    for rater in range(table.shape[0]):
        # Only this person's images: with many people each has few of all.
        images = np.flatnonzero(used & given[rater])
        if images.size >= least_images:
            own, judged = table[rater, images], verdicts[images]
            if agrees is None:
                others = np.delete(table[:, images], rater, axis=0)
                ahead = _closer(others, own, judged)
            else:
                # Without the own answer, which agrees with itself.
                alike = _count_agreeing(table, images, own) - 1
                ahead = (alike - agrees[images] + (own == judged)).astype(np.float64)
            rows.append(PersonBesideJudge(rater, images, ahead))
    return rows or Undefined(
        f"nobody has {least_images} images that {least_raters} people labelled"
    )


def _tested(
    beside: Sequence[PersonBesideJudge],
    differences: Sequence[_MeanDifference],
    epsilon: float,
    level: float,
) -> AltTest:
    p = [_p_below(difference, epsilon) for difference in differences]
    # A person about whom the test says nothing counts, and is never beaten.
    adjusted = benjamini_yekutieli([1.0 if chance is None else chance for chance in p])
    beaten = [c is not None and bool(a <= level) for c, a in zip(p, adjusted, strict=True)]
    raters = tuple(
        AgainstOne(
            row.rater,
            row.ahead.size,
            difference.mean,
            float((row.ahead <= 0).mean()),
            chance,
            won,
        )
        for row, difference, chance, won in zip(beside, differences, p, beaten, strict=True)
    )
    return AltTest(
        raters,
        sum(beaten) / len(raters),
        math.fsum(row.advantage for row in raters) / len(raters),
        len(raters),
    )


def _count_agreeing(table: Floats, images: Codes, own: Floats) -> Codes:
    """How many say the same on each of these images, row by row: no copy of the table is made."""
    alike = np.zeros(images.size, np.int64)
    for row in table:
        alike += row[images] == own
    return alike


def _closer(others: Floats, person: Floats, judge: Floats) -> Floats:
    """How far the person is closer to the others than the judge: 0 where both are as close."""
    of_judge = np.nansum((others - judge) ** 2, axis=0)
    of_person = np.nansum((others - person) ** 2, axis=0)
    same = np.isclose(of_judge, of_person, rtol=ROUNDING, atol=ROUNDING)
    return np.where(same, 0.0, of_judge - of_person)


@dataclass(frozen=True, slots=True)
class _MeanDifference:
    """With its standard error, over so many units that are drawn."""

    mean: float
    error: float
    units: int
    alike: bool  # all differences are the same


def _mean_difference(d: Floats, codes: Codes | None) -> _MeanDifference:
    mean, units = float(d.mean()), d.size
    if codes is None:
        error = float(d.std(ddof=1)) / np.sqrt(units)
    else:
        inside = coded(codes)[1]
        units = int(inside.max()) + 1
        pull = np.bincount(inside, weights=d - mean)
        error = np.sqrt(units / (units - 1) * float((pull**2).sum())) / d.size if units > 1 else 0.0
    return _MeanDifference(mean, float(error), units, bool((d == d[0]).all()))


def _p_below(d: _MeanDifference, epsilon: float) -> float | None:
    """The one-sided p of "mean d < epsilon"; None where every d is epsilon."""
    if d.alike or d.error == 0:
        return None if d.mean == epsilon else float(d.mean > epsilon)
    return float(scipy.special.stdtr(d.units - 1, (d.mean - epsilon) / d.error))
