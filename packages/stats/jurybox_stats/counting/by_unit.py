"""How often each value was given to each unit of a table raters x units: all that a measure of agreement
needs to know where who answered what does not matter, and as small as the units where values are few."""

from __future__ import annotations

import numpy as np

from jurybox_stats.series import Codes, Floats

# With more values than this the answers themselves are the smaller table.
FEW = 64


def values_of(table: Floats) -> Floats:
    """The distinct values, ascending."""
    found = [np.unique(row) for row in table]
    values = np.unique(np.concatenate(found)) if found else np.zeros(0)
    return values[~np.isnan(values)]


def by_unit(table: Floats, values: Floats) -> Codes:
    """Units x values. `values` are those of the table, or more."""
    units, width = table.shape[1], values.size + 1
    held = np.zeros(units * width, np.int64)
    first = np.arange(units) * width
    for row in table:
        # What is missing sorts behind all values, into a column of its own.
        held[first + np.searchsorted(values, row)] += 1
    return held.reshape(units, width)[:, :-1]
