"""Sums over resamples that do not depend on the order or the number of threads."""

from __future__ import annotations

import numpy as np

from audit.stats.series import (
    Floats,
)


def weighted(counts: Floats, sums: Floats) -> Floats:
    """counts @ sums, the same to the last digit on every machine.

    Each column is split in two halves of 26 bits on a common grid; products with whole counts and
    all their sums are then exact, and only the last addition rounds.
    """
    largest = np.abs(sums).max(axis=0)
    unit = np.exp2(np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - 26)
    upper = np.rint(sums / unit) * unit
    fine = unit * 2.0**-26
    lower = np.rint((sums - upper) / fine) * fine
    # Whole numbers, unless enormous, have no lower half.
    return counts @ upper + counts @ lower if lower.any() else counts @ upper


def quadratic(counts: Floats, matrix: np.ndarray, single: np.ndarray) -> Floats:
    """c' M c for every row c of counts, exact: in float32 (`single` holds the same counts) where
    every sum stays below 2^24.

    What lies below the diagonal blocks is folded upon what lies above: two thirds of the products
    are left, which pays from a few rows on.
    """
    if counts.shape[0] < 8:
        return np.einsum("bg,bg->b", counts @ matrix.astype(np.float64), counts)
    folded = matrix + matrix.T
    if matrix.dtype == np.float32:
        most = float(counts.max())
        reach = float(counts.sum(axis=1).max()) * float(folded.max(initial=0))
        rows = most * float(folded.sum(axis=0, dtype=np.float64).max())
        if min(reach, rows) * most < 2**24:
            counts = single
        else:
            folded, matrix = folded.astype(np.float64), matrix.astype(np.float64)
    total = np.zeros(counts.shape[0])
    width = max(64, -(-matrix.shape[0] // 3))
    for first in range(0, matrix.shape[0], width):
        block = slice(first, first + width)
        beyond = folded[block, first + width :]
        half = counts[:, block] @ np.concatenate([matrix[block, block], beyond], axis=1)
        half *= counts[:, first:]
        total += half.sum(axis=1, dtype=np.float64)
    return total


def ratio(over: Floats, under: Floats) -> Floats:
    """over / under, NaN where a resample leaves nothing to divide by."""
    safe = np.where(under > 0, under, 1.0)
    return np.where(under > 0, over / safe, np.nan)
