"""How the pairs of items of each slice fall by two series: counted for all slices at once, and without each
cluster in turn.

What a slice loses with a cluster is the sum of the pairs that its items are in, less those that they have
among themselves, which were counted from both ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from jurybox_stats.series import Codes, Floats, ascending, coded
from jurybox_stats.sums.cells import Cells, count


@dataclass(frozen=True, slots=True)
class Groups:
    """Items that share a value: `of_cell` is the group of each cell; groups ascend by their outer part, then
    by value. Of each how many items, and what it is part of."""

    of_cell: Codes
    size: Floats
    outer: Codes
    value: Codes

    @classmethod
    def from_codes(cls, outer: Codes, codes: Codes, weights: Floats) -> Groups:
        depth = int(codes.max(initial=-1)) + 1
        names, of_cell = coded(outer * depth + codes)
        size = count(of_cell, weights, names.size)
        return cls(of_cell, size, names // max(depth, 1), names % max(depth, 1))

    def below(self, sums: Floats) -> Floats:
        """What all groups of the same outer part hold that come before each."""
        upto = np.cumsum(sums) - sums
        first = np.flatnonzero(np.r_[True, self.outer[1:] != self.outer[:-1]][: sums.size])
        lengths = np.diff(np.r_[first, sums.size])
        return upto - np.repeat(upto[first], lengths)


class Series:
    """One series of the cells: what is tied in it, in each slice and without each row."""

    def __init__(self, cells: Cells, codes: Codes) -> None:
        self.cells, self.codes = cells, codes
        self.depth = int(codes.max(initial=-1)) + 1

    @cached_property
    def in_slice(self) -> Groups:
        return Groups.from_codes(self.cells.slice, self.codes, self.cells.weight)

    @cached_property
    def in_row(self) -> Groups:
        return Groups.from_codes(self.cells.row, self.codes, self.cells.number)

    @cached_property
    def all_of_value(self) -> Floats:
        """Of each group of a row how many items of its value the slice holds."""
        result = np.empty(self.in_row.size.size)
        result[self.in_row.of_cell] = self.in_slice.size[self.in_slice.of_cell]
        return result

    def _by_slice(self, sums: Floats) -> Floats:
        return count(self.in_slice.outer, sums, self.cells.slices)

    def _by_row(self, sums: Floats) -> Floats:
        return count(self.in_row.outer, sums, self.cells.times.size)

    @cached_property
    def kinds(self) -> Floats:
        """How many values each slice has."""
        return count(self.in_slice.outer, size=self.cells.slices)

    @cached_property
    def tied(self) -> tuple[Floats, Floats]:
        """Tied pairs of each slice, and without each row."""
        size, held = self.in_slice.size, self.in_row.size
        whole = self._by_slice(size * (size - 1) / 2)
        lost = self._by_row(held * (2 * self.all_of_value - held - 1) / 2)
        return whole, whole[self.cells.of_row] - lost

    @cached_property
    def cubes(self) -> tuple[Floats, Floats]:
        """The sum of the cubes of how often each value occurs."""
        whole = self._by_slice(self.in_slice.size**3)
        left = self.all_of_value - self.in_row.size
        return whole, whole[self.cells.of_row] - self._by_row(self.all_of_value**3 - left**3)

    @cached_property
    def rarer(self) -> Floats:
        """How many clusters of each slice hold another value than the commonest."""
        groups, cells = self.in_slice, self.cells
        if not groups.size.size:
            return np.zeros(cells.slices)
        first = np.flatnonzero(np.r_[True, groups.outer[1:] != groups.outer[:-1]])
        most = np.zeros(cells.slices)
        most[groups.outer[first]] = np.maximum.reduceat(groups.size, first)
        top = np.flatnonzero(groups.size == most[groups.outer])
        common = np.full(cells.slices, -1)
        common[groups.outer[top][::-1]] = groups.value[top][::-1]
        other = self.codes != common[cells.slice]
        return cells.any_row(count(cells.row[other], size=cells.times.size) > 0)

    # Places: how many items stand below, and half of those beside

    @cached_property
    def places(self) -> Floats:
        """Of each cell in its slice."""
        return self._place(self.in_slice)

    @cached_property
    def places_in_row(self) -> Floats:
        return self._place(self.in_row)

    def _place(self, groups: Groups) -> Floats:
        return (groups.below(groups.size) + groups.size / 2)[groups.of_cell]

    def weigh_above(self, weights: Floats) -> Floats:
        """Of each cell the weights of those above it in its slice, and half of those beside it."""
        groups = self.in_slice
        sums = count(groups.of_cell, weights, groups.size.size)
        whole = count(groups.outer, sums, self.cells.slices)[groups.outer]
        return (whole - groups.below(sums) - sums / 2)[groups.of_cell]


class Order:
    """Two series of the same cells, given as codes in the order of their values."""

    def __init__(self, cells: Cells, first: Codes, second: Codes) -> None:
        self.cells = cells
        self.first, self.second = Series(cells, first), Series(cells, second)
        # Counting costs least by the levels of the one with fewer.
        x, levels = self.first, self.second
        self.x, self.levels = (levels, x) if x.depth < levels.depth else (x, levels)

    @cached_property
    def both(self) -> Series:
        return Series(
            self.cells, coded(self.first.codes * self.second.depth + self.second.codes)[1]
        )

    @cached_property
    def _points(self) -> Groups:
        """Items of a slice that are alike in both, in the order of x and against that of the levels."""
        return self._sorted(self.cells.slice, self.cells.weight)

    @cached_property
    def _points_of_rows(self) -> Groups:
        return self._sorted(self.cells.row, self.cells.number)

    def _sorted(self, outer: Codes, weights: Floats) -> Groups:
        depth = self.levels.depth
        codes = self.x.codes * depth + (depth - 1 - self.levels.codes)
        return Groups.from_codes(outer, codes, weights)

    def _levels_of(self, points: Groups) -> Codes:
        depth = max(self.levels.depth, 1)
        return depth - 1 - points.value % depth

    @cached_property
    def partners(self) -> Floats:
        """Of each cell how many items of its slice are concordant with one of its items."""
        points = self._points
        levels = self._levels_of(points)
        result = lower_before(points.outer, levels, points.size)
        result += lower_before(
            points.outer.max(initial=0) - points.outer[::-1],
            levels.max(initial=0) - levels[::-1],
            points.size[::-1],
        )[::-1]
        return result[points.of_cell]

    @cached_property
    def concordant(self) -> tuple[Floats, Floats]:
        """Of each slice, and without each row."""
        cells, points = self.cells, self._points_of_rows
        among = points.size * lower_before(points.outer, self._levels_of(points), points.size)
        within = count(points.outer, among, cells.times.size)
        return self._leave_out(self.partners, within)

    def _leave_out(self, partners: Floats, within: Floats) -> tuple[Floats, Floats]:
        whole = count(self.cells.slice, self.cells.weight * partners, self.cells.slices) / 2
        ends = count(self.cells.row, self.cells.number * partners, self.cells.times.size)
        return whole, whole[self.cells.of_row] - ends + within

    @cached_property
    def pairs(self) -> tuple[Floats, Floats]:
        """All pairs."""
        left = self.cells.n[self.cells.of_row] - self.cells.size_of_row
        return tuple(n * (n - 1) / 2 for n in (self.cells.n, left))  # type: ignore[return-value]

    def right(self, values: Floats, epsilon: Floats) -> tuple[Floats, Floats]:
        """Pairs decided rightly where scores within `epsilon` of their slice are called tied; `values`:
        the scores by their codes in the second series."""
        cells, scores, people = self.cells, self.second, self.first
        result = []
        for outer, weights in ((cells.slice, cells.weight), (cells.row, cells.number)):
            depth = people.depth
            codes = scores.codes * depth + (depth - 1 - people.codes)
            points = Groups.from_codes(outer, codes, weights)
            x, levels = points.value // depth, depth - 1 - points.value % depth
            slices = points.outer if outer is cells.slice else cells.of_row[points.outer]
            near = epsilon[slices]
            before = right_before(points.outer, x, levels, points.size, values, near)
            after = right_before(
                points.outer.max(initial=0) - points.outer[::-1],
                values.size - 1 - x[::-1],
                depth - 1 - levels[::-1],
                points.size[::-1],
                -values[::-1],
                near[::-1],
            )[::-1]
            # An item is tied with each other one that is like it.
            result.append((points, before + after + points.size - 1))
        (points, partners), (of_rows, inside) = result
        within = count(of_rows.outer, of_rows.size * inside, cells.times.size) / 2
        return self._leave_out(partners[points.of_cell], within)

    # Ranks

    @cached_property
    def rank_products(self) -> tuple[Floats, Floats]:
        """The sum of the products of both ranks less their means."""
        cells, x, levels = self.cells, self.x, self.levels
        places, ranks = x.places, levels.places
        both = cells.by_slice(places * ranks)
        crossed = cells.by_row(
            levels.weigh_above(cells.weight * places) + x.weigh_above(cells.weight * ranks)
        )
        own = cells.by_row((places - x.places_in_row) * (ranks - levels.places_in_row))
        left = cells.n[cells.of_row] - cells.size_of_row
        without = both[cells.of_row] - crossed + self._both_in_row() - own
        return both - cells.n**3 / 4, without - left**3 / 4

    def _both_in_row(self) -> Floats:
        """Over all items of a slice, the places that they have in x among the items of a row times those
        that they have among its levels: level by level, where the latter are the same for all."""
        cells, x, levels = self.cells, self.x, self.levels
        rows, depth = cells.times.size, levels.depth
        result = np.zeros(rows)
        below = np.zeros(rows)
        for level in range(depth):
            here = levels.codes == level
            held = count(cells.row[here], cells.number[here], rows)
            above = x.weigh_above(np.where(here, cells.weight, 0.0))
            result += (below + held / 2) * count(cells.row, cells.number * above, rows)
            below += held
        return result


def lower_before(outer: Codes, levels: Codes, weights: Floats) -> Floats:
    """For each point the weights of earlier ones of its outer part with a lower level; `outer` ascends.

    Two levels differ first at one bit, counted from the top: one stable partition for each bit.
    """
    size, bits = levels.size, int(levels.max(initial=0)).bit_length()
    if not size:
        return np.zeros(0)
    result, item, codes = np.zeros(size), np.arange(size), (outer << bits) | levels
    for bit in range(bits - 1, -1, -1):
        ones = ((codes >> bit) & 1).astype(bool)
        prefix = codes >> (bit + 1)
        new = np.r_[True, prefix[1:] != prefix[:-1]]
        start = np.flatnonzero(new)
        lengths = np.diff(np.r_[start, size])
        seen = np.r_[0.0, np.cumsum(np.where(ones, 0.0, weights))]
        result[item[ones]] += (seen[:-1] - np.repeat(seen[start], lengths))[ones]
        if bit:
            # Zeros before ones within each prefix, in their order.
            zeros = np.cumsum(~ones) - ~ones
            zeros -= np.repeat(zeros[start], lengths)
            begin = np.repeat(start, lengths)
            held = np.repeat(np.add.reduceat(~ones, start, dtype=np.int64), lengths)
            position = np.where(ones, begin + held + np.arange(size) - begin - zeros, begin + zeros)
            order = np.empty_like(position)
            order[position] = np.arange(size)
            codes, weights, item = codes[order], weights[order], item[order]
    return result


def right_before(
    outer: Codes, x: Codes, levels: Codes, weights: Floats, values: Floats, epsilon: Floats
) -> Floats:
    """For each point the weights of earlier ones of its outer part that are of its level and within epsilon,
    or of a lower level and further away. Points stand in the order of x, then against that of levels."""
    size, depth, kinds = x.size, int(levels.max(initial=0)) + 1, values.size
    low = _first_near(values, x, epsilon)
    # Of one level, in the order of x.
    part = (outer * depth + levels) * kinds
    order = ascending(part + x)
    upto = np.r_[0.0, np.cumsum(weights[order])]
    position = np.empty(size, np.int64)
    position[order] = np.arange(size)
    near = upto[position] - upto[np.searchsorted((part + x)[order], part + low)]
    # Every point asks before the first that is near; what asks weighs nothing.
    asks = np.r_[np.zeros(size, dtype=bool), np.ones(size, dtype=bool)]
    line = np.lexsort((~asks, np.r_[x, low], np.r_[outer, outer]))
    result = np.empty(2 * size)
    result[line] = lower_before(
        np.r_[outer, outer][line],
        np.r_[levels, levels][line],
        np.where(asks, 0.0, np.r_[weights, weights])[line],
    )
    return near + result[size:]


def _first_near(values: Floats, x: Codes, epsilon: Floats) -> Codes:
    """For each position the first value within epsilon of that at the position, by the difference itself."""
    mine = values[x]
    low = np.minimum(np.searchsorted(values, mine - epsilon), x)
    while True:
        less = (low > 0) & (mine - values[np.maximum(low - 1, 0)] <= epsilon)
        more = ~less & (mine - values[low] > epsilon)
        if not (less.any() or more.any()):
            return low
        low = low - less + more
