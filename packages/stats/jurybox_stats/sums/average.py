"""Slices of whole clusters against the average over all items, which holds them, too.

What each cluster adds to the one less what it adds to the other gives the error of their difference: the same as
`own_average` finds for one slice.
"""

from __future__ import annotations

import numpy as np

from jurybox_stats.over_time.courses import Change
from jurybox_stats.resampling.small_samples import ROUNDING
from jurybox_stats.series import Floats
from jurybox_stats.sums.cells import Cells
from jurybox_stats.sums.order import Order


def mean_changes(cells: Cells, values: Floats) -> list[Change | None]:
    """The mean of each slice less that of the first, which holds everything."""
    means = cells.by_slice(values) / np.maximum(cells.n, 1)
    pulls = (values - means[cells.slice]) / np.maximum(cells.n, 1)[cells.slice]
    return _changes(cells, means, pulls)


def order_changes(cells: Cells, order: Order) -> list[Change | None]:
    """The same of the share of pairs in people's order, who are the first series; None where they never
    differ."""
    alike = order.first.in_slice.size[order.first.in_slice.of_cell]
    tied = order.second.in_slice.size[order.second.in_slice.of_cell]
    both = order.both.in_slice.size[order.both.in_slice.of_cell]
    right, asked = order.partners + (tied - both) / 2, cells.n[cells.slice] - alike
    total = cells.by_slice(asked)
    values = cells.by_slice(right) / np.where(total > 0, total, np.nan)
    pulls = 2 * (right - values[cells.slice] * asked) / total[cells.slice]
    return _changes(cells, values, pulls)


def _changes(cells: Cells, values: Floats, pulls: Floats) -> list[Change | None]:
    # What the items of a row pull at the average is known from their kind.
    first = cells.slice == 0
    of_kind = np.zeros(int(cells.kind_of_cell.max(initial=-1)) + 1)
    of_kind[cells.kind_of_cell[first]] = pulls[first]
    mine = cells.by_row(np.nan_to_num(pulls))
    average = cells.by_row(np.nan_to_num(of_kind[cells.kind_of_cell]))
    outside = cells.total(average**2)
    spread = cells.total((mine - average) ** 2) + outside[:1] - outside
    held = cells.clusters
    errors = np.sqrt(np.maximum(spread, 0.0) * held / np.maximum(held - 1, 1))
    # Where all deviate alike only rounding is left, and no spread.
    least = ROUNDING * max(1.0, abs(float(values[0])))
    columns = (values - values[:1], errors, held, cells.n)
    return [
        Change(value, error, int(clusters) - 1, int(n))
        if clusters > 1 and error > least and 0 < n < cells.n[0] and not np.isnan(value)
        else None
        for value, error, clusters, n in zip(*(c.tolist() for c in columns), strict=True)
    ]
