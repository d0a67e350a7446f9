"""How many pairs each item is in that are rightly decided, or concordant; counted, never listed.

What a count over all pairs loses when some items go is the sum of their own pairs, less what they
have among themselves. So a jackknife needs one count for each item: O(n log n) for all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jurybox_stats.counting.pairs import first_closer
from jurybox_stats.series import Codes, Floats

# With fewer levels than this counting each of them costs less than partitions of all items.
FEW_LEVELS = 16


def right(x: Floats, levels: Codes, epsilon: float | None = None) -> Codes:
    """For each item the pairs that x orders as the levels do; with epsilon, of those further apart than
    epsilon, and the pairs of one level that are not."""
    if int(levels.max(initial=0)) < FEW_LEVELS:
        return _by_level(x, levels, epsilon)
    order = np.lexsort((-levels, x))
    found = np.empty(x.size, np.int64)
    # The pairs with earlier items, and, in the mirror, with later ones.
    found[order] = _with_earlier(x[order], levels[order], epsilon)
    back = order[::-1]
    found[back] += _with_earlier(-x[back], int(levels.max(initial=0)) - levels[back], epsilon)
    return found


def _by_level(x: Floats, levels: Codes, epsilon: float | None) -> Codes:
    """Level by level, with how many items of it lie below each value."""
    values, codes = np.unique(x, return_inverse=True)
    # Of each value the first that is near, and the first above it that is not.
    first = here = np.arange(values.size)
    if epsilon is not None:
        first = first_closer(values, float(np.nextafter(epsilon, np.inf)))
    beyond = np.searchsorted(first, here, side="right")
    found = np.empty(x.size, np.int64)
    lower = np.zeros(values.size + 1, np.int64)
    every = np.r_[0, np.cumsum(np.bincount(codes, minlength=values.size))]
    for level in range(int(levels.max(initial=-1)) + 1):
        items = np.flatnonzero(levels == level)
        value = codes[items]
        below = np.r_[0, np.cumsum(np.bincount(value, minlength=values.size))]
        higher = every - lower - below
        right = lower[first] + (higher[-1] - higher[beyond])
        if epsilon is not None:
            # An item makes no pair with itself.
            right += below[beyond] - below[first] - 1
        found[items] = right[value]
        lower += below
    return found


def _with_earlier(x: Floats, levels: Codes, epsilon: float | None) -> Codes:
    """x ascends, and items that share x stand in descending order of their level."""
    if epsilon is None:
        return lower_before(levels)
    n, place = x.size, np.arange(x.size)
    start = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])
    sizes = np.diff(np.r_[start, n])
    low = np.repeat(start[first_closer(x[start], float(np.nextafter(epsilon, np.inf)))], sizes)
    by_level = np.sort(levels * n + place)
    position = np.empty(n, np.int64)
    position[by_level % n] = place
    tied_near = position - np.searchsorted(by_level, levels * n + low)
    # Beyond epsilon are those before place low[j].
    line = np.argsort(np.r_[2 * place + 1, 2 * low], kind="stable")
    asked = lower_before(np.r_[levels, levels][line], line >= n)
    concordant_far = np.empty(2 * n, np.int64)
    concordant_far[line] = asked
    return tied_near + concordant_far[n:]


def lower_before(codes: Codes, asking: NDArray[np.bool_] | None = None) -> Codes:
    """For each item how many earlier ones have a lower code; with `asking`, only those items ask and
    only the others count.

    Two codes differ first at one bit, counted from the top: one stable partition per bit
    (`pairs.ascents` adds the same up).
    """
    found, item = np.zeros(codes.size, np.int64), np.arange(codes.size)
    counted = np.ones(codes.size, bool) if asking is None else ~asking
    for bit in range(int(codes.max(initial=0)).bit_length() - 1, -1, -1):
        ones = ((codes >> bit) & 1).astype(bool)
        prefix = codes >> (bit + 1)
        start = np.flatnonzero(np.r_[True, prefix[1:] != prefix[:-1]])
        size = np.diff(np.r_[start, codes.size])
        seen = np.r_[0, np.cumsum(counted & ~ones)]
        found[item[ones]] += (seen[:-1] - np.repeat(seen[start], size))[ones]
        if bit == 0:
            break
        # Zeros before ones within each prefix, in their order.
        order = (
            np.argsort(codes >> bit, kind="stable")
            if start.size > 1
            else np.argsort(ones, kind="stable")
        )
        codes, counted, item = codes[order], counted[order], item[order]
    if asking is not None:
        found[~asking] = 0
    return found
