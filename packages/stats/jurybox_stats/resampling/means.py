"""Means, their difference and ratios on the data and on every resample."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.resampling import exact_sums
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import ratio, weighted
from jurybox_stats.resampling.small_samples import (
    Limits,
    LimitsAt,
    difference_limits,
    limits_of_share,
    mean_limits,
)
from jurybox_stats.series import Floats


def mean(
    draw: Draw, x: ArrayLike, *, scale: float = 1.0, ends: Limits | None = None
) -> Resampled | Undefined:
    series = draw.finite(x)
    if isinstance(series, Undefined):
        return series
    (values,) = series
    sums = draw.by_cluster(values, np.ones(draw.n))

    def resampled(counts: Counts) -> Floats:
        total, size = weighted(counts, sums).T
        return total / size * scale

    def limits() -> LimitsAt:
        return _scaled(mean_limits(values, draw.cluster, draw.clusters, ends), scale)

    point = Estimate(exact_sums.mean(values) * scale, None, None, draw.n)
    return Resampled(point, resampled, limits=limits)


def _scaled(limits: LimitsAt, scale: float) -> LimitsAt:
    def times(confidence: float) -> Limits:
        low, high = limits(confidence)
        return low * scale, high * scale

    return times


def difference_of_means(
    draw: Draw, a: ArrayLike, b: ArrayLike, *, scale: float = 1.0
) -> Resampled | Undefined:
    series = draw.finite(a, b)
    if isinstance(series, Undefined):
        return series
    first, second = series
    value = (exact_sums.mean(first) - exact_sums.mean(second)) * scale
    sums = draw.by_cluster(first, second, np.ones(draw.n))

    def resampled(counts: Counts) -> Floats:
        total_a, total_b, size = weighted(counts, sums).T
        return (total_a - total_b) / size * scale

    def limits() -> LimitsAt:
        return _scaled(difference_limits(first, second, draw.cluster, draw.clusters), scale)

    return Resampled(Estimate(value, None, None, draw.n), resampled, limits=limits)


def ratio_of_sums(draw: Draw, over: ArrayLike, under: ArrayLike) -> Resampled | Undefined:
    series = draw.finite(over, under)
    if isinstance(series, Undefined):
        return series
    counted, asked = series
    if asked.min() < 0:
        raise ValueError("a share is counted out of 0 or more")
    n = int((asked > 0).sum())
    if n == 0:
        return Undefined("nothing was counted", 0)
    point = Estimate(exact_sums.total(counted) / exact_sums.total(asked), None, None, n)
    return share(draw, point, counted, asked)


def share(draw: Draw, point: Estimate, hit: np.ndarray, asked: np.ndarray) -> Resampled:
    """The share of hits among all questions, both counted item by item."""
    draw.check_size(hit.size)
    sums = draw.by_cluster(hit.astype(np.float64), asked.astype(np.float64))

    def resampled(counts: Counts) -> Floats:
        hits, all_asked = weighted(counts, sums).T
        return ratio(hits, all_asked)

    def limits() -> LimitsAt:
        return limits_of_share(*sums.T)

    return Resampled(point, resampled, "share", limits=limits)
