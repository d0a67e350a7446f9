"""Krippendorff's alpha of every resample at once.

The disagreement within units is a sum over clusters: for `interval` of squares, for `nominal` of
unequal pairs. For `ordinal` the distances follow the ranks of the resample itself, so the
coincidences of every two values are summed instead.
"""

from __future__ import annotations

import numpy as np
import scipy

from jurybox_stats.counting.by_unit import FEW, by_unit, values_of
from jurybox_stats.resampling.cluster_counts import Counts, LeftOut
from jurybox_stats.resampling.draw import Draw, Values
from jurybox_stats.resampling.exact_sums import by_group, ratio, weighted
from jurybox_stats.series import Codes, Floats, tally

# With more values than this a table of their coincidences costs more than ranking the ratings
# anew in each resample.
MOST_COINCIDENCES = FEW


def alpha(draw: Draw, table: Floats, level: str) -> Values:
    """Alpha of a table raters x units whose units are the items of the draw."""
    m = (~np.isnan(table)).sum(axis=0)
    kept = m >= 2
    cluster, m = draw.cluster[kept], m[kept].astype(np.float64)
    table = table if kept.all() else table[:, kept]
    names = values_of(table)
    ratings: _Ratings
    if names.size <= MOST_COINCIDENCES:
        ratings = _Few(draw.clusters, cluster, m, by_unit(table, names))
    else:
        ratings = _Many(draw.clusters, cluster, m, table)
    if level == "interval":
        return ratings.interval((names - names.mean()) / np.ptp(names))
    return ratings.nominal() if level == "nominal" else ratings.ordinal()


class _Ratings:
    """Units as belonging to clusters. `m` counts the ratings of each unit, `held_by` (values x clusters)
    how often each value was given."""

    held_by: scipy.sparse.csr_array

    def __init__(self, clusters: int, cluster: Codes, m: Floats) -> None:
        self.clusters, self.cluster, self.m = clusters, cluster, m

    def first_and_second(self, scale: Floats) -> tuple[Floats, Floats]:
        """Of each unit the sum of its values and that of their squares."""
        raise NotImplementedError

    def equal(self) -> Floats:
        """The ordered pairs of equal ratings of each unit."""
        raise NotImplementedError

    def ordinal(self) -> Values:
        raise NotImplementedError

    def _sums(self, *per_unit: np.ndarray) -> Floats:
        return np.stack([by_group(v, self.cluster, self.clusters) for v in per_unit], axis=1)

    def _value_counts(self, counts: Counts) -> Floats:
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
        first, second = self.first_and_second(scale)
        within = 2 * (self.m * second - first**2) / (self.m - 1)
        sums = self._sums(within, self.m, first, second)

        def resampled(counts: Counts) -> Floats:
            observed, total, s1, s2 = weighted(counts, sums).T
            n_c = self._value_counts(counts)
            expected = self._varied(2 * (total * s2 - s1**2), n_c)
            return 1 - ratio(observed * (total - 1), expected)

        return resampled

    def nominal(self) -> Values:
        sums = self._sums(self.m - self.equal() / (self.m - 1), self.m)

        def resampled(counts: Counts) -> Floats:
            observed, total = weighted(counts, sums).T
            n_c = self._value_counts(counts)
            expected = self._varied(total**2 - (n_c**2).sum(axis=0), n_c)
            return 1 - ratio(observed * (total - 1), expected)

        return resampled


class _Few(_Ratings):
    """`held` is units x values."""

    def __init__(self, clusters: int, cluster: Codes, m: Floats, held: Codes) -> None:
        super().__init__(clusters, cluster, m)
        self.held = held
        self.held_by = scipy.sparse.csr_array(
            np.stack([np.bincount(cluster, column, clusters) for column in held.T])
        )

    def first_and_second(self, scale: Floats) -> tuple[Floats, Floats]:
        first, second = np.zeros((2, self.m.size))
        for value, column in zip(scale, self.held.T, strict=True):
            first += value * column
            second += value**2 * column
        return first, second

    def equal(self) -> Floats:
        return (self.held * (self.held - 1)).sum(axis=1).astype(np.float64)

    def ordinal(self) -> Values:
        k = self.held.shape[1]
        # o_cd of a unit: n_c (n_d - [c = d]) / (m - 1), summed within clusters.
        coincidences = np.zeros((self.clusters, k, k))
        for c in range(k):
            for d in range(c, k):
                pairs = self.held[:, c] * (self.held[:, d] - (c == d)) / (self.m - 1)
                summed = by_group(pairs, self.cluster, self.clusters)
                coincidences[:, c, d] = coincidences[:, d, c] = summed
        flat = coincidences.reshape(self.clusters, k * k)

        def resampled(counts: Counts) -> Floats:
            n_c = self._value_counts(counts).T
            total = n_c.sum(axis=1)
            place = np.cumsum(n_c, axis=1) - n_c / 2
            together = weighted(counts, flat).reshape(-1, k, k)
            cross = (together * place[:, :, None] * place[:, None, :]).sum(axis=(1, 2))
            second = (n_c * place**2).sum(axis=1)
            expected = 2 * (total * second - (n_c * place).sum(axis=1) ** 2)
            observed = 2 * (second - cross)
            return 1 - ratio(observed * (total - 1), self._varied(expected, n_c.T))

        return resampled


class _Many(_Ratings):
    """Ratings as (unit, code of the value)."""

    def __init__(self, clusters: int, cluster: Codes, m: Floats, table: Floats) -> None:
        present = ~np.isnan(table)
        names, codes, _ = tally(table[present])
        unit = np.broadcast_to(np.arange(table.shape[1]), present.shape)[present]
        # Units by their answers and ratings by size: in whatever order people and units came,
        # sums have the same digits.
        by_size = np.lexsort((codes, unit))
        unit, codes = unit[by_size], codes[by_size]
        place = np.arange(unit.size) - (np.cumsum(m.astype(np.int64)) - m.astype(np.int64))[unit]
        said = np.full((int(m.max()), m.size), -1)
        said[place, unit] = codes
        order = np.lexsort((*said, cluster))
        said = said[:, order].T
        super().__init__(clusters, cluster[order], m[order])
        self.unit = np.repeat(np.arange(m.size), self.m.astype(np.int64))
        self.codes, self.k = said[said >= 0], names.size
        cells = (np.ones(self.codes.size), (self.codes, self.cluster[self.unit]))
        self.held_by = scipy.sparse.csr_array(cells, shape=(self.k, clusters))

    def first_and_second(self, scale: Floats) -> tuple[Floats, Floats]:
        placed = scale[self.codes]
        first, second = (np.bincount(self.unit, weights=v) for v in (placed, placed**2))
        return first.astype(np.float64), second.astype(np.float64)

    def equal(self) -> Floats:
        key, held = np.unique(self.unit * self.k + self.codes, return_counts=True)
        found = np.bincount(key // self.k, weights=held * (held - 1)).astype(np.float64)
        return found

    def ordinal(self) -> Values:
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
