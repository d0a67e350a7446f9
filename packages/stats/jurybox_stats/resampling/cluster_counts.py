"""Which clusters a resample holds: whole prompts drawn with replacement, the same everywhere.

Images of one prompt succeed and fail together, so prompts are drawn, not images. A resample is
kept as how often it holds each cluster, and never as copied data.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import wraps

import numpy as np

from jurybox_stats.series import Floats

# The slices of a report are the same for each of its judges, and so are their tables.
KEPT_BYTES = 256 * 2**20


def remember_tables(
    draw: Callable[[int, int, int], np.ndarray],
) -> Callable[[int, int, int], np.ndarray]:
    """Remembers the tables used last, as many as fit in KEPT_BYTES; one that is larger alone is
    kept until the next comes."""
    known: OrderedDict[tuple[int, int, int], np.ndarray] = OrderedDict()

    @wraps(draw)
    def remembered(clusters: int, resamples: int, seed: int) -> np.ndarray:
        asked = clusters, resamples, seed
        if asked not in known:
            known[asked] = draw(*asked)
        known.move_to_end(asked)
        while len(known) > 1 and sum(table.nbytes for table in known.values()) > KEPT_BYTES:
            known.popitem(last=False)
        return known[asked]

    return remembered


def check(clusters: int, resamples: int, seed: int) -> None:
    """A mistake of the caller is named before anything is drawn."""
    if clusters < 1:
        raise ValueError("there must be at least one cluster")
    if resamples < 1:
        raise ValueError("there must be at least one resample")
    if not 0 <= seed < 2**128:
        raise ValueError("the seed must be a whole number from 0")


@remember_tables
def cluster_counts(clusters: int, resamples: int, seed: int) -> Floats:
    """A table resamples x clusters: how often each cluster was drawn.

    Draws come from Philox 4x64 (Salmon et al. 2011, SC11) with the seed as its key: the k-th draw
    is a fixed function of seed and k, so the digits are the same on every machine, and the first
    1,000 of 2,000 resamples are the 1,000. Its upper 32 bits u pick cluster floor(u G / 2^32)
    (uneven by less than G / 2^32).
    """
    counts = np.empty((resamples, clusters))
    first = 0
    for part in in_parts(clusters, resamples, seed):
        counts[first : first + len(part)] = part
        first += len(part)
    counts.setflags(write=False)
    return counts


def in_parts(clusters: int, resamples: int, seed: int) -> Iterator[Floats]:
    """The same table, some rows at a time: of a hundred thousand clusters it takes gigabytes."""
    check(clusters, resamples, seed)
    stream = np.random.Philox(key=seed)
    rows = _rows_at_once(clusters)
    for first in range(0, resamples, rows):
        size = min(rows, resamples - first)
        picked = stream.random_raw(size * clusters) >> np.uint64(32)
        picked = (picked * np.uint64(clusters)) >> np.uint64(32)
        place = picked.astype(np.int64) + np.repeat(np.arange(size) * clusters, clusters)
        flat = np.bincount(place, minlength=size * clusters)
        yield flat.reshape(size, clusters).astype(np.float64)


def _rows_at_once(clusters: int) -> int:
    return max(1, 2**20 // clusters)


def kept_parts(
    clusters: int, resamples: int, seed: int, kind: type[np.floating] = np.float64
) -> Iterator[np.ndarray]:
    """As `in_parts`, of a table that is kept for the next judge."""
    table = in_whole_numbers(clusters, resamples, seed)
    rows = _rows_at_once(clusters)
    for first in range(0, resamples, rows):
        yield table[first : first + rows].astype(kind)


@remember_tables
def in_whole_numbers(clusters: int, resamples: int, seed: int) -> np.ndarray:
    """The same counts in the fewest bytes that hold them."""
    # So many draws of so many clusters hold none of them 256 times.
    counts, first = np.empty((resamples, clusters), dtype=np.uint8), 0
    for part in in_parts(clusters, resamples, seed):
        counts[first : first + len(part)] = part
        first += len(part)
    counts.setflags(write=False)
    return counts


class LeftOut:
    """The counts of a jackknife: row g holds every cluster once, but not cluster g. The table is never
    written out: a sum without a cluster is the whole sum less its own."""

    def __init__(self, clusters: int) -> None:
        self.shape = clusters, clusters

    def __matmul__(self, sums: np.ndarray) -> Floats:
        without: Floats = sums.sum(axis=0) - sums
        return without

    def row(self, cluster: int) -> Floats:
        counts = np.ones(self.shape[1])
        counts[cluster] = 0.0
        return counts


# How often each row holds each cluster.
Counts = Floats | LeftOut
