"""Pairwise accuracy with ties, and the threshold below which two scores count as tied.

Deutsch, Foster & Freitag 2023, "Ties Matter" (EMNLP). A judge is right about two images when it
orders them as people do, or calls them tied (|difference| <= epsilon) when people do:

    acc(epsilon) = (C + T_hm) / (C + D + T_h + T_m + T_hm)

Calibration takes the smallest epsilon at the maximum of acc, out of 0 and every |difference|.
It is exact: no pair is sampled, counts are integers, and the |differences| are compared as the
doubles they are; `decimals=k` rounds them to k places first, and says so in `comparison`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.counting import pairs
from jurybox_stats.counting.grouped_pairs import GroupedPairs
from jurybox_stats.counting.tie_calibration import best_epsilon
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.series import Floats, finite, group_codes


@dataclass(frozen=True, slots=True)
class Calibration:
    """The best accuracy and the smallest epsilon that reaches it.

    `right` of `pairs` pairs are decided as people do at that epsilon; with groups the accuracy is
    the mean over the `groups` that have a pair. `comparison` says how |differences| were compared.
    """

    accuracy: float
    epsilon: float
    right: int
    pairs: int
    groups: int
    n: int
    comparison: str


def pairwise_accuracy(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    epsilon: float = 0.0,
    groups: ArrayLike | None = None,
    decimals: int | None = None,
) -> Result:
    """The share of pairs that the metric decides as people do; with groups, their mean over the
    groups that have a pair (pairs within a group only)."""
    check_epsilon(epsilon)
    series = finite(human, metric)
    if isinstance(series, Undefined):
        return series
    people, scores = series
    n = people.size
    if groups is None:
        if n < 2:
            return Undefined("no pairs: fewer than two items", n)
        right = right_within(people, scores, epsilon, decimals)
        return Estimate(right / (n * (n - 1) // 2), None, None, n)
    listed = GroupedPairs.from_columns(people, scores, group_codes(groups, n)[0], decimals)
    return accuracy_among(listed, epsilon, n)


def accuracy_among(listed: GroupedPairs, epsilon: float, n: int) -> Result:
    """The same of pairs that are listed already."""
    check_epsilon(epsilon)
    if listed.size == 0:
        return Undefined("no pairs: no group has two items", n)
    right = listed.right(epsilon)
    return Estimate(float(listed.mean_accuracy(right)), None, None, n)


def calibrate(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    decimals: int | None = None,
) -> Calibration | Undefined:
    """The smallest epsilon at which the pairwise accuracy is highest, and that accuracy."""
    series = finite(human, metric)
    if isinstance(series, Undefined):
        return series
    people, scores = series
    n = people.size
    if groups is None:
        return _calibrate_all(people, scores, decimals)
    listed = GroupedPairs.from_columns(people, scores, group_codes(groups, n)[0], decimals)
    return calibrate_among(listed, n, decimals)


def calibrate_among(
    listed: GroupedPairs, n: int, decimals: int | None = None
) -> Calibration | Undefined:
    """The same of pairs that are listed already."""
    if listed.size == 0:
        return Undefined("no pairs: fewer than two items in every group", n)
    epsilon, right = listed.best()
    return Calibration(
        float(listed.mean_accuracy(right)),
        epsilon,
        int(right.sum()),
        listed.size,
        int((listed.per_group > 0).sum()),
        n,
        comparison(decimals),
    )


def _calibrate_all(people: Floats, scores: Floats, decimals: int | None) -> Calibration | Undefined:
    n = people.size
    if n < 2:
        return Undefined("no pairs: fewer than two items", n)
    total = n * (n - 1) // 2
    epsilon, right = best_epsilon(people, scores, decimals)
    return Calibration(right / total, epsilon, right, total, 1, n, comparison(decimals))


def tau_with_ties(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    epsilon: float = 0.0,
    groups: ArrayLike | None = None,
    decimals: int | None = None,
) -> Result:
    """Right less wrong decisions over all pairs: tau_23 of Deutsch et al., 2 acc - 1."""
    accuracy = pairwise_accuracy(human, metric, epsilon=epsilon, groups=groups, decimals=decimals)
    if isinstance(accuracy, Undefined):
        return accuracy
    return Estimate(2 * accuracy.value - 1, None, None, accuracy.n)


def calibrate_tau(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    decimals: int | None = None,
) -> Calibration | Undefined:
    """The same for tau with ties, whose best epsilon is that of the accuracy; `accuracy` is tau."""
    best = calibrate(human, metric, groups=groups, decimals=decimals)
    if isinstance(best, Undefined):
        return best
    return replace(best, accuracy=2 * best.accuracy - 1)


def kendall_tau_b(human: ArrayLike, metric: ArrayLike, *, epsilon: float = 0.0) -> Result:
    """tau_b where the metric ties whatever lies within epsilon.

    (C - D) / sqrt((C + D + T_h)(C + D + T_m)): T_h pairs tied by people only, T_m by the metric
    only. At epsilon 0 it is `ranking.kendall_tau_b`.
    """
    check_epsilon(epsilon)
    series = finite(human, metric, at_least=2)
    if isinstance(series, Undefined):
        return series
    people, scores = series
    all_pairs = pairs.count(scores, people)
    levels = pairs.dense(people)
    tied_near, concordant_near = pairs.near(scores, levels, epsilon)
    near_total = pairs.near(scores, np.zeros_like(levels), epsilon)[0]
    # Beyond epsilon nothing is tied in the metric.
    concordant = all_pairs.concordant - concordant_near
    people_only = all_pairs.tied_y - tied_near
    metric_only = near_total - tied_near
    discordant = all_pairs.total - concordant - people_only - near_total
    decided = concordant + discordant
    scale = math.sqrt((decided + people_only) * (decided + metric_only))
    if scale == 0:
        return Undefined("one series ties every pair", people.size)
    return Estimate((concordant - discordant) / scale, None, None, people.size)


def accuracy_without_ties(
    human: ArrayLike, metric: ArrayLike, *, drop_ties_of_both: bool = False
) -> Result:
    """Concordant pairs over the pairs that people do not tie; a tie of the metric is wrong.

    As in the code of GenAI-Bench, a pair that people and metric both tie stays in the denominator
    (and is never right); `drop_ties_of_both=True` repairs that.
    """
    series = finite(human, metric)
    if isinstance(series, Undefined):
        return series
    counts = pairs.count(series[1], series[0])
    decided = counts.total - counts.tied_y + (0 if drop_ties_of_both else counts.tied_both)
    if decided == 0 or counts.total == counts.tied_y:
        return Undefined("people tie every pair", series[0].size)
    return Estimate(counts.concordant / decided, None, None, series[0].size)


def check_epsilon(epsilon: float) -> None:
    if not epsilon >= 0:
        raise ValueError("epsilon must be 0 or more")


def comparison(decimals: int | None) -> str:
    return "exact floats" if decimals is None else f"rounded to {decimals} decimals"


def right_within(people: Floats, scores: Floats, epsilon: float, decimals: int | None) -> int:
    """Pairs decided rightly at epsilon, all pairs of one list."""
    levels = pairs.dense(people)
    tied_near, concordant_near = pairs.near(scores, levels, epsilon, decimals)
    return pairs.count(scores, people).concordant - concordant_near + tied_near
