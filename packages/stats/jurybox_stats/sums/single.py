"""One slice: the statistics of `statistics` for a draw of clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.resampling.cluster_counts import Counts, LeftOut
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.series import Codes, Floats, group_codes
from jurybox_stats.sums.cells import Cells, Members, find_kinds
from jurybox_stats.sums.statistics import Comparison


def compare(clusters: Codes, x: Floats, y: Floats, *, by_kind: bool = True) -> Comparison:
    """Two series of the same items; `by_kind`: clusters that hold the same are one row."""
    codes, _ = group_codes(clusters, x.size, what="clusters")
    members = Members.from_slices(codes, [np.arange(x.size)])
    columns = x, y
    kinds = find_kinds(*columns) if by_kind else None
    cells = Cells.from_members(members, columns, np.ones(x.size, dtype=bool), kinds)
    return Comparison(cells, cells.values(0), cells.values(1))


def resampled(draw: Draw, statistic: str, x: ArrayLike, y: ArrayLike) -> Resampled | Undefined:
    """A statistic of an order without each cluster of the draw, also without those that have no item."""
    series = draw.finite(x, y)
    if isinstance(series, Undefined):
        return series
    compared = compare(draw.cluster, *series)
    jackknife = compared.jackknife(statistic)
    if jackknife.why[0]:
        return Undefined(jackknife.why[0], draw.n)
    result, value = jackknife.left_out, float(jackknife.left_out.value[0])
    held = np.unique(draw.cluster)
    without = np.full(draw.clusters, value)
    without[held] = result.without[compared.cells.merged]

    def values(counts: Counts) -> Floats:
        return without if isinstance(counts, LeftOut) else np.array([value])

    return Resampled(
        Estimate(value, None, None, draw.n),
        values,
        result.scale,
        float(np.broadcast_to(result.reach, 1)[0]),
        voices=0 if result.voices is None else int(result.voices[0]),
        rarer=None if result.rarer is None else (int(result.rarer[0]), held.size),
        at_least=result.at_least,
    )
