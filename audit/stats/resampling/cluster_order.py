"""Clusters in an order that follows from what they hold.

A resample draws the third cluster, a fold holds every fifth: with clusters in the order of their names,
other names would give other digits. In this order no name and no place in a file plays a part: two
clusters that hold the same change places without any effect.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.series import Codes, group_codes


def by_content(clusters: ArrayLike, *held: np.ndarray) -> Codes:
    """A number from 0 for the cluster of each item. `held` is everything that will be asked of the
    items: one value for each, or a table whose columns are the items and whose rows are people."""
    codes, size = group_codes(clusters, np.asarray(clusters).size, what="clusters")
    item = np.zeros(codes.size, dtype=np.int64)
    for series in held:
        # Of what people say, who said what is no content.
        for values in np.sort(series, axis=0) if series.ndim == 2 else series[None, :]:
            distinct, place = np.unique(values, return_inverse=True)
            item = np.unique(item * max(distinct.size, 1) + place, return_inverse=True)[1]
    order = np.lexsort((item, codes))
    ends = np.searchsorted(codes[order], np.arange(size + 1)).tolist()
    # The bytes of such numbers sort as the numbers do.
    listed = item[order].astype(">i8")
    content = [listed[first:last].tobytes() for first, last in pairwise(ends)]
    number = np.empty(size, dtype=np.int64)
    number[sorted(range(size), key=content.__getitem__)] = np.arange(size)
    return number[codes]
