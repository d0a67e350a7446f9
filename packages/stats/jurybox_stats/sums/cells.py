"""The items of many slices, added up by cluster: what every statistic here is computed from.

A row is one cluster (prompt) of one slice, a cell is what a row holds of one kind of item, and `number` says
how many. Rows of a slice that hold the same are one row that counts several `times`. Leaving out a cluster
is then a slice's total less a row, for all slices in one subtraction.

Sums of whole numbers are exact; others are added in two exact halves on a grid of their slice, so that no
order of items, clusters or slices changes a digit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from jurybox_stats.series import LARGEST, SAMPLE, Codes, Floats, coded

# With more kinds of items a table of clusters by kinds is larger than the items.
MOST_KINDS = 32


@dataclass(frozen=True, slots=True)
class Members:
    """Which items each slice holds, slice by slice; the row of each, and the slice of each row."""

    item: Codes
    row: Codes
    of_row: Codes
    slices: int

    @classmethod
    def from_slices(cls, clusters: Codes, slices: Sequence[Codes]) -> Members:
        """`clusters`: a code from 0 for each item; `slices`: the places of the items of each."""
        size = int(clusters.max(initial=-1)) + 1
        item = np.concatenate([np.empty(0, np.int64), *slices])
        lengths = [places.size for places in slices]
        key = np.repeat(np.arange(len(slices)), lengths) * size + clusters[item]
        names, row = coded(key)
        return cls(item, row, names // max(size, 1), len(slices))


@dataclass(frozen=True, slots=True)
class Kinds:
    """The kind of each item, and of each kind what the series are there."""

    codes: Codes
    values: tuple[Floats, ...]


def find_kinds(*series: Floats) -> Kinds | None:
    """None where there are too many, or no items."""
    if not series[0].size:
        return None
    codes, first = np.zeros(series[0].size, np.int64), np.zeros(1, np.int64)
    for values in series:
        # Mostly the first items tell already.
        if np.unique(values[:SAMPLE]).size > MOST_KINDS:
            return None
        names, steps = coded(values)
        if names.size > MOST_KINDS:
            return None
        _, codes = coded(codes * names.size + steps)
        if codes.max(initial=0) >= MOST_KINDS:
            return None
    first = np.zeros(int(codes.max(initial=0)) + 1, np.int64)
    first[codes] = np.arange(codes.size)
    return Kinds(codes.astype(np.int64), tuple(values[first] for values in series))


def count(groups: Codes, weights: np.ndarray | None = None, size: int = 0) -> Floats:
    """The weights of each group, or how many items it has."""
    result: Floats = np.bincount(groups, weights, size).astype(np.float64, copy=False)
    return result


class Cells:
    """`value` has what each series holds, `kind_of_cell` says where in it a cell is."""

    def __init__(
        self,
        row: Codes,
        kind_of_cell: Codes,
        number: Floats,
        of_row: Codes,
        times: Floats,
        slices: int,
        values: Sequence[Floats],
    ) -> None:
        self.row, self.number, self.of_row, self.times = row, number, of_row, times
        self.slices = slices
        self.kind_of_cell, self._values = kind_of_cell, values
        # Of each row that holds anything, before those that hold the same were one: its row.
        self.merged = np.arange(of_row.size)
        self.slice = of_row[row]
        self.weight = times[row] * number
        self.n = count(self.slice, self.weight, slices)
        self.clusters = count(of_row, times, slices)
        # Of each slice the first cell and the first row, for those that have any.
        self.held = np.flatnonzero(self.clusters)
        self._first_cell = np.searchsorted(self.slice, self.held)
        self._first_row = np.searchsorted(of_row, self.held)

    @classmethod
    def from_members(
        cls,
        members: Members,
        series: Sequence[Floats],
        there: NDArray[np.bool_],
        kinds: Kinds | None = None,
    ) -> Cells:
        """Of the items that are `there`. `kinds`: of all items, where they are few."""
        if kinds is not None:
            return cls._from_kinds(members, there, kinds)
        inside = np.flatnonzero(there[members.item])
        item, row = members.item[inside], members.row[inside]
        order = np.argsort(row, kind="stable")
        item, row = item[order], row[order]
        used = count(row, size=members.of_row.size) > 0
        row = (np.cumsum(used) - 1)[row]
        of_row = members.of_row[used]
        ones = np.ones(item.size), np.ones(of_row.size)
        return cls(row, item, ones[0], of_row, ones[1], members.slices, series)

    @classmethod
    def _from_kinds(cls, members: Members, there: NDArray[np.bool_], kinds: Kinds) -> Cells:
        size, rows = kinds.values[0].size, members.of_row.size
        inside = slice(None) if there.all() else np.flatnonzero(there[members.item])
        cell = members.row[inside] * size
        cell += kinds.codes[members.item[inside]]
        # Half as many bytes: of many slices this table is the largest of a report.
        held = np.bincount(cell, minlength=rows * size).astype(np.int32).reshape(rows, size)
        del cell
        used = held.any(axis=1)
        of_row = members.of_row
        if not used.all():
            held, of_row = held[used], of_row[used]
        first, times, merged = _merge(held, of_row)
        held, of_row = held[first], of_row[first]
        row, column = np.nonzero(held)
        number = held[row, column].astype(np.float64)
        found = cls(row, column, number, of_row, times, members.slices, kinds.values)
        found.merged = merged
        return found

    def values(self, series: int) -> Floats:
        return self._values[series][self.kind_of_cell]

    # Sums

    def by_row(self, values: np.ndarray) -> Floats:
        """The sum over the cells of each row."""
        return self._added(
            values, self.row, self.number, self.times.size, self._first_cell, self.slice
        )

    def by_slice(self, values: np.ndarray) -> Floats:
        """The sum over the cells of each slice."""
        return self._added(
            values, self.slice, self.weight, self.slices, self._first_cell, self.slice
        )

    def total(self, values: np.ndarray) -> Floats:
        """The sum over the rows of each slice."""
        return self._added(
            values, self.of_row, self.times, self.slices, self._first_row, self.of_row
        )

    def _added(
        self,
        values: np.ndarray,
        groups: Codes,
        weights: Floats,
        size: int,
        first: Codes,
        slices: Codes,
    ) -> Floats:
        if is_whole(values, float(weights.sum())):
            return count(groups, weights * values, size)
        unit = np.ones(self.slices)
        largest = np.maximum.reduceat(np.abs(values), first) if first.size else np.empty(0)
        unit[self.held] = np.exp2(np.ceil(np.log2(np.where(largest > 0, largest, 1.0))) - 26)
        unit = unit[slices]
        upper = np.rint(values / unit) * unit
        unit *= 2.0**-26
        lower = np.rint((values - upper) / unit) * unit
        return count(groups, weights * upper, size) + count(groups, weights * lower, size)

    def leave_out(self, rows: Floats) -> Floats:
        """The total of a slice without each of its rows, and what that leaves of each."""
        return self.total(rows)[self.of_row] - rows

    def extremes(self, values: Floats) -> tuple[Floats, Floats]:
        """The least and the largest of each slice; of an empty one 0."""
        result = np.zeros((2, self.slices))
        if self.held.size:
            result[0, self.held] = np.minimum.reduceat(values, self._first_cell)
            result[1, self.held] = np.maximum.reduceat(values, self._first_cell)
        return result[0], result[1]

    def any_row(self, rows: NDArray[np.bool_]) -> Floats:
        """How many clusters of each slice these are."""
        return count(self.of_row, self.times * rows, self.slices)

    def any_cell(self, cells: NDArray[np.bool_]) -> Floats:
        """How many cells of each slice these are."""
        return count(self.slice, cells, self.slices)

    @cached_property
    def size_of_row(self) -> Floats:
        return count(self.row, self.number, self.times.size)

    def why_not(self, *series: Floats, at_least: int = 1) -> list[str]:
        """Of each slice why no statistic takes these values, empty where it does."""
        bad, beyond = np.zeros((2, self.slices))
        for values in series:
            # NaN is not below it, either.
            if not (np.abs(values) <= LARGEST).all():
                bad += self.by_slice(~np.isfinite(values))
                beyond += self.any_cell(np.abs(values) > LARGEST)
        return [
            NOTHING
            if not n
            else f"{missing:.0f} values are missing or infinite"
            if missing
            else f"values beyond {LARGEST:g}: their squares and sums would overflow"
            if large
            else f"fewer than {at_least} items"
            if n < at_least
            else ""
            for n, missing, large in zip(self.n, bad, beyond, strict=True)
        ]


NOTHING = "no image has what this number needs"


def is_whole(values: np.ndarray, times: float) -> bool:
    """Whether the values are whole numbers of which the sum of so many is exact."""
    if values.dtype.kind != "b":
        few = values[:64]
        if (few != np.rint(few)).any() or (values != np.rint(values)).any():
            return False
    return float(np.abs(values).max(initial=0)) * times < 2.0**53


def _merge(held: np.ndarray, of_row: Codes) -> tuple[Codes, Floats, Codes]:
    """The first of the rows of a slice that hold the same, slice by slice; how many there are of each; and
    which of them each row is."""
    numbers = np.random.default_rng(0).integers(2**63, size=held.shape[1] + 1, dtype=np.uint64)
    mixed = (of_row.astype(np.uint64) + np.uint64(1)) * numbers[0]
    for column, number in zip(held.T, numbers[1:], strict=True):
        mixed += column.astype(np.uint64) * number
    _, first, code, times = np.unique(
        mixed, return_index=True, return_inverse=True, return_counts=True
    )
    alike = first[code]
    columns = (of_row, *held.T)
    if any((column[alike] != column).any() for column in columns):
        return np.arange(of_row.size), np.ones(of_row.size), np.arange(of_row.size)
    order = np.argsort(of_row[first], kind="stable")
    return first[order], times[order].astype(np.float64), np.argsort(order)[code]
