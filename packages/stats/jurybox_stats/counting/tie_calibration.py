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
import scipy

from jurybox_stats.counting import differences
from jurybox_stats.counting.differences import Chunk, Differences, Range
from jurybox_stats.series import Codes, Floats

LISTED = 30_000  # pairs sorted at the end
SHORT = 200  # kinds of items whose differences are sooner listed than searched
FEW = 32  # kinds of items


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


def best_epsilon(people: Floats, scores: Floats, decimals: int | None = None) -> tuple[float, int]:
    """The smallest epsilon, of 0 and all differences, at which the pairwise accuracy is highest;
    and how many pairs are then decided rightly."""
    line = Differences(people, scores, decimals)
    concordant = line.below(line.whole()[1])[1]
    best = Best(line.surplus_below(np.nextafter(0.0, 1.0)), 0.0)
    if line.level.size <= SHORT:
        low, high = float(np.nextafter(0.0, 1.0)), line.whole()[1]
        if line.below(low) == line.below(high):
            pass
        elif line.level.size <= FEW:
            _list_kinds(line, best.surplus, best)
        else:
            _list(line, low, high, best.surplus, best)
        return best.epsilon or 0.0, concordant + best.surplus
    # Where people tie nothing, every epsilon above 0 only loses.
    ranges = [line.whole()] if line.levels < people.size else []
    if line.levels <= differences.MANY_LEVELS:
        for cells in _finer(people.size):
            ranges = _by_correlation(line, best, ranges, cells)
    for low, high in _split(line, ranges, best):
        _search(line, low, high, best)
    if best.epsilon is None:
        raise ArithmeticError("the best epsilon was bounded, but no difference reaches it")
    return best.epsilon, concordant + best.surplus


def _finer(n: int) -> list[float]:
    """How many cells: few to begin with, then as many as halve the work of what comes after."""
    finest = n ** (4 / 3) / 7
    return [min(finest, 2.0**14), min(finest, 2.0**21)] if finest > 2**16 else [finest]


def _by_correlation(
    line: Differences, best: Best, ranges: list[Range], cells: float
) -> list[Range]:
    """The parts of the ranges where F could still reach its maximum.

    Cells are a power of two wide, so that cutting is exact. Two scores k cells apart differ by
    more than k - 1 and less than k + 1 widths; hence for e in [k w, (k + 1) w)

        F(e)   <= T(lags <= k + 1) - L(1 <= lags <= k - 1)
        F(k w) >= T(lags <= k - 1) - L(0 <= lags <= k)
    """
    span = line.values[-1] - line.values[0]
    if span <= 0 or not ranges:
        return ranges
    width = 2.0 ** np.ceil(np.log2(span / cells))
    blur = 0
    if line.decimals is not None:
        half = 0.5 * 10.0**-line.decimals
        width = max(width, 2.0 ** np.floor(np.log2(half)))
        blur = int(np.ceil(half / width)) + 1
    if width == 0 or np.abs(line.values).max() / width > 2.0**52:
        return ranges  # scores so far from 0 for their spread that cells cannot be cut exactly
    cell = np.floor(line.values / width)
    cell = (cell - cell[0]).astype(np.int64)
    # Lags beyond the ranges are not used, and need not come out right.
    lags = min(int(cell[-1]) + 1, int(ranges[-1][1] / width) + 3 + blur)
    tied, concordant = (np.cumsum(counts) for counts in _lags(line, cell, lags))
    lag = np.arange(lags + 1 + blur)

    def upto(counts: Codes, lag: Codes) -> Codes:
        return np.where(lag < 0, 0, counts[np.clip(lag, 0, counts.size - 1)])

    surely_lost = np.maximum(upto(concordant, lag - 1 - blur) - concordant[0], 0)
    highest = upto(tied, lag + 1 + blur) - surely_lost
    lowest = upto(tied, lag - 1 - blur) - upto(concordant, lag + blur)
    best.see(int(lowest[1:].max()))
    top = 1 + int(np.argmax(highest[1:] + lowest[1:]))
    best.see(line.surplus_below(float(top * width)))
    kept = np.flatnonzero(highest >= best.surplus)
    if kept.size == 0:
        return []
    breaks = np.flatnonzero(np.diff(kept) > 1)
    firsts, lasts = kept[np.r_[0, breaks + 1]], kept[np.r_[breaks, kept.size - 1]]
    reachable = [
        (float(a * width), float((b + 1) * width)) for a, b in zip(firsts, lasts, strict=True)
    ]
    return _both(ranges, reachable)


def _both(some: list[Range], others: list[Range]) -> list[Range]:
    """What lies in a range of each list."""
    meets = [(max(a, c), min(b, d)) for a, b in some for c, d in others if a < d and c < b]
    return sorted(meets)


