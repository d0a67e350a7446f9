"""Pairs counted between clusters, so that a resample is one product of a table with its counts.

Where a statistic counts pairs, a resample that holds cluster g c_g times has

    sum_gh  c_g M_gh c_h

of them, M_gh the pairs with one item in g and the other in h. M is built once; all resamples are
then one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from jurybox_stats.counting.pairs import first_closer
from jurybox_stats.series import Codes, Floats

# Seconds per multiply-add of a matrix product, per listed pair, and per level of an item that is
# walked: only their ratios matter.
PRODUCT, LISTED, WALKED = 2e-11, 1e-8, 1e-8


def right_pairs(
    clusters: Codes, size: int, x: Floats, levels: Codes, epsilon: float | None = None
) -> np.ndarray:
    """M for the pairs that x orders as the levels do; size x size, exact, float32 or float64.

    With epsilon: concordant pairs further apart than epsilon, and pairs of one level that are not
    (the right decisions of the pairwise accuracy). Without: all concordant pairs.

    Items stand in the order of x, cut into blocks of whole values. Two blocks that are surely
    near or surely far need only their counts by cluster and level (a matrix product), and so does
    a block of one value; items of blocks that are neither are compared one by one.
    """
    order = np.lexsort((levels, x))
    x, levels, clusters = x[order], levels[order], clusters[order]
    n, depth = x.size, int(levels.max()) + 1
    block = _blocks(x, depth, size, wide=3 if epsilon else 1)
    starts = np.flatnonzero(np.r_[True, block[1:] != block[:-1]])
    ends = np.r_[starts[1:], n]
    single = x[starts] == x[ends - 1]
    far, near = _reach(x, starts, ends, epsilon)

    blocks = starts.size
    # No entry can exceed the square of the largest cluster: where float32 holds it, so be it.
    kind = np.float32 if int(np.bincount(clusters).max()) ** 2 < 2**22 else np.float64
    cell = (clusters * depth + levels) * blocks + block
    flat = np.bincount(cell, minlength=size * blocks * depth).astype(kind)
    table: np.ndarray = flat.reshape(size, depth, blocks)
    upto = np.zeros((size, depth, blocks + 1), kind)
    np.cumsum(table, axis=2, out=upto[:, :, 1:])
    # Nothing is lower than the lowest level.
    lower = upto[:, :-1].copy()
    for level in range(1, depth - 1):
        lower[:, level] += lower[:, level - 1]
    if epsilon is None:
        partners, asking = lower[:, :, :blocks], table[:, 1:]
    else:
        # Half, since every pair within a block of one value comes from both of its ends.
        near_ones = upto[:, :, :blocks] - upto[:, :, near]
        near_ones[:, :, single] += table[:, :, single] / 2
        near_ones[:, 1:] += lower[:, :, far]
        partners, asking = near_ones, table
    matrix = (partners.reshape(size, -1) @ asking.reshape(size, -1).T).astype(np.float64)
    if epsilon is not None:
        matrix[np.diag_indices(size)] -= np.bincount(clusters[single[block]], minlength=size) / 2
    matrix += _pairs_within(
        x, levels, clusters, size, np.where(single, starts, ends)[block], epsilon
    )
    if epsilon:
        matrix += _pairs_between(
            x, levels, clusters, size, starts[far][block], starts[near][block], epsilon
        )
    largest = float(matrix.max(initial=0))
    return matrix.astype(np.float32) if largest < 2**24 else matrix


def _blocks(x: Floats, depth: int, size: int, wide: int) -> Codes:
    """Which block each item is in: whole runs of equal x, about as many as costs least."""
    n = x.size
    best = n * np.sqrt(wide * LISTED / (2 * depth * size * size * PRODUCT))
    blocks = int(np.clip(best, 1, 4_000_000 // (size * depth) + 1))
    width = max(1, n // blocks)
    run = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])
    length = np.diff(np.r_[run, n])
    alone = length > width
    rough = run // width
    cut = (rough[1:] != rough[:-1]) | alone[1:] | alone[:-1]
    return np.repeat(np.cumsum(np.r_[0, cut]), length)


def _reach(x: Floats, starts: Codes, ends: Codes, epsilon: float | None) -> tuple[Codes, Codes]:
    """For each block: blocks before far[b] are surely far, from near[b] to b (b left out) near."""
    here = np.arange(starts.size)
    if epsilon is None:
        return here, here
    first, last = x[starts], x[ends - 1]
    far = _count(last, lambda a: first - a > epsilon, first - epsilon)
    near = _count(first, lambda a: last - a > epsilon, last - epsilon)
    return np.minimum(far, here), np.minimum(near, here)


def _count(ordered: Floats, beyond: Callable[[Floats], NDArray[np.bool_]], guess: Floats) -> Codes:
    """How many of the ascending values are beyond, each decided by the float difference itself."""
    count = np.searchsorted(ordered, guess)
    padded = np.r_[ordered, np.inf]
    while True:
        more = (count < ordered.size) & beyond(padded[count])
        less = (count > 0) & ~beyond(ordered[np.maximum(count - 1, 0)])
        if not (more.any() or less.any()):
            return count
        count = count + more - (less & ~more)


def _right(
    x: Floats, levels: Codes, i: Codes | slice, j: Codes | slice, epsilon: float | None
) -> NDArray[np.bool_]:
    """Whether the pairs i before j, in the order of x, are decided rightly."""
    right = (levels[i] < levels[j]) & (x[i] < x[j])
    if epsilon is not None:
        close = x[j] - x[i] <= epsilon
        right = (right & ~close) | (close & (levels[i] == levels[j]))
    return right


def _pairs_within(
    x: Floats, levels: Codes, clusters: Codes, size: int, ends: Codes, epsilon: float | None
) -> Floats:
    """The pairs of each block with itself, one step further apart at a time."""
    keys = []
    place = np.arange(x.size)
    reach = ends - place
    flat = np.zeros(size * size)
    held = 0
    for step in range(1, int(reach.max(initial=0))):
        asking = np.flatnonzero(reach > step)
        if 2 * asking.size > x.size:
            i, j = slice(None, -step), slice(step, None)
            chosen = np.flatnonzero(_right(x, levels, i, j, epsilon) & (reach[i] > step))
        else:
            chosen = asking[_right(x, levels, asking, asking + step, epsilon)]
        keys.append(clusters[chosen] * size + clusters[chosen + step])
        held += chosen.size
        if held > 4_000_000:
            flat += np.bincount(np.concatenate(keys), minlength=size * size)
            keys, held = [], 0
    if keys:
        flat += np.bincount(np.concatenate(keys), minlength=size * size)
    return flat.reshape(size, size)


def _pairs_between(
    x: Floats,
    levels: Codes,
    clusters: Codes,
    size: int,
    low: Codes,
    high: Codes,
    epsilon: float | None,
) -> Floats:
    """Each item with those from low to high: blocks that are neither near nor far."""
    n = x.size
    flat = np.zeros(size * size)
    width = np.maximum(high - low, 0)
    total = np.cumsum(width)
    first = 0
    while first < n:
        done = total[first - 1] if first else 0
        stop = max(first + 1, int(np.searchsorted(total, done + 500_000, side="right")))
        count = width[first:stop]
        j = np.repeat(np.arange(first, stop), count)
        i = np.arange(j.size) + np.repeat(low[first:stop] - (np.cumsum(count) - count), count)
        right = _right(x, levels, i, j, epsilon)
        key = clusters[i[right]] * size + clusters[j[right]]
        flat += np.bincount(key, minlength=size * size)
        first = stop
    return flat.reshape(size, size)


def scan(
    counts: Floats, clusters: Codes, x: Floats, levels: Codes, epsilon: float | None = None
) -> Floats:
    """The same counts straight from the items' weights in each resample, O(n k) for each.

    For many small clusters, where a table of clusters by clusters would be larger than the data.
    """
    order = np.lexsort((levels, x))
    x, levels = x[order], levels[order]
    run = np.maximum.accumulate(np.where(np.r_[True, x[1:] != x[:-1]], np.arange(x.size), 0))
    low = run
    if epsilon is not None:
        starts = np.unique(run)
        nearest = first_closer(x[starts], float(np.nextafter(epsilon, np.inf)))
        low = starts[nearest][np.searchsorted(starts, run)]
    right = np.zeros(counts.shape[0])
    rows = max(1, 2_000_000 // x.size)
    for first in range(0, counts.shape[0], rows):
        part = counts[first : first + rows, clusters[order]].T
        for level in range(int(levels.max()) + 1):
            mine = np.flatnonzero(levels == level)
            if mine.size == 0:
                continue
            if level:
                # Of the weights of lower levels alone: few where most items are at the highest.
                lower = np.flatnonzero(levels < level)
                below = np.vstack([np.zeros(part.shape[1]), np.cumsum(part[lower], axis=0)])
                gain = below[np.searchsorted(lower, low[mine])]
            elif epsilon is None:
                continue
            else:
                gain = np.zeros((mine.size, part.shape[1]))
            if epsilon is not None:
                held = part[mine]
                same = np.vstack([np.zeros(part.shape[1]), np.cumsum(held, axis=0)])
                gain += same[:-1] - same[np.searchsorted(mine, low[mine])]
            right[first : first + rows] += (part[mine] * gain).sum(axis=0)
    return right
