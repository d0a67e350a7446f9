"""The pairs within groups (the images of one prompt), listed once and sorted by their gap.

The list gives the accuracy at any epsilon, the best epsilon, and the best accuracy of every
resample of the groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from jurybox_stats.series import SAMPLE, Codes, Floats, ascending

# Of so few different gaps each is sooner looked for than all are sorted.
FEW = 8


@dataclass(frozen=True, slots=True)
class GroupedPairs:
    """Every pair within a group that can change its verdict with epsilon, and what never changes.

    `gap` ascends; `sign` is +1 where people tie (right from epsilon = gap on) and -1 where the
    metric is concordant (right below gap). Discordant pairs are never right and are not listed.
    """

    gap: Floats
    sign: np.ndarray
    group: Codes
    per_group: Codes
    concordant: Codes
    size: int

    @classmethod
    def from_columns(
        cls, people: Floats, scores: Floats, groups: Codes, decimals: int | None
    ) -> GroupedPairs:
        sizes = np.bincount(groups)
        per_group = sizes * (sizes - 1) // 2
        concordant = np.zeros(sizes.size, np.int64)
        gaps, signs, owners = [np.empty(0)], [np.empty(0, np.int8)], [np.empty(0, np.int64)]
        for members, items, i, j in list_groups(groups, sizes):
            h, m = people[items], scores[items]
            by_people = _signs(h, i, j)
            difference = m[:, i] - m[:, j]
            agrees = np.sign(difference) == by_people
            agrees &= by_people != 0
            concordant[members] = agrees.sum(axis=1)
            row, column = np.nonzero(agrees | (by_people == 0))
            gap: Floats = np.abs(difference[row, column])
            gaps.append(gap if decimals is None else np.round(gap, decimals).astype(np.float64))
            signs.append(np.where(agrees[row, column], np.int8(-1), np.int8(1)))
            owners.append(members[row])
        every = np.concatenate(gaps)
        order = _ascending(every)
        return cls(
            every[order],
            np.concatenate(signs)[order],
            np.concatenate(owners)[order],
            per_group,
            concordant,
            int(per_group.sum()),
        )

    def right(self, epsilon: float) -> Codes:
        """Pairs decided rightly, by group."""
        upto = int(np.searchsorted(self.gap, epsilon, side="right"))
        change = np.bincount(
            self.group[:upto], weights=self.sign[:upto], minlength=self.per_group.size
        )
        return self.concordant + np.rint(change).astype(np.int64)

    def mean_accuracy(self, right: Codes) -> Fraction:
        """The accuracy: the mean over groups."""
        return mean_of_ratios(right, self.per_group)

    def is_end(self) -> np.ndarray:
        """True at the last of each run of equal gaps: there a candidate epsilon has taken effect."""
        return np.r_[self.gap[1:] != self.gap[:-1], True][: self.gap.size]

    def weights(self) -> tuple[np.ndarray, int]:
        """What a pair of each group weighs: c/pairs, and c; whole numbers wherever these fit."""
        sizes = np.unique(self.per_group[self.per_group > 0]).tolist()
        common = math.lcm(*sizes)
        safe = np.maximum(self.per_group, 1)
        if common * int((self.per_group > 0).sum()) < 2**53:
            return common // safe, common
        return 1.0 / safe, 1

    def best(self) -> tuple[float, Codes]:
        """The smallest best epsilon, and the right decisions by group there."""
        start = self.right(0.0) if self.gap.size and self.gap[0] == 0 else self.concordant
        if self.gap.size == 0:
            return 0.0, start
        weight, _ = self.weights()
        ends = self.is_end()
        gained = np.cumsum(self.sign * weight[self.group])[ends]
        candidates = self.gap[ends]
        if candidates[0] > 0:
            candidates, gained = np.r_[0.0, candidates], np.r_[gained[:1] * 0, gained]
        if weight.dtype.kind == "i":
            epsilon = float(candidates[np.argmax(gained)])
            return epsilon, self.right(epsilon)
        # Running sums of reciprocals drift in the last digits; those near the top are done again
        # in fractions, so that drift never decides.
        groups = self.per_group.size
        near = candidates[gained >= gained.max() - 1e-9 * max(1, groups)]
        tried = [(float(epsilon), self.right(float(epsilon))) for epsilon in near]
        return max(tried, key=lambda pick: (self.mean_accuracy(pick[1]), -pick[0]))


def list_groups(groups: Codes, sizes: Codes) -> Iterator[tuple[Codes, Codes, Codes, Codes]]:
    """The groups of each size, their items (groups x size), and the pairs of places among them."""
    order = ascending(groups)
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes[sizes > 1]).tolist():
        members = np.flatnonzero(sizes == size)
        yield members, order[starts[members][:, None] + np.arange(size)], *np.triu_indices(size, 1)


def _signs(values: np.ndarray, i: Codes, j: Codes) -> np.ndarray:
    """Of the differences, as small numbers."""
    first, second = values[:, i], values[:, j]
    return (first > second).astype(np.int8) - (first < second)


def _ascending(values: Floats) -> Codes:
    """Stable, at the speed of a sort that is not."""
    few = np.unique(values[:SAMPLE])
    if few.size <= FEW:
        # Verdicts, and answers of few people, lie apart in few ways.
        places = [np.flatnonzero(values == one) for one in few.tolist()]
        if sum(place.size for place in places) == values.size:
            return np.concatenate([np.empty(0, np.int64), *places])
    order = np.argsort(values)
    ordered = values[order]
    new = np.r_[True, ordered[1:] != ordered[:-1]][: ordered.size]
    if new.all():
        return order
    run = np.empty(values.size, np.int64)
    run[order] = np.cumsum(new)
    return ascending(run)


def highest_between(values: Floats, first: Codes, last: Codes) -> Floats:
    """The highest of values[first : last + 1] for each pair of places: of two windows of a power of two
    that cover it."""
    found = np.empty(first.size)
    level = np.frexp((last - first + 1).astype(np.float64))[1] - 1
    window = np.asarray(values, np.float64)
    for power in range(int(level.max(initial=-1)) + 1):
        here = level == power
        found[here] = np.maximum(window[first[here]], window[last[here] + 1 - 2**power])
        window = np.maximum(window[: -(2**power)], window[2**power :])
    return found


def mean_of_ratios(right: Codes, per_group: Codes, times: Codes | None = None) -> Fraction:
    """The mean over groups of right/pairs, exactly. `times`: how many groups are like each."""
    by_size: dict[int, int] = {}
    every = right if times is None else right * times
    for size in np.unique(per_group[per_group > 0]).tolist():
        by_size[size] = int(every[per_group == size].sum())
    total = sum((Fraction(count, size) for size, count in by_size.items()), Fraction(0))
    paired = per_group > 0
    return total / int(paired.sum() if times is None else times[paired].sum())
