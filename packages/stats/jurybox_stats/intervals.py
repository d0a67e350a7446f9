"""Intervals by drawing whole clusters, the plain way that works for any statistic.

`bootstrap` copies the data and calls the statistic once for each resample. `resamples.Resamples`
is the fast way for the statistics of this package: it draws the same clusters for the same seed
and gives the same intervals from the counts of that draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Result
from jurybox_stats.resampling.cluster_counts import cluster_counts
from jurybox_stats.resampling.percentiles import interval, plain
from jurybox_stats.resampling.small_samples import MOST_LEFT_OUT, Scale, jackknifed
from jurybox_stats.series import Floats, group_codes


def bootstrap(
    statistic: Callable[..., Result | float],
    series: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    *,
    clusters: ArrayLike,
    resamples: int = 2000,
    seed: int = 0,
    method: str = "percentile",
    confidence: float = 0.95,
    scale: Scale = "plain",
    reach: float = 1.0,
) -> Result:
    """`statistic(*series)` (or `**series`) with the interval of a cluster bootstrap.

    Efron & Tibshirani 1993, ch. 13 (percentile) and 14.3 (BCa); clusters: Field & Welsh 2007,
    J. R. Stat. Soc. B 69:369. With method "jackknife" and few clusters, as `Resamples` has it, on
    the scale named; `reach` is how far the statistic falls from its end when all clusters go wrong.
    """
    named = series if isinstance(series, Mapping) else None
    arrays = [np.asarray(a) for a in (named.values() if named is not None else series)]
    if not arrays:
        raise ValueError("no series to resample")
    n = arrays[0].shape[-1]
    if any(a.shape[-1] != n for a in arrays):
        raise ValueError("the series differ in length")
    codes, size = group_codes(clusters, n, what="clusters")
    if size == 0:
        raise ValueError("there must be at least one cluster")

    def value(index: np.ndarray) -> Result | float:
        drawn = [a[..., index] for a in arrays]
        if named is not None:
            return statistic(**dict(zip(named, drawn, strict=True)))
        return statistic(*drawn)

    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    counts = cluster_counts(size, resamples, seed)

    def values(table: Floats) -> Floats:
        drawn = np.full(table.shape[0], np.nan)
        for row, count in enumerate(table.astype(np.int64)):
            index = np.concatenate([np.tile(members[g], count[g]) for g in np.flatnonzero(count)])
            drawn[row] = plain(value(index))
        return drawn

    point = value(np.arange(n))
    if method == "jackknife" and 1 < size <= MOST_LEFT_OUT and isinstance(point, Estimate):
        return jackknifed(point, values(1.0 - np.eye(size)), scale, reach, confidence)
    return interval(point, values, counts, n, method, confidence)
