"""Clusters in an order that follows from what they hold.

A resample draws the third cluster, a fold holds every fifth: with clusters in the order of their names,
other names would give other digits. In this order no name and no place in a file plays a part: two
clusters that hold the same change places without any effect.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.series import Codes, coded, group_codes

# As many items of a cluster are compared at once as fit in one number without a sign.
BITS = 62


def by_content(clusters: ArrayLike, *held: np.ndarray) -> Codes:
    """A number from 0 for the cluster of each item. `held` is everything that will be computed of
    the items: one value for each, or a table whose columns are the items and whose rows are people."""
    codes, size = group_codes(clusters, np.asarray(clusters).size, what="clusters")
    item, width = number_items(codes.size, *held)
    # By cluster, and within it by size: as one number, which needs no table of places.
    listed = codes * width
    listed += item
    del item
    listed.sort()
    listed %= width
    ends = np.cumsum(np.bincount(codes, minlength=size))
    number = np.empty(size, dtype=np.int64)
    number[np.argsort(_places(listed, ends, width), kind="stable")] = np.arange(size)
    return number[codes]


def number_items(size: int, *held: np.ndarray) -> tuple[Codes, int]:
    """A number for each of so many items that follows from what they hold, and how many numbers there
    are. Numbers stand for what they were found from: with these in its place the order is the same."""
    item, width = np.zeros(size, dtype=np.int64), 1
    for series in held:
        # Of what people say, who answered what is no content.
        for values in np.sort(series, axis=0) if series.ndim == 2 else series[None, :]:
            distinct, place = coded(values)
            item *= max(distinct.size, 1)
            item += place
            del place
            kinds, item = coded(item)
            width = max(kinds.size, 1)
    return item, width


def _places(listed: Codes, ends: Codes, width: int) -> Codes:
    """How many lists come before each one, in the order of their first items, then of their second …; what
    has ended comes before what goes on."""
    at = np.r_[0, ends[:-1]]
    place, tied = np.zeros(ends.size, np.int64), np.arange(ends.size)
    step = max(1, BITS // int(width + 1).bit_length())
    while tied.size:
        key = np.zeros(tied.size, np.int64)
        for next_one in range(step):
            here = at[tied] + next_one
            there = here < ends[tied]
            said = np.where(there, listed[np.minimum(here, listed.size - 1)] + 1, 0)
            key = key * (width + 1) + said
        order = np.lexsort((key, place[tied]))
        tied, key = tied[order], key[order]
        group = place[tied]
        new_group = np.r_[True, group[1:] != group[:-1]]
        new = np.flatnonzero(new_group | np.r_[True, key[1:] != key[:-1]])
        lengths = np.diff(np.r_[new, tied.size])
        first = np.flatnonzero(new_group)
        of_group = np.repeat(first, np.diff(np.r_[first, tied.size]))
        place[tied] = group + np.repeat(new, lengths) - of_group
        # Whose last place is empty has ended, and so have all that are like it.
        again = np.repeat(lengths > 1, lengths) & there[order]
        tied = tied[again]
        at[tied] += step
    return place
