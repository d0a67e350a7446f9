"""Pairs of items of one group (a prompt, or a slice), sorted by how far apart their scores are: the accuracy at
any epsilon, the best epsilon of each slice, and the best accuracy without each row.

A pair on which people are even is right from epsilon = gap on, one that scores put in people's order is right
below it, and no other ever is. So the accuracy along epsilon is one running sum for each slice.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from jurybox_stats.counting.grouped_pairs import highest_between, list_groups, mean_of_ratios
from jurybox_stats.series import Codes, Floats, ascending, coded
from jurybox_stats.sums.cells import count


@dataclass(frozen=True, slots=True)
class PairList:
    """Pairs: `gap`, `sign` (+1 for people even, -1 for in people's order), their number and their group."""

    gap: Floats
    sign: Floats
    number: Floats
    group: Codes
    # By group: all pairs, those in people's order, the slice, and how many groups are like it.
    pairs: Floats
    concordant: Floats
    slice: Codes
    times: Floats

    @classmethod
    def from_items(
        cls,
        people: Floats,
        scores: Floats,
        number: Floats,
        group: Codes,
        slices: Codes,
        times: Floats,
    ) -> PairList:
        """`number`: of how many items each of these stands; `slices`, `times`: by group."""
        size = slices.size
        alike = number * (number - 1) / 2
        pairs, concordant = count(group, alike, size), np.zeros(size)
        some = np.flatnonzero(alike)
        result = [(np.zeros(some.size), np.ones(some.size), alike[some], group[some])]
        for members, items, i, j in list_groups(group, np.bincount(group, minlength=size)):
            h, m, held = people[items], scores[items], number[items]
            above, difference = h[:, i] - h[:, j], m[:, i] - m[:, j]
            counted = held[:, i] * held[:, j]
            agrees = above * difference > 0
            pairs[members] += counted.sum(axis=1)
            concordant[members] = (counted * agrees).sum(axis=1)
            row, column = np.nonzero(agrees | (above == 0))
            sign = np.where(agrees[row, column], -1.0, 1.0)
            gap = np.abs(difference[row, column])
            result.append((gap, sign, counted[row, column], members[row]))
        gap, sign, counted, owner = (np.concatenate(part) for part in zip(*result, strict=True))
        return cls(gap, sign, counted, owner, pairs, concordant, slices, times)

    def in_slices(self, times: Floats) -> PairList:
        """The same groups in other slices: `times`, slices x groups, says how many of each they hold."""
        slices, group = np.nonzero(times)
        place = np.full(times.shape, -1)
        place[slices, group] = np.arange(group.size)
        owner = place[:, self.group]
        at, pair = np.nonzero(owner >= 0)
        of_pair = self.gap[pair], self.sign[pair], self.number[pair], owner[at, pair]
        of_group = self.pairs[group], self.concordant[group], slices, times[slices, group]
        return PairList(*of_pair, *of_group)

    def accuracy_at(self, epsilon: float) -> Floats:
        """Of each group; 0 where it has no pair."""
        near = self.gap <= epsilon
        change = (self.sign * self.number)[near]
        right = self.concordant + count(self.group[near], change, self.pairs.size)
        return np.where(self.pairs > 0, right / np.maximum(self.pairs, 1), 0.0)


class ByGap:
    """The running sums of the slices, one after the other: where a slice begins, what is right at any
    epsilon below its least gap, then what is right from each of its gaps on."""

    def __init__(self, listed: PairList, slices: int) -> None:
        self.listed, self.slices = listed, slices
        paired = (listed.pairs > 0) * 1.0
        self.paired = paired
        self.groups = count(listed.slice, paired * listed.times, slices)
        weight, self.common = _weights(listed, self.groups)
        self.weight = weight
        start = count(listed.slice, listed.concordant * weight * listed.times, slices)
        gaps, code = coded(listed.gap)
        of_pair = listed.slice[listed.group]
        step, run = coded(of_pair * max(gaps.size, 1) + code)
        owner = step // max(gaps.size, 1)
        # Events: of each slice its start, then its gaps.
        self.event = run + of_pair + 1
        at, first = np.arange(step.size) + owner + 1, np.searchsorted(owner, np.arange(slices + 1))
        self.first = first + np.arange(slices + 1)
        self.epsilon = np.zeros(step.size + slices)
        self.epsilon[at] = gaps[step % max(gaps.size, 1)]
        self.change = listed.sign * listed.number * weight[listed.group]
        rises = np.zeros(step.size + slices)
        rises[at] = count(run, self.change * listed.times[listed.group], step.size)
        rises[self.first[:-1]] = start
        # A slice at a time: sums over several might not be exact.
        self.curve = np.concatenate(
            [np.empty(0), *(np.cumsum(part) for part in np.split(rises, self.first[1:-1]))]
        )
        # Where a gap is 0 nothing is below it.
        starts = self.first[:-1]
        follows = np.minimum(starts + 1, self.epsilon.size - 1)
        zero = (self.first[1:] - starts > 1) & (self.epsilon[follows] == 0)
        self.lowest = starts + zero

    @property
    def _scale(self) -> Floats:
        return np.where(self.groups > 0, np.maximum(self.common, 1) * self.groups, np.nan)

    def even(self) -> Floats:
        """The mean over the groups of each slice of the share of pairs on which people are even."""
        listed = self.listed
        tied = np.where(listed.sign > 0, listed.number, 0.0)
        share = count(listed.group, tied, listed.pairs.size) / np.maximum(listed.pairs, 1)
        total = count(listed.slice, share * listed.times, self.slices)
        return total / np.where(self.groups > 0, self.groups, np.nan)

    def accuracy_at(self, epsilon: float) -> tuple[Floats, Floats]:
        """The accuracy at an epsilon: of each slice, and of each group."""
        reached = [
            begin + int(np.searchsorted(self.epsilon[begin + 1 : end], epsilon, side="right"))
            for begin, end in zip(self.first[:-1].tolist(), self.first[1:].tolist(), strict=True)
        ]
        return self.curve[reached] / self._scale, self.listed.accuracy_at(epsilon)

    def best(self) -> tuple[Floats, Floats]:
        """The best accuracy of each slice, and the smallest epsilon that reaches it."""
        top = np.maximum.reduceat(self._candidates, self.first[:-1])
        slices = np.repeat(np.arange(self.slices), np.diff(self.first))
        reached = np.flatnonzero(self._candidates == top[slices])
        at = np.empty(self.slices, np.int64)
        at[slices[reached][::-1]] = reached[::-1]
        value = top / self._scale
        for slice_ in np.flatnonzero(self.groups * (self.common == 0)).tolist():
            near = self._candidates >= top[slice_] - 1e-9 * max(1.0, float(self.groups[slice_]))
            tried = np.flatnonzero(near & (slices == slice_)).tolist()
            exact = {event: self._exactly(slice_, event) for event in tried}
            at[slice_] = max(tried, key=lambda event: (exact[event], -event))
            value[slice_] = float(exact[at[slice_]])
        return value, self.epsilon[at]

    def _exactly(self, slice_: int, event: int) -> Fraction:
        """The accuracy of a slice at an event, where running sums of reciprocals drift in the last digits."""
        listed = self.listed
        reached = (listed.slice[listed.group] == slice_) & (self.event <= event)
        change = (listed.sign * listed.number)[reached]
        right = listed.concordant + count(listed.group[reached], change, listed.pairs.size)
        here = listed.slice == slice_
        columns = (right[here], listed.pairs[here], listed.times[here])
        return mean_of_ratios(*(column.astype(np.int64) for column in columns))

    @property
    def _candidates(self) -> Floats:
        result = self.curve.copy()
        result[self.first[:-1][self.lowest > self.first[:-1]]] = -np.inf
        return result

    def best_without(self, owner: Codes, owners: Codes) -> Floats:
        """The best accuracy without the groups of each owner in turn, each calibrated anew; `owners`: the
        slice of each.

        Leaving groups out takes a step function off the running sum, with one step at each of their own
        pairs: between two steps its highest point is that of the whole sum.
        """
        listed, size = self.listed, owners.size
        own = owner[listed.group]
        order = ascending(own * self.curve.size + self.event)
        held = np.bincount(own, minlength=size)
        # One stretch up to each owner's first pair, one from each of its pairs on.
        who = np.repeat(np.arange(size), held + 1)
        begin = np.cumsum(held + 1) - (held + 1)
        at_pair = np.arange(order.size) + own[order] + 1
        first, lost = np.empty(who.size, np.int64), np.empty(who.size)
        first[begin], first[at_pair] = self.lowest[owners], self.event[order]
        lost[begin] = count(owner, listed.concordant * self.weight, size)
        lost[at_pair] = self.change[order]
        running = np.cumsum(lost)
        running -= (running[begin] - lost[begin])[who]
        last = np.r_[first[1:], 0] - 1
        last[begin + held] = self.first[owners + 1] - 1
        there = last >= first
        highest = highest_between(self.curve, first[there], last[there]) - running[there]
        mine = who[there]
        best = np.full(size, -np.inf)
        owning = np.flatnonzero(np.r_[True, mine[1:] != mine[:-1]][: mine.size])
        if owning.size:
            best[mine[owning]] = np.maximum.reduceat(highest, owning)
        left = self.groups[owners] - count(owner, self.paired, size)
        under = np.maximum(self.common, 1)[owners] * np.where(left > 0, left, 1)
        return np.where(left > 0, best / under, np.nan)


def _weights(listed: PairList, groups: Floats) -> tuple[Floats, Floats]:
    """What a pair of each group weighs: c / pairs, and c of each slice, so that all are whole numbers; 0 where
    their sums would not be exact, and a pair weighs 1 / pairs."""
    slices, most = groups.size, int(listed.pairs.max(initial=0)) + 1
    paired = listed.pairs > 0
    common = [1] * slices
    for size in np.unique(listed.slice[paired] * most + listed.pairs[paired]).tolist():
        slice_, pairs = divmod(int(size), most)
        common[slice_] = math.lcm(common[slice_], pairs)
    exact = np.array(
        [c if c * n < 2**53 else 0 for c, n in zip(common, groups.tolist(), strict=True)], float
    )
    weight = np.maximum(exact, 1)[listed.slice] / np.maximum(listed.pairs, 1)
    return np.where(paired, weight, 0.0), exact
