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
    # Where entries stand for several: how many pairs of the group are like each, and how many groups are
    # like each.
    pairs: Codes | None = None
    groups_alike: Codes | None = None

    @classmethod
    def from_kinds(
        cls, people: Floats, scores: Floats, held: Codes, groups_alike: Codes
    ) -> GroupedPairs:
        """Of items of few kinds: `held` (groups × kinds) counts them, `groups_alike` the groups of each row."""
        i, j = np.triu_indices(people.size)
        difference = scores[i] - scores[j]
        by_people = np.sign(people[i] - people[j])
        agrees = (np.sign(difference) == by_people) & (by_people != 0)
        number = np.where(i == j, held[:, i] * (held[:, i] - 1) // 2, held[:, i] * held[:, j])
        listed = np.flatnonzero(agrees | (by_people == 0))
        listed = listed[np.argsort(np.abs(difference[listed]), kind="stable")]
        place, group = np.nonzero(number[:, listed].T)
        per_group = number.sum(axis=1)
        return cls(
            np.abs(difference[listed])[place],
            np.where(agrees[listed], np.int8(-1), np.int8(1))[place],
            group,
            per_group,
            number[:, agrees].sum(axis=1),
            int(groups_alike @ per_group),
            number[group, listed[place]],
            groups_alike,
        )

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

    def pairs_of_groups(self, chosen: np.ndarray) -> GroupedPairs:
        """The pairs of some groups; the others keep their numbers, without a pair."""
        kept = np.flatnonzero(chosen[self.group])
        per_group = np.where(chosen, self.per_group, 0)
        return GroupedPairs(
            self.gap[kept],
            self.sign[kept],
            self.group[kept],
            per_group,
            np.where(chosen, self.concordant, 0),
            int(self.count_alike(per_group).sum()),
            None if self.pairs is None else self.pairs[kept],
            self.groups_alike,
        )

    def right(self, epsilon: float) -> Codes:
        """Pairs decided rightly, by group."""
        upto = int(np.searchsorted(self.gap, epsilon, side="right"))
        sign = self._change()[:upto]
        change = np.bincount(self.group[:upto], weights=sign, minlength=self.per_group.size)
        return self.concordant + np.rint(change).astype(np.int64)

    def _change(self) -> np.ndarray:
        return self.sign if self.pairs is None else self.sign * self.pairs

    def count_alike(self, groups: np.ndarray) -> np.ndarray:
        """How many groups each of these is."""
        return groups * 1 if self.groups_alike is None else groups * self.groups_alike

    def mean_accuracy(self, right: Codes) -> Fraction:
        """The accuracy: the mean over groups."""
        return mean_of_ratios(right, self.per_group, self.groups_alike)

    def is_end(self) -> np.ndarray:
        """True at the last of each run of equal gaps: there a candidate epsilon has taken effect."""
        return np.r_[self.gap[1:] != self.gap[:-1], True][: self.gap.size]

    def weights(self) -> tuple[np.ndarray, int]:
        """What a pair of each group weighs: c/pairs, and c; whole numbers wherever these fit."""
        sizes = np.unique(self.per_group[self.per_group > 0]).tolist()
        common = math.lcm(*sizes)
        safe = np.maximum(self.per_group, 1)
        if common * int(self.count_alike(self.per_group > 0).sum()) < 2**53:
            return common // safe, common
        return 1.0 / safe, 1

    def best(self) -> tuple[float, Codes]:
        """The smallest best epsilon, and the right decisions by group there."""
        start = self.right(0.0) if self.gap.size and self.gap[0] == 0 else self.concordant
        if self.gap.size == 0:
            return 0.0, start
        weight, _ = self.weights()
        ends = self.is_end()
        gained = np.cumsum(self._change() * self.count_alike(weight)[self.group])[ends]
        candidates = self.gap[ends]
        if candidates[0] > 0:
            candidates, gained = np.r_[0.0, candidates], np.r_[gained[:1] * 0, gained]
        if weight.dtype.kind == "i":
            epsilon = float(candidates[np.argmax(gained)])
            return epsilon, self.right(epsilon)
        # Running sums of reciprocals drift in the last digits; those near the top are done again
        # in fractions, so that drift never decides.
        groups = int(self.count_alike(np.ones(self.per_group.size)).sum())
        near = candidates[gained >= gained.max() - 1e-9 * max(1, groups)]
        tried = [(float(epsilon), self.right(float(epsilon))) for epsilon in near]
        return max(tried, key=lambda pick: (self.mean_accuracy(pick[1]), -pick[0]))

    def best_of_each(self, counts: Floats) -> Floats:
        """The calibrated accuracy of every resample (resamples x groups), each calibrated anew.

        Sorted once: a resample only changes what each pair weighs, so its best accuracy is the
        highest point of one running sum, and all resamples walk the pairs together.
        """
        weight, common = self.weights()
        paired = self.per_group > 0
        held = np.ascontiguousarray((counts * np.where(paired, weight, 0)).T)
        drawn = counts[:, paired].sum(axis=1)
        # Row by row, as the walk goes on: a product of matrices adds in another order on every
        # machine.
        reached = np.zeros(counts.shape[0])
        for row, right in zip(held, self.concordant.tolist(), strict=True):
            reached += right * row
        best = None if self.gap.size and self.gap[0] == 0 else reached.copy()
        rows = list(held)
        for sign, group, peak in zip(
            self.sign.tolist(), self.group.tolist(), self.is_peak().tolist(), strict=True
        ):
            if sign > 0:
                reached += rows[group]
            else:
                reached -= rows[group]
            if peak:
                best = reached.copy() if best is None else np.maximum(best, reached, out=best)
        safe = np.where(drawn > 0, drawn, 1)
        return np.where(drawn > 0, best / (common * safe), np.nan)

    def best_without(self, owner: Codes, owners: int) -> Floats:
        """The calibrated accuracy without the groups of each owner in turn, each calibrated anew.

        Leaving groups out takes a step function off the running sum of all pairs, with one step at each
        of their own pairs: between two steps its highest point is that of the whole sum.
        """
        weight, common = self.weights()
        paired = self.per_group > 0
        counted = np.where(paired, weight, 0)
        start = self.concordant * counted
        zero_first = bool(self.gap.size) and self.gap[0] == 0
        change = self._change() * counted[self.group]
        ends = self.is_end()
        of_all = self._change() * self.count_alike(counted)[self.group]
        curve = self.count_alike(start).sum() + np.r_[0, np.cumsum(of_all)[ends]]
        # The candidate from which on each pair counts; without a gap of 0 the start is one as well.
        place = 1 + np.cumsum(np.r_[False, ends[:-1]])[: self.gap.size]
        lowest = 1 if zero_first else 0
        own = owner[self.group]
        order = ascending(own)
        # One stretch up to each owner's first pair, one from each of its pairs on.
        held = np.bincount(own, minlength=owners)
        who = np.repeat(np.arange(owners), held + 1)
        begin = np.cumsum(held + 1) - (held + 1)
        at_pair = np.arange(order.size) + own[order] + 1
        first, lost = np.empty(who.size, np.int64), np.empty(who.size)
        first[begin], first[at_pair] = lowest, place[order]
        lost[begin] = np.bincount(owner, weights=start, minlength=owners)
        lost[at_pair] = change[order]
        running = np.cumsum(lost)
        running -= (running[begin] - lost[begin])[who]
        last = np.r_[first[1:], curve.size] - 1
        last[begin + held] = curve.size - 1
        there = last >= first
        best = np.full(owners, -np.inf)
        highest = highest_between(curve, first[there], last[there]) - running[there]
        owning = np.flatnonzero(np.r_[True, who[there][1:] != who[there][:-1]])
        best[who[there][owning]] = np.maximum.reduceat(highest, owning)
        drawn = self.count_alike(paired).sum() - np.bincount(
            owner, weights=paired, minlength=owners
        )
        return np.where(drawn > 0, best / (common * np.where(drawn > 0, drawn, 1)), np.nan)

    def is_peak(self) -> np.ndarray:
        """True at the ends where the running sum of some resample may be highest: it has just risen,
        and falls next. At all other ends a neighbour is at least as high in every resample, since
        no weight is negative."""
        ends = np.flatnonzero(self.is_end())
        peak = np.zeros(self.gap.size, bool)
        if not ends.size:
            return peak
        first = np.r_[0, ends[:-1] + 1]
        rises = np.maximum.reduceat(self.sign, first) > 0
        falls = np.minimum.reduceat(self.sign, first) < 0
        # The first end has none before it, unless no gap is 0 and the start itself is a candidate.
        rises[0] |= self.gap[0] == 0
        peak[ends] = rises & np.r_[falls[1:], True]
        return peak


def list_groups(groups: Codes, sizes: Codes) -> Iterator[tuple[Codes, Codes, Codes, Codes]]:
    """The groups of each size, their items (groups x size), and the pairs of places among them."""
    order = ascending(groups)
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes[sizes > 1]).tolist():
        members = np.flatnonzero(sizes == size)
        yield members, order[starts[members][:, None] + np.arange(size)], *np.triu_indices(size, 1)


def concordant(x: Floats, levels: Codes, groups: Codes) -> Codes:
    """The concordant pairs within each group."""
    sizes = np.bincount(groups)
    found = np.zeros(sizes.size, np.int64)
    for members, items, i, j in list_groups(groups, sizes):
        by_levels = _signs(levels[items], i, j)
        agrees = _signs(x[items], i, j) == by_levels
        agrees &= by_levels != 0
        found[members] = agrees.sum(axis=1)
    return found


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
