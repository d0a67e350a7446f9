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
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.counting import pairs
from audit.stats.counting.tie_calibration import best_epsilon
from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.roc import Z95
from audit.stats.series import Codes, Floats, finite, group_codes


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


@dataclass(frozen=True, slots=True)
class CalibratedEstimate(Estimate):
    """A calibrated accuracy with its interval, and the epsilon it was calibrated to."""

    epsilon: float

    def as_dict(self) -> dict[str, float | int | None]:
        return {**Estimate.as_dict(self), "epsilon": self.epsilon}


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
    _check(epsilon)
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
    listed = GroupedPairs.among(people, scores, group_codes(groups, n)[0], decimals)
    return accuracy_among(listed, epsilon, n)


def accuracy_among(listed: GroupedPairs, epsilon: float, n: int) -> Result:
    """The same of pairs that are listed already."""
    _check(epsilon)
    if listed.size == 0:
        return Undefined("no pairs: no group has two items", n)
    right = listed.right(epsilon)
    return Estimate(float(_mean_of_ratios(right, listed.per_group)), None, None, n)


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
    listed = GroupedPairs.among(people, scores, group_codes(groups, n)[0], decimals)
    return calibrate_among(listed, n, decimals)


def calibrate_among(
    listed: GroupedPairs, n: int, decimals: int | None = None
) -> Calibration | Undefined:
    """The same of pairs that are listed already."""
    if listed.size == 0:
        return Undefined("no pairs: fewer than two items in every group", n)
    epsilon, right = listed.best()
    accuracy = float(_mean_of_ratios(right, listed.per_group))
    return Calibration(
        accuracy,
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
    _check(epsilon)
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


def closed_form(
    human: ArrayLike,
    metric: ArrayLike,
    *,
    epsilon: float = 0.0,
    clusters: ArrayLike | None = None,
) -> Result:
    """Pairwise accuracy over all pairs, with the interval of its standard error; no resampling.

    SE = 2 sd(s) / sqrt(n), s_i the share of right decisions among the pairs of item i: the first
    order of a U-statistic (Hoeffding 1948, Ann. Math. Stat. 19:293). At a calibrated epsilon it
    holds as well, since the accuracy is level there. With clusters, s_i are summed within each.
    """
    _check(epsilon)
    series = finite(human, metric)
    if isinstance(series, Undefined):
        return series
    people, scores = series
    n = people.size
    if n < 3:
        return Undefined("fewer than three items: no spread to be seen", n)
    right = pairs.right_of_each(scores, pairs.dense(people), epsilon)
    value = int(right.sum()) / (n * (n - 1))
    pull = right / (n - 1) - value
    size = n
    if clusters is not None:
        codes, size = group_codes(clusters, n, what="clusters")
        if size < 2:
            return Undefined("one cluster only: there is nothing to compare it with", n)
        pull = np.bincount(codes, weights=pull)
    error = 2 / n * math.sqrt(float((pull**2).sum()) * size / (size - 1))
    return Estimate(value, max(0.0, value - Z95 * error), min(1.0, value + Z95 * error), n)


def _check(epsilon: float) -> None:
    if not epsilon >= 0:
        raise ValueError("epsilon must be 0 or more")


def comparison(decimals: int | None) -> str:
    return "exact floats" if decimals is None else f"rounded to {decimals} decimals"


def right_within(people: Floats, scores: Floats, epsilon: float, decimals: int | None) -> int:
    """Pairs decided rightly at epsilon, all pairs of one list."""
    levels = pairs.dense(people)
    tied_near, concordant_near = pairs.near(scores, levels, epsilon, decimals)
    return pairs.count(scores, people).concordant - concordant_near + tied_near


def _mean_of_ratios(right: Codes, per_group: Codes) -> Fraction:
    """The mean over groups of right/pairs, exactly."""
    by_size: dict[int, int] = {}
    for size in np.unique(per_group[per_group > 0]).tolist():
        by_size[size] = int(right[per_group == size].sum())
    total = sum((Fraction(count, size) for size, count in by_size.items()), Fraction(0))
    return total / int((per_group > 0).sum())


@dataclass(frozen=True, slots=True)
class GroupedPairs:
    """Every pair within a group that can change its verdict with epsilon, and what never changes.

    `gap` ascends; `sign` is +1 where people tie (right from epsilon = gap on) and -1 where the
    metric is concordant (right below gap). Discordant pairs are never right and are not listed.
    """

    gap: Floats
    sign: np.ndarray
    group: Codes
    per_group: Codes
    concordant: Codes
    size: int

    @classmethod
    def among(
        cls, people: Floats, scores: Floats, groups: Codes, decimals: int | None
    ) -> GroupedPairs:
        total = int(groups.max(initial=0)) + 1
        order = np.argsort(groups, kind="stable")
        sizes = np.bincount(groups, minlength=total)
        starts = np.cumsum(sizes) - sizes
        gaps, signs, owners = [], [], []
        for size in np.unique(sizes[sizes > 1]).tolist():
            members = np.flatnonzero(sizes == size)
            items = order[starts[members][:, None] + np.arange(size)]
            i, j = np.triu_indices(size, 1)
            h, m = people[items], scores[items]
            by_people = np.sign(h[:, i] - h[:, j])
            agrees = np.sign(m[:, i] - m[:, j]) == by_people
            sign = np.where(by_people == 0, 1, np.where(agrees, -1, 0))
            gaps.append(
                pairs.gap(
                    np.maximum(m[:, i], m[:, j]), np.minimum(m[:, i], m[:, j]), decimals
                ).ravel()
            )
            signs.append(sign.astype(np.int8).ravel())
            owners.append(np.repeat(members, i.size))
        per_group = sizes * (sizes - 1) // 2
        if not gaps:
            return cls(
                np.empty(0), np.empty(0, np.int8), np.empty(0, np.int64), per_group, per_group, 0
            )
        gap, sign, owner = (np.concatenate(part) for part in (gaps, signs, owners))
        concordant = np.bincount(owner[sign < 0], minlength=total)
        changing = np.flatnonzero(sign)
        changing = changing[np.argsort(gap[changing], kind="stable")]
        return cls(
            gap[changing],
            sign[changing],
            owner[changing],
            per_group,
            concordant,
            int(per_group.sum()),
        )

    def right(self, epsilon: float) -> Codes:
        """Pairs decided rightly, by group."""
        upto = int(np.searchsorted(self.gap, epsilon, side="right"))
        change = np.bincount(
            self.group[:upto], weights=self.sign[:upto], minlength=self.per_group.size
        )
        return self.concordant + np.rint(change).astype(np.int64)

    def is_end(self) -> np.ndarray:
        """True at the last of each run of equal gaps: there a candidate epsilon has taken effect."""
        return np.r_[self.gap[1:] != self.gap[:-1], True][: self.gap.size]

    def weights(self) -> tuple[np.ndarray, int]:
        """What a pair of each group weighs: c/pairs, and c; whole numbers wherever these fit."""
        sizes = np.unique(self.per_group[self.per_group > 0]).tolist()
        common = math.lcm(*sizes)
        safe = np.maximum(self.per_group, 1)
        if common * int((self.per_group > 0).sum()) < 2**53:
            return common // safe, common
        return 1.0 / safe, 1

    def best(self) -> tuple[float, Codes]:
        """The smallest best epsilon, and the right decisions by group there."""
        start = self.right(0.0) if self.gap.size and self.gap[0] == 0 else self.concordant
        if self.gap.size == 0:
            return 0.0, start
        weight, _ = self.weights()
        ends = self.is_end()
        gained = np.cumsum(self.sign * weight[self.group])[ends]
        candidates = self.gap[ends]
        if candidates[0] > 0:
            candidates, gained = np.r_[0.0, candidates], np.r_[gained[:1] * 0, gained]
        if weight.dtype.kind == "i":
            epsilon = float(candidates[np.argmax(gained)])
            return epsilon, self.right(epsilon)
        # Running sums of reciprocals drift in the last digits; those near the top are done again
        # in fractions, so that drift never decides.
        near = candidates[gained >= gained.max() - 1e-9 * max(1, self.per_group.size)]
        tried = [(float(epsilon), self.right(float(epsilon))) for epsilon in near]
        return max(tried, key=lambda pick: (_mean_of_ratios(pick[1], self.per_group), -pick[0]))

    def best_of_each(self, counts: Floats) -> Floats:
        """The calibrated accuracy of every resample (resamples x groups), each calibrated anew.

        Sorted once: a resample only changes what each pair weighs, so its best accuracy is the
        highest point of one running sum, and all resamples walk the pairs together.
        """
        weight, common = self.weights()
        paired = self.per_group > 0
        held = np.ascontiguousarray((counts * np.where(paired, weight, 0)).T)
        drawn = counts[:, paired].sum(axis=1)
        # Row by row, as the walk goes on: a product of matrices adds in another order on every
        # machine.
        reached = np.zeros(counts.shape[0])
        for row, right in zip(held, self.concordant.tolist(), strict=True):
            reached += right * row
        best = None if self.gap.size and self.gap[0] == 0 else reached.copy()
        rows = list(held)
        for sign, group, peak in zip(
            self.sign.tolist(), self.group.tolist(), self.is_peak().tolist(), strict=True
        ):
            if sign > 0:
                reached += rows[group]
            else:
                reached -= rows[group]
            if peak:
                best = reached.copy() if best is None else np.maximum(best, reached, out=best)
        safe = np.where(drawn > 0, drawn, 1)
        return np.where(drawn > 0, best / (common * safe), np.nan)

    def is_peak(self) -> np.ndarray:
        """True at those ends where some resample may stand highest: the sum has just risen, or may
        have, and may fall next. All other ends stand below a neighbour in every resample, since no
        weight is negative."""
        ends = np.flatnonzero(self.is_end())
        peak = np.zeros(self.gap.size, bool)
        if not ends.size:
            return peak
        first = np.r_[0, ends[:-1] + 1]
        rises = np.maximum.reduceat(self.sign, first) > 0
        falls = np.minimum.reduceat(self.sign, first) < 0
        # The first end has none before it, unless no gap is 0 and the start itself is a candidate.
        rises[0] |= self.gap[0] == 0
        peak[ends] = rises & np.r_[falls[1:], True]
        return peak
