"""A median, with an interval that draws whole clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.cluster_counts import in_parts
from jurybox_stats.series import Floats, finite, group_codes, same_length


def median(x: ArrayLike, clusters: ArrayLike, *, resamples: int, seed: int) -> Result:
    """The middle value, or the mean of both middle ones; its interval is that of the percentiles 2.5
    and 97.5 of its resamples (Efron 1979), since a jackknife of a median tends to nothing
    meaningful. Undefined without a value, and for one cluster."""
    (values,) = same_length(x)
    checked = finite(values)
    if isinstance(checked, Undefined):
        return checked
    (values,) = checked
    codes, n_clusters = group_codes(clusters, values.size, what="clusters")
    if n_clusters < 2:
        return Undefined("one prompt only: there is nothing to resample", values.size)
    order = np.argsort(values, kind="stable")
    values, codes = values[order], codes[order]
    drawn = [
        _weighted_median(values, counts[codes])
        for part in in_parts(n_clusters, resamples, seed)
        for counts in part
    ]
    value = float(np.median(values))
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Estimate(value, min(float(low), value), max(float(high), value), values.size)


def _weighted_median(ascending: Floats, weights: Floats) -> float:
    """Of values that each stand as often as their weight says."""
    reached = np.cumsum(weights)
    half = reached[-1] / 2
    lower, upper = (
        np.searchsorted(reached, half, side="left"),
        np.searchsorted(reached, half, side="right"),
    )
    return float((ascending[lower] + ascending[upper]) / 2)
