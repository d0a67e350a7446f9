"""`Resamples`: the interval of every statistic from what is left without each cluster.

    draw = Resamples(prompt_of_each_image)
    draw.auroc(labels, scores), draw.cohen_kappa(people, verdicts)

Statistics of order, and all that a report computes for each slice, stand in `sums.statistics`; others beside
their formula (`agreement`, `drift`, `resampling.means`). `intervals.bootstrap` draws resamples of any function.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats import agreement, ties
from jurybox_stats.estimate import Estimate, Result, Undefined, WithoutInterval
from jurybox_stats.over_time import drift
from jurybox_stats.resampling import means
from jurybox_stats.resampling.cluster_counts import cluster_counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.percentiles import interval
from jurybox_stats.resampling.small_samples import (
    MOST_LEFT_OUT,
    difference_jackknifed,
    jackknifed,
    too_few_rarer,
)
from jurybox_stats.series import Floats, binary, group_codes, same_length
from jurybox_stats.sums.single import compare, resampled
from jurybox_stats.sums.statistics import ByPrompt, Comparison


def _of_order(name: str, draw: Draw, x: ArrayLike, y: ArrayLike) -> Resampled | Undefined:
    return resampled(draw, name, x, y)


# Whose first series is people's yes or no.
OF_CLASSES = ("auroc", "balanced_accuracy")
# By the names of the methods below: what can be subtracted, or computed resample by resample.
STATISTICS: Mapping[str, Callable[..., Resampled | Undefined]] = {
    "mean": means.mean,
    "difference_of_means": means.difference_of_means,
    "ratio": means.ratio_of_sums,
    "percent_agreement": agreement.resampled_percent_agreement,
    "unanimity": agreement.resampled_unanimity,
    "cohen_kappa": agreement.resampled_kappa,
    "krippendorff_alpha": agreement.resampled_alpha,
    "fleiss_kappa": agreement.resampled_fleiss,
    **{
        name: partial(_of_order, name)
        for name in (
            "pearson",
            "spearman",
            "kendall_tau_b",
            "kendall_tau_c",
            "auroc",
            "pairwise_accuracy",
        )
    },
    "slope_per_year": drift.resampled_slope,
}

# The least deviate at which an interval is requested, and how near to its place the one is found at
# which it touches 0: p-values to one part in a million.
NARROWEST = 1e-6
# The least p-value of an interval with a formula: further out nobody knows the shape of a tail.
LEAST_P = 1e-6


class Resamples:
    """Every method takes whole series, one value per item, and leaves out each cluster in turn
    (`resampling.small_samples`). The digits depend neither on the names nor on the order of clusters.

    `resamples` and `seed` are for the one statistic that is drawn: an ordinal alpha of many values.
    """

    def __init__(
        self,
        clusters: ArrayLike,
        *,
        resamples: int = 2000,
        seed: int = 0,
        confidence: float = 0.95,
    ) -> None:
        self.draw = Draw(clusters, resamples=resamples, seed=seed)
        self.confidence = confidence
        self._known: tuple[Floats, Floats, Comparison] | None = None

    def interval(self, find: Callable[[Draw], Resampled | Undefined]) -> Result:
        """Of a statistic that is shown on one page only, and so is no method here."""
        return self._interval(find(self.draw))

    # Means

    def mean(
        self, x: ArrayLike, *, scale: float = 1.0, ends: tuple[float, float] | None = None
    ) -> Result:
        """The mean of x, times `scale` (100 for points). `ends`: of the scale that x is on."""
        return self._interval(means.mean(self.draw, x, scale=scale, ends=ends))

    def difference_of_means(self, a: ArrayLike, b: ArrayLike, *, scale: float = 1.0) -> Result:
        """mean(a) - mean(b) over the same items, times `scale`: the net deviation of a judge b."""
        return self._interval(means.difference_of_means(self.draw, a, b, scale=scale))

    def ratio(self, over: ArrayLike, under: ArrayLike) -> Result:
        """sum(over) / sum(under): so many of so many, several to an item (pairs of its answers).

        `n` counts the items that have any.
        """
        return self._interval(means.ratio_of_sums(self.draw, over, under))

    # Agreement

    def percent_agreement(self, a: ArrayLike, b: ArrayLike) -> Result:
        return self._interval(agreement.resampled_percent_agreement(self.draw, a, b))

    def unanimity(self, ratings: ArrayLike) -> Result:
        """The share of units on which all agree; clusters name the units (columns)."""
        return self._interval(agreement.resampled_unanimity(self.draw, ratings))

    def cohen_kappa(self, a: ArrayLike, b: ArrayLike, weights: agreement.Weights = None) -> Result:
        return self._interval(agreement.resampled_kappa(self.draw, a, b, weights))

    def krippendorff_alpha(self, ratings: ArrayLike, level: agreement.Level) -> Result:
        """Krippendorff's alpha; clusters name the units (columns)."""
        return self._interval(agreement.resampled_alpha(self.draw, ratings, level))

    def fleiss_kappa(self, ratings: ArrayLike) -> Result:
        """Fleiss' kappa; clusters name the units (columns)."""
        return self._interval(agreement.resampled_fleiss(self.draw, ratings))

    # Order

    def pearson(self, x: ArrayLike, y: ArrayLike) -> Result:
        return self._order("pearson", x, y)

    def spearman(self, x: ArrayLike, y: ArrayLike) -> Result:
        return self._order("spearman", x, y)

    def kendall_tau_b(self, x: ArrayLike, y: ArrayLike) -> Result:
        return self._order("kendall_tau_b", x, y)

    def kendall_tau_c(self, x: ArrayLike, y: ArrayLike) -> Result:
        return self._order("kendall_tau_c", x, y)

    def auroc(self, labels: ArrayLike, scores: ArrayLike) -> Result:
        return self._order("auroc", labels, scores)

    def balanced_accuracy(self, labels: ArrayLike, verdicts: ArrayLike) -> Result:
        return self._order("balanced_accuracy", labels, verdicts)

    def _order(self, statistic: str, x: ArrayLike, y: ArrayLike) -> Result:
        series = self.draw.finite(x, y)
        if isinstance(series, Undefined):
            return series
        if statistic in OF_CLASSES:
            binary(series[0])
        return self._compare(*series).jackknife(statistic).results(self.confidence)[0]

    def _compare(self, x: Floats, y: Floats) -> Comparison:
        """The statistics of the same two series share their counts."""
        known = self._known
        if known is None or not all(map(np.array_equal, known[:2], (x, y))):
            known = self._known = x, y, compare(self.draw.cluster, x, y)
        return known[2]

    # Pairwise accuracy

    def pairwise_accuracy(
        self,
        human: ArrayLike,
        metric: ArrayLike,
        epsilon: float = 0.0,
        *,
        groups: ArrayLike | None = None,
    ) -> Result:
        """At a given epsilon; with groups, each in one cluster, the mean over those that have a pair."""
        ties.check_epsilon(epsilon)
        series = self.draw.finite(human, metric)
        if isinstance(series, Undefined):
            return series
        if groups is not None:
            return self._by_group(series, groups).pairwise_accuracy(epsilon)[0]
        compared = self._compare(*series)
        return compared.accuracy_at(epsilon)[0] if epsilon else compared.pairwise_accuracy()[0]

    def pairwise_accuracy_calibrated(
        self, human: ArrayLike, metric: ArrayLike, *, groups: ArrayLike | None = None
    ) -> Result:
        """At the best epsilon of these data: a `CalibratedEstimate`."""
        series = self.draw.finite(human, metric)
        if isinstance(series, Undefined):
            return series
        if groups is not None:
            return self._by_group(series, groups).pairwise_accuracy_calibrated()[0]
        return self._compare(*series).pairwise_accuracy_calibrated()[0]

    def _by_group(self, series: tuple[Floats, ...], groups: ArrayLike) -> ByPrompt:
        codes, _ = group_codes(groups, self.draw.n)
        owner = np.zeros(int(codes.max()) + 1, np.int64)
        owner[codes] = self.draw.cluster
        if (owner[codes] != self.draw.cluster).any():
            raise ValueError("a group lies in several clusters: `intervals.bootstrap` draws these")
        compared = compare(self.draw.cluster, series[0], series[1], by_kind=False)
        return ByPrompt.within_rows(compared, codes[compared.cells.kind_of_cell])

    # Over generators

    def slope_per_year(
        self,
        human: ArrayLike,
        judge: ArrayLike,
        generators: ArrayLike,
        released: Mapping[Any, date | str | None],
        *,
        scale: float = 100.0,
    ) -> Result:
        """Points per year by which mean(human) - mean(judge) of a generator grows with its date.

        Images of generators without a release date are left out; `n` counts the others.
        """
        return self._interval(
            drift.resampled_slope(self.draw, human, judge, generators, released, scale=scale)
        )

    # Two at once

    def difference(
        self,
        statistic: str,
        first: Sequence[ArrayLike],
        second: Sequence[ArrayLike],
        **options: Any,
    ) -> Result:
        """What a statistic is on `first` less what it is on `second`, in the same resamples.

            draw.difference("auroc", (labels, judge_a), (labels, judge_b))

        `statistic` names one of STATISTICS.
        """
        find = _statistic(statistic)
        return self._difference(
            find(self.draw, *first, **options), lambda: find(self.draw, *second, **options)
        )

    def chance_of_none(
        self, statistic: str, first: Sequence[ArrayLike], second: Sequence[ArrayLike]
    ) -> float | Undefined:
        """The p-value of `difference`: the level at which its interval just touches 0, so that the two
        never say the contrary of one another."""
        find = _statistic(statistic)
        mine, theirs = find(self.draw, *first), find(self.draw, *second)
        if isinstance(mine, Undefined):
            return mine
        return (
            theirs if isinstance(theirs, Undefined) else self._p(_less(mine, theirs, self.draw.n))
        )

    def chance_of_equal_means(self, a: ArrayLike, b: ArrayLike) -> float | Undefined:
        """The same for `difference_of_means`."""
        return self._p(means.difference_of_means(self.draw, a, b))

    def change(
        self, statistic: str, series: Sequence[ArrayLike], since: ArrayLike, **options: Any
    ) -> Result:
        """What a statistic is where `since` is true less what it is elsewhere: a judge on the
        generators released since its own release, against the older ones."""
        (mask,) = same_length(since)
        self.draw.check_size(mask.size)
        after = mask.astype(bool)
        if after.all() or not after.any():
            return Undefined("every item is on one side", self.draw.n)
        find = _statistic(statistic)

        def resampled_side(side: np.ndarray) -> Resampled | Undefined:
            part = self.draw.part(side)
            found = find(part, *(np.asarray(values)[side] for values in series), **options)
            if isinstance(found, Undefined):
                return found
            return replace(found, voices=found.voices or np.unique(part.cluster).size)

        return self._difference(resampled_side(after), lambda: resampled_side(~after))

    def _difference(
        self, first: Resampled | Undefined, find_second: Callable[[], Resampled | Undefined]
    ) -> Result:
        if isinstance(first, Undefined):
            return first
        second = find_second()
        if isinstance(second, Undefined):
            return second
        return self._interval(_less(first, second, self.draw.n))

    def _interval(self, resampled: Resampled | Undefined) -> Result:
        if isinstance(resampled, Undefined):
            return resampled
        return self._intervals(resampled)(self.confidence)

    def _intervals(self, resampled: Resampled) -> Callable[[float], Result]:
        """The interval at each confidence; what it rests on is computed once."""
        point, limits, clusters = resampled.point, resampled.limits, self.draw.clusters
        if clusters < 2:
            one = Undefined("one prompt only: there is nothing to resample", point.n)
            return lambda confidence: one
        if reason := _too_few_rarer(resampled):
            alone = WithoutInterval(point.value, None, None, point.n, reason)
            return lambda confidence: alone
        if limits is not None:
            at = limits()
            return lambda confidence: _with_limits(point, *at(confidence))
        if not self._is_drawn(resampled):
            return self._leaving_out(resampled)
        assert resampled.content is not None
        drawn = cluster_counts(clusters, self.draw.resamples, self.draw.seed)
        counts = drawn[:, self.draw.by_content(resampled.content)]
        values = resampled.values(counts)
        return lambda confidence: interval(
            point, lambda _: values, counts, self.draw.n, "percentile", confidence
        )

    def _is_drawn(self, resampled: Resampled) -> bool:
        """Whether the interval comes from resamples, whose least share is 1 of them."""
        return resampled.content is not None and self.draw.clusters > MOST_LEFT_OUT

    def _leaving_out(self, resampled: Resampled) -> Callable[[float], Result]:
        without = self.draw.left_out
        if resampled.sides is None:
            left_out = resampled.values(without)
            return lambda confidence: _jackknifed(resampled, left_out, confidence)
        first, second = resampled.sides
        left = first.values(without), second.values(without)
        at = _side(first, left[0]), _side(second, left[1])

        def leave_out_result(confidence: float) -> Result:
            sides = at[0](confidence), at[1](confidence)
            return difference_jackknifed(resampled.point, sides, left)

        return leave_out_result

    def _p(self, resampled: Resampled | Undefined) -> float | Undefined:
        if isinstance(resampled, Undefined):
            return resampled
        least = 1 / self.draw.resamples if self._is_drawn(resampled) else LEAST_P
        return chance_of_none(self._intervals(resampled), least)


