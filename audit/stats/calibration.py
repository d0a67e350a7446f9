"""The best epsilon among all n(n-1)/2 differences, without listing them: exact, memory O(n).

With T(e) the pairs that people tie and that lie within e, and L(e) the concordant pairs within e,

    acc(e) = (C + F(e)) / P,    F = T - L,

and both T and L only ever grow. So F <= T(b) - L(a) anywhere on [a, b), which throws away nearly
all of the axis before a single pair is looked at:

1. scores are cut into cells of equal width; how many pairs lie k cells apart is a correlation,
   one Fourier transform per human level, and gives T and L to within a cell (`_by_correlation`);
2. what is left is split at exact counts, O(n k) each, where cells could not help (`_split`);
3. a histogram of the differences in what is left, whose bins follow the rounded difference
   itself, so that F is exact at their ends (`_search`);
4. the last bins are listed, sorted and summed (`_list`).

Every count is an integer; equal scores of one human level are one entry with a weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import fft

from audit.stats import pairs
from audit.stats.series import Codes, Floats

LISTED = 150_000  # pairs sorted at the end
CHUNK = 500_000  # pairs in memory at a time
MANY_LEVELS = 64  # from here on people tie so little that transforms per level do not pay

Range = tuple[float, float]


@dataclass
class Best:
    """The highest F so far, and the smallest epsilon seen to reach it (None: not listed yet)."""

    surplus: int
    epsilon: float | None = None

    def see(self, surplus: int, epsilon: float | None = None) -> None:
        if surplus > self.surplus:
            self.surplus, self.epsilon = surplus, epsilon
        elif surplus == self.surplus and epsilon is not None:
            known = self.epsilon
            self.epsilon = epsilon if known is None else min(known, epsilon)


class Differences:
    """All differences of one list of scores, in order but never written down."""

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
        self._upto: np.ndarray | None = None

    def gap(self, upper: Floats, lower: Floats) -> Floats:
        return pairs.gap(upper, lower, self.decimals)

    def whole(self) -> Range:
        span = self.gap(self.values[-1:], self.values[:1])[0]
        return 0.0, float(np.nextafter(span, np.inf))

    def first_closer(self, bound: float) -> Codes:
        """For each value v the first value u with gap(v, u) < bound, v + 1 if there is none."""
        return pairs.first_closer(self.values, bound, self.decimals)

    def below(self, bound: float) -> tuple[int, int]:
        """T and L over the pairs with gap < bound."""
        if bound <= 0:
            return 0, 0
        if self.levels > MANY_LEVELS:
            return pairs.closer(self.scores, self.item_levels, bound, self.decimals)
        if self._upto is None:
            size = self.values.size
            cells = np.zeros((size + 1, self.levels), np.int32)
            cells[self.value + 1, self.level] = self.weight
            self._upto = np.cumsum(cells, axis=0, dtype=np.int32)
        first = self.first_closer(bound)
        tied, concordant = self.same, 0
        for start in range(0, self.value.size, 1 << 16):
            part = slice(start, start + (1 << 16))
            value, level, weight = self.value[part], self.level[part], self.weight[part]
            window = self._upto[value] - self._upto[first[value]]
            lower = np.cumsum(window, axis=1)
            row = np.arange(value.size)
            same = window[row, level]
            tied += int(weight @ same)
            concordant += int(weight @ (lower[row, level] - same))
        return tied, concordant

    def surplus_below(self, bound: float) -> int:
        tied, concordant = self.below(bound)
        return tied - concordant

    def between(self, low: float, high: float) -> Iterator[tuple[Floats, np.ndarray, Codes]]:
        """Chunks of (gap, tied?, weight) of the tied and concordant pairs, low <= gap < high."""
        if low <= 0 and self.same:
            yield np.zeros(1), np.ones(1, bool), np.array([self.same])
        begin = self.first_closer(high)
        end = np.minimum(self.first_closer(low), np.arange(self.values.size))
        # Whoever is of one's own level or a lower one decides something: tied or concordant.
        levels = range(self.levels) if self.levels <= MANY_LEVELS else [None]
        for level in levels:
            asking = slice(None) if level is None else np.flatnonzero(self.level == level)
            asked = slice(None) if level is None else np.flatnonzero(self.level <= level)
            upper, lower = _Entries(self, asking), _Entries(self, asked)
            held = np.bincount(lower.value, minlength=self.values.size)
            position = np.r_[0, np.cumsum(held)]
            start = position[begin[upper.value]]
            count = np.maximum(position[end[upper.value]] - start, 0)
            yield from self._listed(upper, lower, start, count)

    def _listed(self, upper: _Entries, lower: _Entries, start: Codes, count: Codes) -> Iterator:
        total = np.cumsum(count)
        first = 0
        while first < count.size:
            done = int(total[first - 1]) if first else 0
            stop = max(first + 1, int(np.searchsorted(total, done + CHUNK, side="right")))
            part = count[first:stop]
            size = int(total[stop - 1]) - done
            if size:
                shift = start[first:stop] - (total[first:stop] - part - done)
                index = np.arange(size) + np.repeat(shift, part)
                gap = self.gap(np.repeat(upper.score[first:stop], part), lower.score[index])
                level = np.repeat(upper.level[first:stop], part)
                tied = lower.level[index] == level
                if self.plain:
                    weight = np.ones(1, np.int64)
                else:
                    weight = np.repeat(upper.weight[first:stop], part) * lower.weight[index]
                if self.levels > MANY_LEVELS:
                    deciding = lower.level[index] <= level
                    gap, tied = gap[deciding], tied[deciding]
                    weight = weight if self.plain else weight[deciding]
                yield gap, tied, np.broadcast_to(weight, gap.shape)
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

    def __init__(self, line: Differences, places) -> None:
        self.value = line.value[places]
        self.level = line.level[places]
        self.weight = line.weight[places]
        self.score = line.values[self.value]


def best_epsilon(people: Floats, scores: Floats, decimals: int | None = None) -> float:
    """The smallest epsilon, of 0 and all differences, at which the pairwise accuracy is highest."""
    line = Differences(people, scores, decimals)
    if line.levels == people.size:
        return 0.0  # people tie nothing: every epsilon above 0 only loses
    best = Best(line.surplus_below(np.nextafter(0.0, 1.0)), 0.0)
    ranges = [line.whole()]
    if people.size > 600 and line.levels <= MANY_LEVELS:
        ranges = _by_correlation(line, best) or ranges
    for low, high in _split(line, ranges, best):
        _search(line, low, high, best)
    assert best.epsilon is not None
    return best.epsilon


def _by_correlation(line: Differences, best: Best) -> list[Range] | None:
    """The parts of the axis where F could still reach its maximum; None where cells do not fit.

    Cells are a power of two wide, so that cutting is exact. Two scores k cells apart differ by
    more than k - 1 and less than k + 1 widths; hence for e in [k w, (k + 1) w)

        F(e)   <= T(lags <= k + 1) - L(1 <= lags <= k - 1)
        F(k w) >= T(lags <= k - 1) - L(0 <= lags <= k)
    """
    span = line.values[-1] - line.values[0]
    if span <= 0:
        return None
    n = line.scores.size
    width = 2.0 ** np.ceil(np.log2(span) - np.clip(np.log2(n) * 4 / 3 - 3.5, 8, 20))
    blur = 0
    if line.decimals is not None:
        half = 0.5 * 10.0**-line.decimals
        width = max(width, 2.0 ** np.floor(np.log2(half)))
        blur = int(np.ceil(half / width)) + 1
    if width == 0 or np.abs(line.values).max() / width > 2.0**52:
        return None
    cell = np.floor(line.values / width)
    tied, concordant = (np.cumsum(c) for c in _lags(line, (cell - cell[0]).astype(np.int64)))
    lag = np.arange(tied.size + 1 + blur)

    def upto(counts: Codes, lag: Codes) -> Codes:
        return np.where(lag < 0, 0, counts[np.clip(lag, 0, counts.size - 1)])

    surely_lost = np.maximum(upto(concordant, lag - 1 - blur) - concordant[0], 0)
    highest = upto(tied, lag + 1 + blur) - surely_lost
    lowest = upto(tied, lag - 1 - blur) - upto(concordant, lag + blur)
    best.see(int(lowest[1:].max()))
    top = 1 + int(np.argmax(highest[1:] + lowest[1:]))
    best.see(line.surplus_below(float(top * width)))
    kept = np.flatnonzero(highest >= best.surplus)
    breaks = np.flatnonzero(np.diff(kept) > 1)
    firsts, lasts = kept[np.r_[0, breaks + 1]], kept[np.r_[breaks, kept.size - 1]]
    return [(float(a * width), float((b + 1) * width)) for a, b in zip(firsts, lasts, strict=True)]


def _lags(line: Differences, cell: Codes) -> tuple[Codes, Codes]:
    """How many tied and how many concordant pairs lie 0, 1, 2, ... cells apart."""
    cells = int(cell[-1]) + 1
    length = fft.next_fast_len(2 * cells, real=True)
    lower = tied = concordant = 0
    for level in range(line.levels):
        mine = line.level == level
        held = np.bincount(cell[line.value[mine]], weights=line.weight[mine], minlength=cells)
        spectrum = fft.rfft(held, length)
        tied = tied + (spectrum.real**2 + spectrum.imag**2)
        if level:
            concordant = concordant + lower * spectrum
        lower = lower + spectrum.conj()
    found = []
    for transformed in (tied, concordant):
        counts = fft.irfft(transformed, length)[:cells]
        whole = np.rint(counts)
        if np.abs(counts - whole).max() > 0.2:
            raise ArithmeticError("the correlation of the scores lost its last digit")
        found.append(whole.astype(np.int64))
    # Lag 0 holds every item with itself, and every other pair of a cell twice.
    found[0][0] = (found[0][0] - line.scores.size) // 2
    return found[0], found[1]


def _split(line: Differences, ranges: list[Range], best: Best) -> list[Range]:
    """The ranges, halved at exact counts and thrown away, while that is cheaper than listing.

    With N pairs in all and a count as dear as E pairs, about sqrt(N E) pairs are best listed.
    """
    known: dict[float, tuple[int, int]] = {}

    def below(bound: float) -> tuple[int, int]:
        if bound not in known:
            known[bound] = line.below(bound)
            if bound > 0:
                best.see(known[bound][0] - known[bound][1])
        return known[bound]

    def size(part: Range) -> int:
        return sum(below(part[1])) - sum(below(part[0]))

    def hopeful(part: Range) -> bool:
        return below(part[1])[0] - below(part[0])[1] >= best.surplus

    n = line.scores.size
    enough = LISTED + 2 * n * np.sqrt(n * min(line.levels, MANY_LEVELS))
    rng = np.random.default_rng(0)
    live = [part for part in ranges if hopeful(part)]
    while sum(size(part) for part in live) > enough:
        low, high = part = max(live, key=size)
        pivot = max(line.middle(low, high, rng), float(np.nextafter(low, np.inf)))
        if pivot >= high:
            break  # one difference, many pairs: the search counts them without listing
        live.remove(part)
        live = [part for part in (*live, (low, pivot), (pivot, high)) if hopeful(part)]
    return sorted(part for part in live if hopeful(part))


def _search(line: Differences, low: float, high: float, best: Best) -> None:
    """See the maximum of F on [low, high)."""
    (tied, concordant), (tied_after, concordant_after) = line.below(low), line.below(high)
    size = tied_after - tied + concordant_after - concordant
    before = tied - concordant
    if size == 0 or tied_after - concordant < best.surplus:
        return
    if np.nextafter(low, np.inf) >= high:
        best.see(tied_after - concordant_after, low)
        return
    if size <= LISTED:
        _list(line, low, high, before, best)
        return
    bins = int(np.clip(size // 64, 1 << 10, 1 << 20))
    with np.errstate(over="ignore", divide="ignore"):
        scale = float(min(bins / (high - low), 1e300))
    counts = np.zeros((2, bins), np.int64)
    for gap, is_tied, weight in line.between(low, high):
        place = np.minimum((gap - low) * scale, bins - 1).astype(np.int64)
        for row, chosen in enumerate((is_tied, ~is_tied)):
            part = place[chosen]
            if line.plain and low > 0:
                counts[row] += np.bincount(part, minlength=bins)
            else:
                found = np.bincount(part, weights=weight[chosen], minlength=bins)
                counts[row] += np.rint(found).astype(np.int64)
    gained, lost = counts
    after = before + np.cumsum(gained - lost)
    best.see(int(after.max()))
    hopeful = (after + lost >= best.surplus) & (gained + lost > 0)
    kept = np.flatnonzero(hopeful)
    if kept.size == 0:
        return
    breaks = np.flatnonzero((np.diff(kept) > 1) & (np.diff(kept) * 8 > bins))
    for first, last in zip(np.r_[0, breaks + 1], np.r_[breaks, kept.size - 1], strict=True):
        # A bin may be narrower than the last digit of its ends: one float further out holds all.
        start = np.nextafter(low + (float(kept[first]) - 1e-3) / scale, -np.inf)
        stop = np.nextafter(low + (float(kept[last]) + 1 + 1e-3) / scale, np.inf)
        inner = max(low, float(start)), min(high, float(stop))
        if 2 * (inner[1] - inner[0]) > high - low:
            middle = low + (high - low) / 2
            middle = middle if low < middle < high else float(np.nextafter(low, np.inf))
            _search(line, low, middle, best)
            _search(line, middle, high, best)
            return
        _search(line, *inner, best)


def _list(line: Differences, low: float, high: float, before: int, best: Best) -> None:
    chunks = list(line.between(low, high))
    gap, tied, weight = (np.concatenate(part) for part in zip(*chunks, strict=True))
    order = np.argsort(gap)
    gap = gap[order]
    surplus = before + np.cumsum(np.where(tied, weight, -weight)[order])
    end = np.r_[gap[1:] != gap[:-1], True]
    gap, surplus = gap[end], surplus[end]
    top = int(np.argmax(surplus))
    best.see(int(surplus[top]), float(gap[top]))
