"""Krippendorff's alpha of every resample at once.

The disagreement within units is a sum over clusters: for `interval` of squares, for `nominal` of
unequal pairs. For `ordinal` the distances follow the ranks of the resample itself, so the
coincidences of every two values are summed instead.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from audit.stats.resampling.cluster_counts import Counts, LeftOut
from audit.stats.resampling.draw import Draw, Values
from audit.stats.resampling.exact_sums import ratio, weighted
from audit.stats.series import Codes, Floats, tally

# With more values than this a table of their coincidences costs more than ranking the ratings
# anew in each resample.
MOST_COINCIDENCES = 64


def alpha(draw: Draw, table: Floats, level: str) -> Values:
    """Alpha of a table raters x units whose units are the items of the draw."""
    kept = (~np.isnan(table)).sum(axis=0) >= 2
    table, cluster = table[:, kept], draw.cluster[kept]
    present = ~np.isnan(table)
    names, codes, _ = tally(table[present])
    unit = np.broadcast_to(np.arange(table.shape[1]), present.shape)[present]
    ratings = _Ratings(draw.clusters, *_in_order(cluster, unit, codes), names.size)
    if level == "interval":
        return ratings.interval((names - names.mean()) / np.ptp(names))
    if level == "nominal":
        return ratings.nominal()
    return ratings.ordinal() if names.size <= MOST_COINCIDENCES else ratings.ordinal_one_by_one()


def _in_order(cluster: Codes, unit: Codes, codes: Codes) -> tuple[Codes, Codes, Codes]:
    """Ratings by size and units by what was said of them: then sums have the same digits in
    whatever order people and units came."""
    by_size = np.lexsort((codes, unit))
    unit, codes = unit[by_size], codes[by_size]
    m = np.bincount(unit, minlength=cluster.size)
    place = np.arange(unit.size) - (np.cumsum(m) - m)[unit]
    said = np.full((int(m.max()), cluster.size), -1)
    said[place, unit] = codes
    order = np.lexsort((*said, cluster))
    said = said[:, order].T
    return cluster[order], np.repeat(np.arange(cluster.size), m[order]), said[said >= 0]


class _Ratings:
    """Ratings as (unit, value), and units as belonging to clusters. `k` counts the values, `m`
    the ratings of each unit."""

    def __init__(self, clusters: int, cluster: Codes, unit: Codes, codes: Codes, k: int) -> None:
        self.clusters, self.cluster, self.unit, self.codes = clusters, cluster, unit, codes
        self.k = k
        self.m = np.bincount(unit, minlength=cluster.size).astype(np.float64)
        cells = (np.ones(codes.size), (codes, cluster[unit]))
        self.held_by = sparse.csr_array(cells, shape=(k, clusters))

    def _sums(self, *per_unit: np.ndarray) -> Floats:
        return np.stack(
            [np.bincount(self.cluster, weights=v, minlength=self.clusters) for v in per_unit],
            axis=1,
        )

    def _chosen(self, counts: Counts) -> Floats:
        """Values x rows of counts: how often each value was given."""
        if isinstance(counts, LeftOut):
            table: Floats = self.held_by.toarray()
            return table.sum(axis=1, keepdims=True) - table
        drawn: Floats = self.held_by @ counts.T
        return drawn

    def _varied(self, expected: Floats, n_c: Floats) -> Floats:
        # One value throughout a resample: rounding is all that is left of the expected.
        return np.where((n_c > 0).sum(axis=0) > 1, expected, 0)

    def interval(self, scale: Floats) -> Values:
        placed = scale[self.codes]
        first = np.bincount(self.unit, weights=placed)
        second = np.bincount(self.unit, weights=placed**2)
        within = 2 * (self.m * second - first**2) / (self.m - 1)
        sums = self._sums(within, self.m, first, second)

        def resampled(counts: Counts) -> Floats:
            observed, total, s1, s2 = weighted(counts, sums).T
            n_c = self._chosen(counts)
            expected = self._varied(2 * (total * s2 - s1**2), n_c)
            return 1 - ratio(observed * (total - 1), expected)

        return resampled

    def nominal(self) -> Values:
        key, held = np.unique(self.unit * self.k + self.codes, return_counts=True)
        equal = np.bincount(key // self.k, weights=held * (held - 1)) / (self.m - 1)
        sums = self._sums(self.m - equal, self.m)

        def resampled(counts: Counts) -> Floats:
            observed, total = weighted(counts, sums).T
            n_c = self._chosen(counts)
            expected = self._varied(total**2 - (n_c**2).sum(axis=0), n_c)
            return 1 - ratio(observed * (total - 1), expected)

        return resampled

    def ordinal(self) -> Values:
        k = self.k
        held = np.bincount(self.unit * k + self.codes, minlength=self.m.size * k).reshape(-1, k)
        scaled = held / (self.m - 1)[:, None]
        # o_cd of a unit: n_c (n_d - [c = d]) / (m - 1), summed within clusters.
        coincidences = np.zeros((self.clusters, k, k))
        for c in range(k):
            rows = scaled[:, c][:, None] * held
            rows[:, c] -= scaled[:, c]
            np.add.at(coincidences[:, c], self.cluster, rows)
        flat = coincidences.reshape(self.clusters, k * k)

        def resampled(counts: Counts) -> Floats:
            n_c = self._chosen(counts).T
            total = n_c.sum(axis=1)
            place = np.cumsum(n_c, axis=1) - n_c / 2
            together = weighted(counts, flat).reshape(-1, k, k)
            cross = (together * place[:, :, None] * place[:, None, :]).sum(axis=(1, 2))
            second = (n_c * place**2).sum(axis=1)
            expected = 2 * (total * second - (n_c * place).sum(axis=1) ** 2)
            observed = 2 * (second - cross)
            return 1 - ratio(observed * (total - 1), self._varied(expected, n_c.T))

        return resampled

    def ordinal_one_by_one(self) -> Values:
        """With many values the ranks of each resample are laid over the ratings themselves."""

        def resampled(counts: Counts) -> Floats:
            values = np.empty(counts.shape[0])
            for row in range(counts.shape[0]):
                count = counts.row(row) if isinstance(counts, LeftOut) else counts[row]
                n_c = self.held_by @ count
                place = np.cumsum(n_c) - n_c / 2
                by_rank = self.interval((place - place.mean()) / max(np.ptp(place), 1.0))
                values[row] = by_rank(count[None, :])[0]
            return values

        return resampled
