"""All n(n-1)/2 differences of one list of scores: counted, or walked in chunks, in O(n) memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jurybox_stats.counting import pairs
from jurybox_stats.series import Codes, Floats

CHUNK = 1 << 16  # pairs in memory at a time: what the nearest cache holds
MANY_LEVELS = 64  # from here on people tie so little that counting level by level does not pay

Range = tuple[float, float]
# Gaps, whether people tie these pairs, and what each weighs (None: 1).
Chunk = tuple[Floats, bool, Codes | None]


class Differences:
    """The differences of one list of scores in ascending order, without a list of them."""

    def __init__(self, people: Floats, scores: Floats, decimals: int | None) -> None:
        levels = pairs.dense(people)
        self.levels = int(levels.max()) + 1
        self.decimals = decimals
        self.values, value = np.unique(scores, return_inverse=True)
        entry, weight = np.unique(value * self.levels + levels, return_counts=True)
        # An entry is a score and a human level, and how many items share both.
        self.value, self.level, self.weight = entry // self.levels, entry % self.levels, weight
        self.plain = entry.size == scores.size
        self.same = int((weight * (weight - 1) // 2).sum())
        self.scores, self.item_levels = scores, levels
        self._upto: tuple[np.ndarray, np.ndarray] | None = None
        self._below: dict[float, tuple[int, int]] = {0.0: (0, 0)}

    def gap(self, upper: Floats, lower: Floats) -> Floats:
        return pairs.gap(upper, lower, self.decimals)

    def whole(self) -> Range:
        span = self.gap(self.values[-1:], self.values[:1])[0]
        return 0.0, float(np.nextafter(span, np.inf))

    def first_closer(self, bound: float) -> Codes:
        """For each value v the first value u with gap(v, u) < bound, v + 1 if there is none."""
        return pairs.first_closer(self.values, bound, self.decimals)

    def below(self, bound: float) -> tuple[int, int]:
        """How many pairs with gap < bound people tie, and how many are concordant."""
        if bound not in self._below:
            self._below[bound] = self._count_below(bound)
        return self._below[bound]

    def _count_below(self, bound: float) -> tuple[int, int]:
        if self.levels > MANY_LEVELS:
            return pairs.closer(self.scores, self.item_levels, bound, self.decimals)
        if self._upto is None:
            self._upto = self._cumulated()
        own, lower = self._upto
        first = self.first_closer(bound)[self.value]
        tied = own[self.value, self.level] - own[first, self.level]
        concordant = lower[self.value, self.level] - lower[first, self.level]
        return self.same + int(self.weight @ tied), int(self.weight @ concordant)

    def _cumulated(self) -> tuple[np.ndarray, np.ndarray]:
        """How many items of each level, and of lower ones, have one of the first v values."""
        size = self.values.size
        own = np.zeros((size + 1, self.levels), np.int32)
        own[self.value + 1, self.level] = self.weight
        np.cumsum(own, axis=0, out=own)
        lower = np.zeros_like(own)
        np.cumsum(own[:, :-1], axis=1, out=lower[:, 1:])
        return own, lower

    def surplus_below(self, bound: float) -> int:
        tied, concordant = self.below(bound)
        return tied - concordant

    def chunks_between(self, low: float, high: float) -> Iterator[Chunk]:
        """Chunks of the tied and of the concordant pairs with low <= gap < high."""
        if low <= 0 and self.same:
            yield np.zeros(1), True, np.array([self.same])
        begin = self.first_closer(high)
        end = np.minimum(self.first_closer(low), np.arange(self.values.size))
        if self.levels > MANY_LEVELS:
            everyone = _Entries(self, slice(None))
            yield from self._windows(everyone, everyone, begin, end, None)
            return
        for level in range(self.levels):
            asking = _Entries(self, np.flatnonzero(self.level == level))
            lower = _Entries(self, np.flatnonzero(self.level < level))
            yield from self._windows(asking, asking, begin, end, True)
            yield from self._windows(asking, lower, begin, end, False)

    def _windows(
        self, upper: _Entries, lower: _Entries, begin: Codes, end: Codes, tied: bool | None
    ) -> Iterator[Chunk]:
        """Each of the upper entries with the lower ones whose values are from begin to end.

        All pairs are tied or none is; with None each is looked at, and discordant ones left out.
        """
        held = np.bincount(lower.value, minlength=self.values.size)
        position = np.r_[0, np.cumsum(held)]
        start = position[begin[upper.value]]
        count = np.maximum(position[end[upper.value]] - start, 0)
        total = np.cumsum(count)
        if not total.size or total[-1] == 0:
            return
        steps = np.arange(min(2 * CHUNK, int(total[-1])))
        stops = np.searchsorted(total, np.arange(CHUNK, int(total[-1]) + CHUNK, CHUNK), "right")
        first = 0
        for stop in np.unique(np.r_[stops[stops > 0], count.size]).tolist():
            done = int(total[first - 1]) if first else 0
            part = count[first:stop]
            size = int(total[stop - 1]) - done
            if size:
                shift = start[first:stop] - (total[first:stop] - part - done)
                index = np.repeat(shift, part)
                index += steps[:size] if size <= steps.size else np.arange(size)
                gap = self.gap(np.repeat(upper.score[first:stop], part), lower.score[index])
                weight = None
                if not self.plain:
                    weight = np.repeat(upper.weight[first:stop], part) * lower.weight[index]
                if tied is not None:
                    yield gap, tied, weight
                else:
                    mine, theirs = np.repeat(upper.level[first:stop], part), lower.level[index]
                    for chosen, same in ((theirs == mine, True), (theirs < mine, False)):
                        yield gap[chosen], same, None if weight is None else weight[chosen]
            first = stop

    def middle(self, low: float, high: float, rng: np.random.Generator) -> float:
        """The median gap of 31 pairs picked from [low, high)."""
        begin = self.first_closer(high)
        end = np.minimum(self.first_closer(low), np.arange(self.values.size) + 1)
        width = np.maximum(end - begin, 0)
        total = np.cumsum(width)
        picked = rng.integers(0, total[-1], 31)
        upper = np.searchsorted(total, picked, side="right")
        lower = begin[upper] + picked - (total - width)[upper]
        return float(np.sort(self.gap(self.values[upper], self.values[lower]))[15])


class _Entries:
    """Some of the entries, in the order of their scores."""

    def __init__(self, line: Differences, places: Codes | slice) -> None:
        self.value = line.value[places]
        self.level = line.level[places]
        self.weight = line.weight[places]
        self.score = line.values[self.value]