def _lags(line: Differences, cell: Codes, lags: int) -> tuple[Codes, Codes]:
    """How many tied and how many concordant pairs lie 0, 1, ... lags - 1 cells apart."""
    cells = int(cell[-1]) + 1
    length = _padded(cells + lags)
    # In place: of a million scores each of these takes a hundred megabytes.
    tied = np.zeros(length // 2 + 1)
    lower, concordant = np.zeros((2, tied.size), dtype=np.complex128)
    for level in range(line.levels):
        mine = line.level == level
        held = np.bincount(cell[line.value[mine]], weights=line.weight[mine], minlength=cells)
        spectrum = scipy.fft.rfft(held, length)
        del held
        tied += spectrum.real**2
        tied += spectrum.imag**2
        if level:
            concordant += lower * spectrum
        lower += np.conjugate(spectrum, out=spectrum)
    del lower, spectrum
    pairs_at = [_in_whole_numbers(tied, length, lags), _in_whole_numbers(concordant, length, lags)]
    # Lag 0 holds every item with itself, and every other pair of a cell twice.
    pairs_at[0][0] = (pairs_at[0][0] - line.scores.size) // 2
    return pairs_at[0], pairs_at[1]


def _padded(size: int) -> int:
    """The next of 9, 12, 18, 24, 36 …: SciPy keeps its plans for the last sixteen lengths, and of a million
    scores each of them takes thirty megabytes."""
    sixteenth = max(1, (1 << (size - 1).bit_length()) // 16)
    return next(parts * sixteenth for parts in (9, 12, 18) if size <= parts * sixteenth)


def _in_whole_numbers(transformed: np.ndarray, length: int, lags: int) -> Codes:
    counts = scipy.fft.irfft(transformed, length)[:lags]
    whole = np.rint(counts)
    if np.abs(counts - whole).max() > 0.2:
        raise ArithmeticError("the correlation of the scores lost its last digit")
    return whole.astype(np.int64)


def _split(line: Differences, ranges: list[Range], best: Best) -> list[Range]:
    """The ranges, halved at exact counts and thrown away, while that is cheaper than listing.

    With N pairs in all and a count as dear as E pairs, about sqrt(N E) pairs are best listed.
    """

    def below(bound: float) -> tuple[int, int]:
        tied, concordant = line.below(bound)
        if bound > 0:
            best.see(tied - concordant)
        return tied, concordant

    def size(part: Range) -> int:
        return sum(below(part[1])) - sum(below(part[0]))

    def hopeful(part: Range) -> bool:
        return below(part[1])[0] - below(part[0])[1] >= best.surplus

    n = line.scores.size
    enough = LISTED + 2 * n * np.sqrt(n * min(line.levels, differences.MANY_LEVELS))
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
    # No more bins than the second-level cache holds: finer ones cost more than another pass.
    bins = int(np.clip(size // 1024, 1 << 12, 1 << 15))
    with np.errstate(over="ignore", divide="ignore"):
        # A little less than full, so that rounding never reaches past the last bin.
        scale = float(min((1 - 1e-9) * bins / (high - low), 1e300))
    placed = _placed(line.chunks_between(low, high), low, scale, bins)
    kept = _hopeful_bins(placed, bins, before, best)
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


def _hopeful_bins(placed: Iterator, bins: int, before: int, best: Best) -> Codes:
    """Apart from the search, which may be a hundred deep: megabytes of counts go before it goes on."""
    lost, gained = counts = np.zeros((2, bins), np.int64)
    for place, tied, weight in placed:
        held = np.bincount(place, weights=weight, minlength=bins)
        counts[int(tied)] += held if weight is None else np.rint(held).astype(np.int64)
    after = before + np.cumsum(gained - lost)
    best.see(int(after.max()))
    return np.flatnonzero((after + lost >= best.surplus) & (gained + lost > 0))


def _placed(chunks: Iterator[Chunk], low: float, scale: float, bins: int) -> Iterator:
    """The bin of each gap; chunks joined up to several times the number of bins, since each of
    them costs a walk over all bins. The gaps are used up."""
    buffer, size, held = np.empty(8 * bins + 2 * differences.CHUNK, np.int64), 0, False
    for gap, tied, weight in chunks:
        gap -= low
        gap *= scale
        if weight is not None or gap.size > 2 * differences.CHUNK:
            yield gap.astype(np.int64), tied, weight
            continue
        if size and (tied != held or size >= 8 * bins):
            yield buffer[:size], held, None
            size = 0
        np.copyto(buffer[size : size + gap.size], gap, casting="unsafe")
        size, held = size + gap.size, tied
    yield buffer[:size], held, None


def _list(line: Differences, low: float, high: float, before: int, best: Best) -> None:
    gaps, signs = [], []
    for gap, tied, weight in line.chunks_between(low, high):
        ones = np.ones(gap.size, np.int64) if weight is None else weight
        gaps.append(gap)
        signs.append(ones if tied else -ones)
    _see_each(np.concatenate(gaps), np.concatenate(signs), before, best)


def _list_kinds(line: Differences, before: int, best: Best) -> None:
    """The same of all pairs of so few kinds of items that each is held beside each."""
    upper, lower = np.nonzero(line.value[:, None] > line.value[None, :])
    level, below = line.level[upper], line.level[lower]
    gap = line.gap(line.values[line.value[upper]], line.values[line.value[lower]])
    ordered = (below <= level) & (gap > 0)
    sign = np.where(below == level, 1, -1) * line.weight[upper] * line.weight[lower]
    _see_each(gap[ordered], sign[ordered], before, best)


def _see_each(gap: Floats, sign: Codes, before: int, best: Best) -> None:
    order = np.argsort(gap)
    gap = gap[order]
    surplus = before + np.cumsum(sign[order])
    end = np.r_[gap[1:] != gap[:-1], True]
    gap, surplus = gap[end], surplus[end]
    top = int(np.argmax(surplus))
    best.see(int(surplus[top]), float(gap[top]))