def chance_of_none(found: Callable[[float], Result], least: float = LEAST_P) -> float | Undefined:
    """The level at which an interval, found at any confidence, just touches 0."""
    without = found(0.95)
    if isinstance(without, Undefined):
        return without
    if isinstance(without, WithoutInterval):
        return Undefined(without.reason, without.n)

    def excess_beyond(deviate: float) -> float:
        """How far 0 lies within the interval; negative where it lies outside."""
        limits = found(1 - 2 * float(scipy.special.ndtr(-deviate)))
        if isinstance(limits, Undefined) or limits.low is None or limits.high is None:
            return math.nan
        return min(limits.high, -limits.low)

    narrow, wide = NARROWEST, -float(scipy.special.ndtri(least / 2))
    ends = excess_beyond(narrow), excess_beyond(wide)
    if math.isnan(sum(ends)):
        return Undefined("its interval does not say how sure it is", without.n)
    if ends[0] >= 0:
        return 1.0
    if ends[1] <= 0:
        return least
    # Along normal deviates an interval's ends are nearly straight lines: a few steps find the place.
    return 2 * float(
        scipy.special.ndtr(-scipy.optimize.brentq(excess_beyond, narrow, wide, xtol=NARROWEST))
    )


def _too_few_rarer(resampled: Resampled) -> str:
    """Why there is no interval; of a difference, because of either side."""
    for one in (resampled, *(resampled.sides or ())):
        if one.rarer is not None:
            found, clusters = one.rarer
            if reason := too_few_rarer(found, clusters, one.at_least):
                return reason
    return ""


