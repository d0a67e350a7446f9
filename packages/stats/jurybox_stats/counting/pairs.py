"""How all the pairs of items fall: concordant, discordant, tied, near; counted, never listed.

Every rank statistic of this package is a ratio of these integers, so they are exact: n(n-1)/2
pairs in O(n log n) time and O(n) memory.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jurybox_stats.series import Codes, Floats, coded


@dataclass(frozen=True, slots=True)
class PairCounts:
    """Pairs i < j of one data set. `tied_x` and `tied_y` both include `tied_both`."""

    total: int
    concordant: int
    discordant: int
    tied_x: int
    tied_y: int
    tied_both: int


def count(x: Floats, y: Floats) -> PairCounts:
    """Count the pairs by the signs of their differences in x and in y.

    In the order of x, concordant pairs are the ascents of y (Knight 1966, JASA 61:436); items
    that share x stand in descending y, so that they make no ascent.
    """
    x_codes, y_codes = dense(x), dense(y)
    order = np.lexsort((-y_codes, x_codes))
    n = x.size
    total = n * (n - 1) // 2
    tied_x, tied_y = tied(x_codes), tied(y_codes)
    tied_both = tied(x_codes * (int(y_codes.max(initial=0)) + 1) + y_codes)
    concordant = ascents(y_codes[order])
    discordant = total - tied_x - tied_y + tied_both - concordant
    return PairCounts(total, concordant, discordant, tied_x, tied_y, tied_both)


def dense(values: np.ndarray) -> Codes:
    """Each value's place among the distinct values, from 0."""
    return coded(values)[1]


def tied(codes: Codes) -> int:
    """Pairs of equal codes."""
    _, sizes = np.unique(codes, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


def ascents(codes: Codes, later: NDArray[np.bool_] | None = None) -> int:
    """Pairs i < j with codes[i] < codes[j]; with `later`, only i where it is False, j where True.

    Two codes differ first at one bit, counted from the top; the pair ascends when the earlier
    has a 0 there. One stable partition per bit: O(n log k) for codes below k, no sort.
    """
    total = 0
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        # Items with equal higher bits lie side by side, in their first order.
        ones = ((codes >> bit) & 1).astype(bool)
        prefix = codes >> (bit + 1)
        start = np.flatnonzero(np.r_[True, prefix[1:] != prefix[:-1]])
        size = np.diff(np.r_[start, codes.size])
        zeros_before = np.cumsum(~ones) - ~ones
        in_group = zeros_before - np.repeat(zeros_before[start], size)
        if later is None:
            total += int(in_group[ones].sum())
        else:
            seen = np.cumsum(~later & ~ones)
            total += int((seen - np.repeat(np.r_[0, seen][start], size))[ones & later].sum())
        if bit == 0:
            break
        zeros = np.add.reduceat(~ones, start, dtype=np.int64)
        begin = np.repeat(start, size)
        after_zeros = np.repeat(start + zeros, size) + np.arange(codes.size) - begin - in_group
        place = np.where(ones, after_zeros, begin + in_group)
        order = np.empty_like(place)
        order[place] = np.arange(codes.size)
        codes = codes[order]
        later = None if later is None else later[order]
    return total


def gap(upper: Floats, lower: Floats, decimals: int | None = None) -> Floats:
    """upper - lower as it is compared: the float difference, or that rounded to some places."""
    difference = upper - lower
    return difference if decimals is None else np.round(difference, decimals)


def first_closer(values: Floats, bound: float, decimals: int | None = None) -> Codes:
    """For each of some ascending values v, the first u with gap(v, u) < bound; v + 1 if none.

    The gap is the one that floating point gives, since that is what anybody who compares pair by
    pair would see; a search for `v - bound` can be off by the last bit and is put right.
    """
    here = np.arange(values.size)
    if bound <= 0:
        return here + 1
    if decimals is not None:
        return _first_closer_by_halving(values, bound, decimals)
    low = np.minimum(np.searchsorted(values, values - bound), here)
    moving = here
    while moving.size:
        at = low[moving]
        wider = (at > 0) & (values[moving] - values[np.maximum(at - 1, 0)] < bound)
        moving = moving[wider]
        low[moving] -= 1
    moving = here
    while moving.size:
        moving = moving[values[moving] - values[low[moving]] >= bound]
        low[moving] += 1
    return low


def _first_closer_by_halving(values: Floats, bound: float, decimals: int) -> Codes:
    low, high = np.zeros(values.size, np.int64), np.arange(values.size)
    while (low < high).any():
        middle = (low + high) // 2
        closer = gap(values, values[middle], decimals) < bound
        low, high = np.where(closer, low, middle + 1), np.where(closer, middle, high)
    return low


def closer(x: Floats, levels: Codes, bound: float, decimals: int | None = None) -> tuple[int, int]:
    """Among the pairs with gap < bound: those of one level, and the concordant ones.

    O(n log k) for k levels: in the order of x the near ones of j are a window that ends at j, and
    what lies before the window is taken off the count of all.
    """
    order = np.lexsort((-levels, x))
    values, sizes = np.unique(x, return_counts=True)
    start = np.cumsum(sizes) - sizes
    level = levels[order]
    low = np.repeat(start[first_closer(values, bound, decimals)], sizes)
    n = x.size
    place = np.arange(n)
    by_level = np.sort(level * n + place)
    position = np.empty(n, np.int64)
    position[by_level % n] = place
    tied_near = int((position - np.searchsorted(by_level, level * n + low)).sum())
    # Every j asks, just before place low[j], how many of the earlier ones are of a lower level.
    line = np.argsort(np.r_[2 * place + 1, 2 * low], kind="stable")
    asked = ascents(np.r_[level, level][line], line >= n)
    return tied_near, ascents(level) - asked


def near(x: Floats, levels: Codes, epsilon: float, decimals: int | None = None) -> tuple[int, int]:
    """The same for the pairs with gap <= epsilon."""
    return closer(x, levels, float(np.nextafter(epsilon, np.inf)), decimals)
