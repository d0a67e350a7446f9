"""Items of few kinds, as a judge's verdicts beside answers by yes or no are.

What a cluster holds of each kind stands for its items, and clusters that hold the same are counted as
one: a statistic of a hundred thousand items is then one of some hundred rows. Every sum is exact here as
there, so that no digit differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.resampling.cluster_counts import LeftOut
from jurybox_stats.resampling.draw import Draw
from jurybox_stats.resampling.exact_sums import halves, is_whole
from jurybox_stats.series import LARGEST, SAMPLE, Codes, Floats, coded, group_codes

# With more kinds their table is larger than what it stands for.
MOST = 32


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kind of each item, and of each kind what the series are there."""

    codes: Codes
    values: tuple[Floats, ...]

    def kinds_where(self, where: NDArray[np.bool_]) -> Kinds:
        return Kinds(self.codes[np.flatnonzero(where)], self.values)


def find_kinds(*series: Floats) -> Kinds | None:
    """None where there are too many, or numbers that no statistic takes."""
    codes, first = np.zeros(series[0].size, np.int64), np.zeros(1, np.int64)
    for values in series:
        # Mostly the first items tell already.
        if np.unique(values[:SAMPLE]).size > MOST:
            return None
        names, place = coded(values)
        if names.size > MOST or (np.abs(names[~np.isnan(names)]) > LARGEST).any():
            return None
        _, codes = coded(codes * names.size + place)
        if codes.max(initial=0) >= MOST:
            return None
    if codes.size:
        first = np.empty(int(codes.max()) + 1, np.int64)
        first[codes] = np.arange(codes.size)
        return Kinds(codes.astype(np.int64), tuple(values[first] for values in series))
    return None


class _LeftOutAlike(LeftOut):
    """One row for all clusters that hold the same."""

    def __init__(self, times: Floats) -> None:
        self.times = times
        super().__init__(times.size)

    def __matmul__(self, sums: np.ndarray) -> Floats:
        without: Floats = self.times @ sums - sums
        return without


class DrawOfKinds(Draw):
    """Its items are the kinds of `chosen` that occur; `clusters` names the cluster of each item."""

    def __init__(
        self,
        clusters: np.ndarray,
        kinds: Kinds,
        chosen: NDArray[np.bool_],
        *,
        resamples: int,
        seed: int,
    ) -> None:
        size = chosen.size
        cluster, number = group_codes(clusters, clusters.size, what="clusters")
        cells = np.bincount(cluster * size + kinds.codes, minlength=number * size)
        held = cells.reshape(number, size)
        self.kinds = np.flatnonzero(chosen & (held.sum(axis=0) > 0))
        held = held[:, self.kinds]
        self.held, row = merge_alike(held[held.sum(axis=1) > 0])
        self.clusters_alike = np.bincount(row).astype(np.float64)
        self.times: Floats = self.clusters_alike @ self.held
        self.n, self.clusters = int(self.times.sum()), int(self.clusters_alike.sum())
        self.resamples, self.seed = resamples, seed
        self._known, self._names, self._sizes = {}, {}, None
        self._of_class: dict[tuple[bytes, int], Floats] = {}

    @cached_property
    def once(self) -> Floats:
        assert self.clusters_alike is not None
        return self.clusters_alike[None, :]

    @cached_property
    def left_out(self) -> LeftOut:
        assert self.clusters_alike is not None
        return _LeftOutAlike(self.clusters_alike)

    def check_size(self, n: int) -> None:
        if n != self.kinds.size:
            raise ValueError(f"{n} values for {self.kinds.size} kinds")

    def sizes(self) -> Floats:
        return self.held.sum(axis=1)

    def by_cluster(self, *values: np.ndarray) -> Floats:
        return np.stack([self._summed_by_cluster(column) for column in values], axis=1)

    def _summed_by_cluster(self, values: np.ndarray) -> Floats:
        if is_whole(values):
            return self.held @ values.astype(np.float64)
        upper, lower = halves(values)
        return self.held @ upper + self.held @ lower

    def by_class(self, codes: Codes, classes: int) -> Floats:
        key = codes.tobytes(), classes
        if key not in self._of_class:
            of_kinds = np.zeros((codes.size, classes))
            of_kinds[np.arange(codes.size), codes] = 1.0
            self._of_class[key] = self.held @ of_kinds
        return self._of_class[key]

    def group_items(self, groups: ArrayLike) -> Codes:
        """Clusters are the only groups that kinds can be divided into."""
        return np.arange(self.held.shape[0])

    def owners(self, groups: Codes) -> Codes | None:
        return groups

    def each_cluster(self, sums: Floats) -> Floats:
        assert self.clusters_alike is not None
        return np.repeat(sums, self.clusters_alike.astype(np.int64), axis=0)

    def count_clusters(self, chosen: NDArray[np.bool_]) -> int:
        assert self.clusters_alike is not None
        return int(self.clusters_alike[chosen].sum())

    def count_holding(self, items: NDArray[np.bool_]) -> tuple[int, int]:
        return self.count_clusters(self.held[:, items].sum(axis=1) > 0), self.clusters


def merge_alike(held: np.ndarray) -> tuple[Floats, Codes]:
    """The rows that differ, and which of them each row is."""
    base, width = int(held.max(initial=0)) + 1, held.shape[1]
    if base**width >= 2**62:
        return held.astype(np.float64), np.arange(len(held))
    names, codes = coded(held @ base ** np.arange(width))
    found = np.empty((names.size, width))
    found[codes] = held
    return found, codes
