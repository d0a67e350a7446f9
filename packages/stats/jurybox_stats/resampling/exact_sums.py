"""Sums that do not depend on the order of the items, nor on the number of threads."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from jurybox_stats.resampling.cluster_counts import KEPT_BYTES, Counts, in_parts, kept_parts
from jurybox_stats.series import Codes, Floats

# Of so few numbers a look at them takes as long as summing them exactly.
MANY = 64
# Up to so many a list that is walked costs less than exact parts.
WALKED = 512
# What is smaller by so many times the bits of a number is added one by one.
MOST_PARTS = 5
PIECE = 1 << 14
# Whole numbers below this are their own upper halves.
WHOLE = 2.0**26


def mean(values: np.ndarray) -> float:
    """Summed exactly and divided once."""
    if not values.size or not np.isfinite(values).all():
        raise ValueError("a mean needs values, none of them missing or infinite")
    return total(values) / values.size


def total(values: np.ndarray) -> float:
    """Summed exactly, and rounded once."""
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


def without_each(table: Floats) -> Floats:
    """The sums of the columns, the same to the last digit in whatever order the rows come, and then those
    without each row in turn."""
    upper, lower = halves(table)
    whole = upper.sum(axis=0) + lower.sum(axis=0)
    return np.concatenate([whole[None], whole - table])


def ratio(over: Floats, under: Floats) -> Floats:
    """over / under, NaN where a resample leaves nothing to divide by."""
    safe = np.where(under > 0, under, 1.0)
    return np.where(under > 0, over / safe, np.nan)


def sum_draws(clusters: int, resamples: int, seed: int, sums: Floats) -> Floats:
    """`weighted` of the counts of a draw, some rows at a time: as floats they take eight times as much memory
    as they are kept in."""
    upper, lower = halves(sums)
    parts = in_parts(clusters, resamples, seed)
    if clusters * resamples <= KEPT_BYTES:
        # Every resample holds as many clusters as there are: so far no sum of whole numbers is rounded.
        few = not lower.any() and is_whole(upper.ravel())
        if few and float(np.abs(upper).max(initial=0)) * clusters < 2**24:
            single = kept_parts(clusters, resamples, seed, np.float32)
            return np.vstack([part @ upper.astype(np.float32) for part in single]).astype(
                np.float64
            )
        parts = kept_parts(clusters, resamples, seed)
    both = np.hstack([upper, lower])
    found = np.vstack([part @ both for part in parts])
    return found[:, : sums.shape[1]] + found[:, sums.shape[1] :]
