"""Intervals by drawing whole clusters: the plain way for any statistic, the fast way for ours.

`bootstrap` copies data and calls the statistic once for each resample: anything works, slowly.
`Resamples` draws once and gives every statistic of this package from the counts of that draw:

    draw = Resamples(prompt_of_each_image, resamples=2000, seed=0)
    draw.auroc(labels, scores), draw.cohen_kappa(people, verdicts)

Both draw the same clusters for the same seed, so they give the same intervals, and one draw
serves all judges of a slice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.estimate import Result
from audit.stats.resamples import Resamples
from audit.stats.resampling.cluster_counts import cluster_counts
from audit.stats.resampling.percentiles import interval, plain
from audit.stats.series import Floats, group_codes

__all__ = ["Resamples", "bootstrap"]


def bootstrap(
    statistic: Callable[..., Result | float],
    series: Sequence[ArrayLike] | Mapping[str, ArrayLike],
    *,
    clusters: ArrayLike,
    resamples: int = 2000,
    seed: int = 0,
    method: str = "percentile",
    confidence: float = 0.95,
) -> Result:
    """`statistic(*series)` (or `**series`) with the interval of a cluster bootstrap.

    Efron & Tibshirani 1993, ch. 13 (percentile) and 14.3 (BCa); clusters: Field & Welsh 2007,
    J. R. Stat. Soc. B 69:369.
    """
    named = isinstance(series, Mapping)
    arrays = [np.asarray(a) for a in (series.values() if named else series)]
    if not arrays:
        raise ValueError("no series to resample")
    n = arrays[0].shape[-1]
    if any(a.shape[-1] != n for a in arrays):
        raise ValueError("the series differ in length")
    codes, size = group_codes(clusters, n, what="clusters")
    if size == 0:
        raise ValueError("there must be at least one cluster")

    def value(index) -> Result | float:
        drawn = [a[..., index] for a in arrays]
        return statistic(**dict(zip(series, drawn, strict=True))) if named else statistic(*drawn)

    members = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])
    counts = cluster_counts(size, resamples, seed)

    def values(table: Floats) -> Floats:
        found = np.full(table.shape[0], np.nan)
        for row, count in enumerate(table.astype(np.int64)):
            index = np.concatenate([np.tile(members[g], count[g]) for g in np.flatnonzero(count)])
            found[row] = plain(value(index))
        return found

    return interval(value(np.arange(n)), values, counts, n, method, confidence)
