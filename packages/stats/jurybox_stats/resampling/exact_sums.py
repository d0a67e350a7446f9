"""Sums that do not depend on the order of the items, nor on the number of threads."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.series import Codes, Floats

# Of so few numbers a look at them takes as long as summing them exactly.
MANY = 64
# Up to so many a list that is walked costs less than exact parts.
WALKED = 512
# Splits a number of 53 bits into two of 26 (Dekker 1971, Numer. Math. 18:224).
SPLIT = 2.0**27 + 1
# What is smaller by so many times the bits of a number is added one by one.
MOST_PARTS = 5
PIECE = 1 << 14
# Whole numbers below this are their own upper halves.
WHOLE = 2.0**26


def mean(values: np.ndarray, times: Floats | None = None) -> float:
    """Summed exactly and divided once."""
    if not values.size or not np.isfinite(values).all():
        raise ValueError("a mean needs values, none of them missing or infinite")
    return total(values, times) / (values.size if times is None else float(times.sum()))


def total(values: np.ndarray, times: Floats | None = None) -> float:
    """Summed exactly, and rounded once. `times`: how often each value counts, whole numbers below 2^26."""
    if times is not None:
        upper = values * SPLIT
        upper -= upper - values
        # Neither half has more than 26 bits, so that both products are exact.
        return total(np.concatenate([upper * times, (values - upper) * times]))
    if values.size <= WALKED:
        # A list is walked in a third of the time of an array.
        return math.fsum(values.tolist())
    largest = max(float(values.max()), -float(values.min()))
    if largest * values.size < 2**53 and is_whole(values):
        return float(values.sum())
    # In pieces that the nearest caches hold.
    pieces = (values[first : first + PIECE] for first in range(0, values.size, PIECE))
    return math.fsum(part for piece in pieces for part in _exact_parts(piece, largest))


def _exact_parts(values: np.ndarray, largest: float) -> list[float]:
    """Few numbers with the same exact sum: the upper bits of all values, on a grid on which they sum
    without rounding, then the next ones, until nothing is left (Rump, Ogita & Oishi 2008, SIAM J. Sci.
    Comput. 31:189)."""
    if not 2.0**-900 < largest < 2.0**900:
        return cast(list[float], values.tolist())
    # So many bits are kept free for the carries.
    room = 2.0 ** math.ceil(math.log2(values.size + 2))
    sigma = room * 2.0 ** math.frexp(largest)[1]
    rest: Floats = np.asarray(values, np.float64)
    parts: list[float] = []
    while len(parts) < MOST_PARTS:
        upper = (rest + sigma) - sigma
        rest = rest - upper
        parts.append(float(upper.sum()))
        if not rest.any():
            break
        sigma *= room * 2.0**-53
    left: list[float] = rest[rest != 0].tolist()
    return parts + left


def is_whole(values: np.ndarray) -> bool:
    if values.dtype.kind in "bui":
        return True
    # Mostly the first few tell already.
    first = values[:MANY]
    return bool((first == np.rint(first)).all() and (values == np.rint(values)).all())


def by_group(values: np.ndarray, groups: Codes, size: int) -> Floats:
    """The sum of the values of each group 0 .. size - 1, the same to the last digit in whatever
    order the items come."""
    if is_whole(values):
        return _sums(values, groups, size)
    upper, lower = halves(values)
    return _sums(upper, groups, size) + _sums(lower, groups, size)


def _sums(values: np.ndarray, groups: Codes, size: int) -> Floats:
    return np.bincount(groups, weights=values, minlength=size).astype(np.float64)


def halves(values: Floats) -> tuple[Floats, Floats]:
    """Each column as two halves of 26 bits on a grid common to its values: sums of either half, also
    times whole counts, are exact."""
    largest = np.abs(values).max(axis=0, initial=0)
    unit = np.exp2(np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - 26)
    upper = np.rint(values / unit) * unit
    fine = unit * 2.0**-26
    return upper, np.rint((values - upper) / fine) * fine


def weighted(counts: Counts, sums: Floats) -> Floats:
    """counts @ sums, the same to the last digit on every machine.

    Products of either half with whole counts and all their sums are exact; only the last addition
    rounds.
    """
    if is_whole(sums.ravel()) and float(np.abs(sums).max(initial=0)) < WHOLE:
        # Mostly counts: their upper half is all of them.
        return counts @ sums
    upper, lower = halves(sums)
    return counts @ upper + counts @ lower if lower.any() else counts @ upper


def quadratic(counts: Floats, matrix: np.ndarray, single: np.ndarray) -> Floats:
    """c' M c for every row c of counts, exact: M c in float32 (`single` holds the same counts) where
    every sum stays below 2^24, and what is left where each of its products does, too.

    What lies below the diagonal blocks is folded upon what lies above: two thirds of the products
    are left, which pays from a few rows on.
    """
    if counts.shape[0] < 8:
        return np.einsum("bg,bg->b", counts @ matrix.astype(np.float64), counts)
    folded = matrix + matrix.T
    products_fit = False
    if matrix.dtype == np.float32:
        most = float(counts.max())
        reach = float(counts.sum(axis=1).max()) * float(folded.max(initial=0))
        rows = most * float(folded.sum(axis=0, dtype=np.float64).max())
        if min(reach, rows) < 2**24:
            counts, products_fit = single, min(reach, rows) * most < 2**24
        else:
            folded, matrix = folded.astype(np.float64), matrix.astype(np.float64)
    total = np.zeros(counts.shape[0])
    width = max(64, -(-matrix.shape[0] // 3))
    for first in range(0, matrix.shape[0], width):
        block = slice(first, first + width)
        beyond = folded[block, first + width :]
        half = counts[:, block] @ np.concatenate([matrix[block, block], beyond], axis=1)
        if products_fit:
            half *= counts[:, first:]
            total += half.sum(axis=1, dtype=np.float64)
        else:
            total += np.einsum("bg,bg->b", half, counts[:, first:], dtype=np.float64)
    return total


def ratio(over: Floats, under: Floats) -> Floats:
    """over / under, NaN where a resample leaves nothing to divide by."""
    safe = np.where(under > 0, under, 1.0)
    return np.where(under > 0, over / safe, np.nan)
