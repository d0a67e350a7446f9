"""Spearman's sum of rank products without each cluster in turn, counted once for all of them.

Let R and S be an item's places in x and among the levels: how many items stand below it, and half of
those beside it, itself included. Without cluster g they are R - r and S - s, r and s counted within g
alone, and over the items that stay

    sum (R - r)(S - s) = sum R S - sum R s - sum r S + sum r s,   less the same over g's own items.
"""

from __future__ import annotations

import numpy as np

from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw
from jurybox_stats.resampling.exact_sums import by_group
from jurybox_stats.series import Codes, Floats

# Cells of the table of items by levels that is held at once.
CELLS = 4_000_000


def without_each(draw: Draw, x: Floats, levels: Codes) -> Floats:
    """sum of (R - mean)(S - mean) over the items of all clusters but one."""
    cluster, clusters = draw.cluster, draw.clusters
    codes = draw.dense(x)
    places, ranks = _places(codes), _places(levels)
    crossed = by_group(_weights_above(levels, places), cluster, clusters)
    crossed += by_group(_weights_above(codes, ranks), cluster, clusters)
    both = _both(draw, codes, levels)
    own = (places - _places_within(codes, draw)) * (ranks - _places_within(levels, draw))
    total = float((places * ranks).sum()) - crossed + both - by_group(own, cluster, clusters)
    size = draw.n - draw.sizes()
    without: Floats = total - size**3 / 4
    return without


def count_by_kind(draw: Draw, counts: Counts, x: Floats, levels: Codes) -> Floats:
    """The same on any resample, of items of few kinds."""
    codes = draw.dense(x)
    size = counts @ draw.sizes()
    held = draw.summed(counts, draw.by_class(np.arange(codes.size), codes.size))
    for series in (codes, levels):
        there = draw.summed(counts, draw.by_class(series, int(series.max()) + 1))
        held *= (np.cumsum(there, axis=1) - there / 2)[:, series]
    products: Floats = held.sum(axis=1) - size**3 / 4
    return products


def _places(codes: Codes) -> Floats:
    held = np.bincount(codes).astype(np.float64)
    return (np.cumsum(held) - held / 2)[codes]


def _places_within(codes: Codes, draw: Draw) -> Floats:
    """The same among the items of an item's own cluster."""
    depth = int(codes.max()) + 1
    key, inverse, held = np.unique(
        draw.cluster * depth + codes, return_inverse=True, return_counts=True
    )
    upto = np.cumsum(held) - held / 2
    first = np.searchsorted(key, np.arange(draw.clusters) * depth)
    before = np.r_[0, np.cumsum(held)][first]
    places: Floats = (upto - before[key // depth])[inverse]
    return places


def _weights_above(codes: Codes, weights: Floats) -> Floats:
    """For each item the weights of those above it, and half of those beside it."""
    held = np.bincount(codes, weights=weights)
    return (held.sum() - np.cumsum(held) + held / 2)[codes]


def _both(draw: Draw, codes: Codes, levels: Codes) -> Floats:
    """sum r s over all items, for each cluster: level by level, s is the same for all items."""
    depth, width = int(levels.max()) + 1, int(codes.max()) + 1
    # Of each cluster, its items below a level and half of those on it.
    held = draw.by_class(levels, depth)
    s = np.cumsum(held, axis=1) - held / 2
    total = np.zeros(draw.clusters)
    step = max(1, CELLS // (width + draw.n))
    for first in range(0, depth, step):
        last = min(first + step, depth)
        inside = (levels >= first) & (levels < last)
        cell = (levels[inside] - first) * width + codes[inside]
        there = np.bincount(cell, minlength=(last - first) * width).reshape(-1, width)
        # What an item adds to the places of all items of a level: those above it, half of those beside.
        above = there.sum(axis=1, keepdims=True) - np.cumsum(there, axis=1) + there / 2
        for row, level in enumerate(range(first, last)):
            total += s[:, level] * by_group(above[row][codes], draw.cluster, draw.clusters)
    return total