def _statistic(name: str) -> Callable[..., Resampled | Undefined]:
    if name not in STATISTICS:
        raise ValueError(f"{name!r} is not a statistic of Resamples: {', '.join(STATISTICS)}")
    return STATISTICS[name]


def _with_limits(point: Estimate, low: float, high: float) -> Estimate:
    return replace(point, low=low, high=high)


def _jackknifed(resampled: Resampled, left_out: Floats, confidence: float) -> Result:
    kind = resampled.scale, resampled.reach
    return jackknifed(resampled.point, left_out, *kind, confidence, resampled.voices)


def _side(side: Resampled, left_out: Floats) -> Callable[[float], Estimate]:
    """One side of a difference with its own interval; without width where no prompt can change it."""
    at = side.limits() if side.limits is not None else None

    def find_estimate(confidence: float) -> Estimate:
        if at is not None:
            return _with_limits(side.point, *at(confidence))
        one = _jackknifed(side, left_out, confidence)
        if isinstance(one, Undefined):
            return replace(side.point, low=side.point.value, high=side.point.value)
        return one

    return find_estimate


def _less(first: Resampled, second: Resampled, n: int) -> Resampled:
    point = Estimate(first.point.value - second.point.value, None, None, n)
    return Resampled(
        point,
        lambda counts: first.values(counts) - second.values(counts),
        sides=(first, second),
    )
