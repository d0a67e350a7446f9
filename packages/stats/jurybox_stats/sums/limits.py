"""The intervals of `resampling.small_samples` for many slices at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from jurybox_stats.estimate import Estimate, Result, Undefined, WithoutInterval
from jurybox_stats.resampling.small_samples import (
    ALIKE,
    LEAST_RARER,
    NO_SPREAD,
    ROUNDING,
    Scale,
    lost_without,
    spread_on,
    too_few_rarer,
)
from jurybox_stats.series import Floats
from jurybox_stats.sums.cells import Cells

ONE_PROMPT = "one prompt only: there is nothing to resample"
CONFIDENCE = 0.95
TAIL = (1 - CONFIDENCE) / 2


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A statistic of each slice and without each of its rows, and how its interval is made."""

    value: Floats
    without: Floats
    scale: Scale
    # How far it falls from its end when all prompts go wrong, and how many could (0: all).
    reach: Floats | float = 1.0
    voices: Floats | None = None
    # Clusters that hold another answer than the commonest, where these are what tells.
    rarer: Floats | None = None
    at_least: int = LEAST_RARER


@dataclass
class Jackknife:
    """Of each slice the spread of a statistic over what is left without each cluster. `why` has a reason
    where it is undefined."""

    cells: Cells
    why: Sequence[str]
    left_out: LeftOut

    def __post_init__(self) -> None:
        cells, left_out, clusters = self.cells, self.left_out, self.cells.clusters
        nowhere = np.isnan(left_out.without)
        self.missing = cells.any_row(nowhere)
        left = np.where(nowhere, 0.0, left_out.without)
        safe = np.maximum(clusters, 1)
        self.away = left - (cells.total(left) / safe)[cells.of_row]
        squares = self.away**2
        spread = cells.total(squares)
        self.error = np.sqrt(np.maximum(clusters - 1, 0) / safe * spread)
        # As many degrees of freedom as a variance has that is the sum of these: fewer than clusters where
        # a few are most of it.
        share = squares / np.where(spread > 0, spread, 1.0)[cells.of_row]
        kurtosis = clusters * cells.total(share**2)
        freedom = np.maximum(2.0, 2 * clusters / np.maximum(kurtosis - 1, 1e-9))
        self.freedom = np.maximum(np.minimum(clusters - 1.0, freedom), 1.0)

    def results(self, confidence: float = CONFIDENCE) -> list[Result]:
        half = scipy.special.stdtrit(self.freedom, (1 + confidence) / 2) * self.error
        return [self._result(at, wide, confidence) for at, wide in enumerate(half.tolist())]

    def reason(self, at: int) -> Result | None:
        """Why the slice has no interval whatever its spread."""
        result, n, clusters = self.left_out, int(self.cells.n[at]), int(self.cells.clusters[at])
        if self.why[at]:
            return Undefined(self.why[at], n)
        if clusters < 2:
            return Undefined(ONE_PROMPT, n)
        if result.rarer is not None and (
            reason := too_few_rarer(int(result.rarer[at]), clusters, result.at_least)
        ):
            return WithoutInterval(float(result.value[at]), None, None, n, reason)
        return None

    def _result(self, at: int, half: float, confidence: float) -> Result:
        if (reason := self.reason(at)) is not None:
            return reason
        result, n = self.left_out, int(self.cells.n[at])
        if (lost := lost_without(int(self.missing[at]), n)) is not None:
            return lost
        voices = result.voices[at] if result.voices is not None else self.cells.clusters[at]
        reach = result.reach if isinstance(result.reach, float) else float(result.reach[at])
        point = Estimate(float(result.value[at]), None, None, n)
        error = float(self.error[at])
        return spread_on(point, error, half, result.scale, reach, int(voices), confidence)


class Difference:
    """What a statistic is on one series less what it is on another, of the first slice: each side with its own
    interval, or with none where no prompt can change it."""

    def __init__(self, first: Jackknife, second: Jackknife) -> None:
        self.sides, self.cells = (first, second), first.cells
        away = first.away, second.away
        products = (away[0] ** 2, away[1] ** 2, away[0] * away[1], (away[0] - away[1]) ** 2)
        one, other, both, moved = (float(self.cells.total(part)[0]) for part in products)
        scale = math.sqrt(one) * math.sqrt(other)
        self.r = min(1.0, max(-1.0, both / scale)) if scale > 0 else 0.0
        self.moves = math.sqrt(moved) > ROUNDING or not (one or other)

    def result(self, confidence: float = CONFIDENCE) -> Result:
        reasons = [side.reason(0) for side in self.sides]
        for reason in reasons:
            if reason is not None and not isinstance(reason, WithoutInterval):
                return reason
        values = [float(side.left_out.value[0]) for side in self.sides]
        n = int(self.cells.n[0])
        point = Estimate(values[0] - values[1], None, None, n)
        for reason in reasons:
            if isinstance(reason, WithoutInterval):
                return WithoutInterval(point.value, None, None, n, reason.reason)
        without = self.sides[0].left_out.without - self.sides[1].left_out.without
        lost = lost_without(int(self.cells.any_row(np.isnan(without))[0]), n)
        if lost is not None:
            return lost
        first, second = (
            _ends(side.results(confidence)[0], value)
            for side, value in zip(self.sides, values, strict=True)
        )
        if not self.moves or (first[1] == first[2] and second[1] == second[2]):
            return Undefined(NO_SPREAD, n)
        low, high = map(float, square_and_add(first, second, self.r))
        return Estimate(point.value, min(low, point.value), max(high, point.value), n)


def _ends(result: Result, value: float) -> tuple[float, float, float]:
    if isinstance(result, Undefined) or result.low is None or result.high is None:
        return value, value, value
    return value, result.low, result.high


def estimates(cells: Cells, why: Sequence[str], left_out: LeftOut) -> list[Result]:
    return Jackknife(cells, why, left_out).results()


def with_limits(
    cells: Cells, why: Sequence[str], value: Floats, low: Floats, high: Floats
) -> list[Result]:
    """Of statistics with a formula for their limits."""
    columns = zip(
        *(column.tolist() for column in (value, low, high, cells.n, cells.clusters)), strict=True
    )
    return [
        Undefined(reason, int(n))
        if reason
        else Undefined(ONE_PROMPT, int(n))
        if clusters < 2
        else Estimate(middle, lower, upper, int(n))
        for reason, (middle, lower, upper, n, clusters) in zip(why, columns, strict=True)
    ]


def share_limits(cells: Cells, hits: Floats, asked: Floats) -> tuple[Floats, Floats]:
    """Of the hits among what was asked, both by row."""
    n, clusters = cells.total(asked), cells.clusters
    p = cells.total(hits) / np.maximum(n, 1)
    spread = cells.total((hits - p[cells.of_row] * asked) ** 2)
    variance = clusters / np.maximum(clusters - 1, 1) * spread / np.maximum(n, 1) ** 2
    differ = (spread > 0) & (clusters > 1)
    size = p * (1 - p) / np.where(differ, variance, 1.0)
    size = np.where(differ, np.minimum(n, np.maximum(1.0, size)), clusters)
    return mid_p(p * size, size), 1 - mid_p((1 - p) * size, size)


def mean_limits(
    cells: Cells, values: Floats, ends: tuple[float, float] | None = None
) -> tuple[Floats, Floats, Floats]:
    """The mean of the values of the cells, and its limits."""
    bottom, top = ends or (0.0, 1.0)
    n, clusters = np.maximum(cells.n, 1), np.maximum(cells.clusters, 1)
    middle = cells.by_slice(values) / n
    least, largest = cells.extremes(values)
    shares = _are_shares(cells, values) & ((bottom, top) == (0.0, 1.0))
    within = (bottom <= least) & (largest <= top) & (bottom < top) & ~shares
    pull = cells.by_row(values - middle[cells.slice]) / n[cells.of_row]
    variance = clusters / np.maximum(clusters - 1, 1) * cells.total(pull**2)
    span = top - bottom
    at_an_end = np.minimum(middle - bottom, top - middle) <= ROUNDING * span
    bent = within & (at_an_end | (variance > ALIKE * span**2))
    t = scipy.special.stdtrit(np.maximum(clusters - 1, 1), (1 + CONFIDENCE) / 2)
    half = t * np.sqrt(variance)
    low, high = middle - half, middle + half
    if bent.any():
        p = np.where(bent, (middle - bottom) / (span or 1.0), 0.5)
        few = (float(scipy.special.ndtri(1 - TAIL)) / t) ** 2
        spreads = variance > ALIKE * span**2
        size = few * p * (1 - p) * span**2 / np.where(spreads, variance, 1.0)
        size = np.where(spreads, np.maximum(1.0, size), clusters)
        low = np.where(bent, bottom + span * mid_p(p * size, size), low)
        high = np.where(bent, bottom + span * (1 - mid_p((1 - p) * size, size)), high)
    if shares.any():
        of_share = share_limits(cells, cells.by_row(values == 1), cells.size_of_row)
        low, high = np.where(shares, of_share[0], low), np.where(shares, of_share[1], high)
    return middle, low, high


def difference_limits(cells: Cells, first: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
    """The mean of the first less that of the second, and its limits."""
    verdicts = _are_shares(cells, first) & _are_shares(cells, second)
    if verdicts.all():
        return _limits_of_verdicts(cells, first, second)
    n, clusters = np.maximum(cells.n, 1), np.maximum(cells.clusters, 1)
    sides = mean_limits(cells, first), mean_limits(cells, second)
    value = sides[0][0] - sides[1][0]
    pulls = [
        cells.by_row(values - side[0][cells.slice]) / n[cells.of_row]
        for values, side in zip((first, second), sides, strict=True)
    ]
    # Two judges that never differ on G prompts may on the next one; and what is seen on few prompts is
    # shrunk a little, else the interval is too narrow.
    most = 1 - 1 / clusters
    scale = np.sqrt(cells.total(pulls[0] ** 2)) * np.sqrt(cells.total(pulls[1] ** 2))
    r = cells.total(pulls[0] * pulls[1]) / np.where(scale > 0, scale, 1.0)
    r = np.minimum(most, np.maximum(-most, np.where(scale > 0, r, 0.0))) * most
    low, high = square_and_add(sides[0], sides[1], r)
    if verdicts.any():
        _, *ends = _limits_of_verdicts(cells, first, second)
        low, high = np.where(verdicts, ends[0], low), np.where(verdicts, ends[1], high)
    return value, low, high


def _limits_of_verdicts(
    cells: Cells, first: Floats, second: Floats
) -> tuple[Floats, Floats, Floats]:
    """Of two answers of yes or no to each item: what counts is how often only one of them says yes."""
    n, clusters = np.maximum(cells.n, 1), np.maximum(cells.clusters, 1)
    value = cells.by_slice(first) / n - cells.by_slice(second) / n
    differences = first - second
    middle = cells.by_slice(differences) / n
    away = differences - middle[cells.slice]
    alone = cells.by_slice(away**2)
    together = clusters / np.maximum(clusters - 1, 1) * cells.total(cells.by_row(away) ** 2)
    size = np.where(alone > 0, n / np.maximum(1.0, together / np.where(alone > 0, alone, 1.0)), n)
    more, less = (cells.by_slice(differences == way) / n * size + 1 for way in (1, -1))
    share = (more - less) / (size + 2)
    error = np.sqrt(np.maximum(((more + less) / (size + 2) - share**2) / (size + 2), 0.0))
    half = scipy.special.stdtrit(np.maximum(clusters - 1, 1), (1 + CONFIDENCE) / 2) * error
    low, high = np.minimum(middle, share - half), np.maximum(middle, share + half)
    return value, np.maximum(-1.0, low), np.minimum(1.0, high)


# Value, lower and upper limit, of one slice or of each.
Side = tuple[float, float, float] | tuple[Floats, Floats, Floats]


def square_and_add(first: Side, second: Side, r: float | Floats) -> tuple[Any, Any]:
    """Of the first less the second, which have this correlation."""
    (a, low_a, high_a), (b, low_b, high_b) = first, second

    def side(one: Any, other: Any) -> Any:
        return np.sqrt(np.maximum(0.0, one**2 + other**2 - 2 * r * one * other))

    return a - b - side(a - low_a, high_b - b), a - b + side(high_a - a, b - low_b)


def _are_shares(cells: Cells, values: Floats) -> np.ndarray:
    """Whether all values of a slice are 0 or 1."""
    shares: np.ndarray = cells.any_cell((values != 0) & (values != 1)) == 0
    return shares


def mid_p(hits: Floats, n: Floats, tail: float = TAIL) -> Floats:
    """The share below which so many hits of n, or more, are too rare: half for "so many"."""
    misses = np.maximum(n - hits, 0.0)
    none, all_hit = hits <= 1e-9, misses <= 1e-9
    safe = np.where(none, 1.0, hits)
    result = np.where(none, 0.0, scipy.special.betaincinv(safe, 1.0, 2 * tail))
    some = np.flatnonzero(~none & ~all_hit)
    result[some] = _mid_p_root(hits[some], misses[some], tail)
    return result


def _mid_p_root(hits: Floats, misses: Floats, tail: float) -> Floats:
    """By Newton's steps, each kept between ends that close in."""

    def excess(p: Floats, a: Floats, b: Floats) -> Floats:
        upper: Floats = scipy.special.betainc(a, b + 1, p) + scipy.special.betainc(a + 1, b, p)
        return upper / 2 - tail

    # "As many or more" is too rare below the first, "more" from the second on.
    low = scipy.special.betaincinv(hits, misses + 1, tail)
    high = scipy.special.betaincinv(hits + 1, misses, tail)
    result = low.copy()
    between = (excess(low, hits, misses) < 0) & (excess(high, hits, misses) > 0)
    live = np.flatnonzero(between)
    result[live] = (low[live] + high[live]) / 2
    # Both densities have the same powers of p and 1 - p.
    scale = -scipy.special.betaln(hits, misses + 1), -scipy.special.betaln(hits + 1, misses)
    for _ in range(60):
        if not live.size:
            break
        p, a, b = result[live], hits[live], misses[live]
        off = excess(p, a, b)
        low[live], high[live] = np.where(off < 0, p, low[live]), np.where(off > 0, p, high[live])
        powers = (a - 1) * np.log(p) + (b - 1) * np.log1p(-p)
        slope = (
            np.exp(powers + scale[0][live]) * (1 - p) + np.exp(powers + scale[1][live]) * p
        ) / 2
        step = p - off / np.where(slope > 0, slope, 1.0)
        # A step of a billionth leaves less than the last digit to go.
        last = (slope > 0) & (np.abs(step - p) <= 1e-9 * p)
        inside = (slope > 0) & (step > low[live]) & (step < high[live])
        result[live] = np.where(inside | last, step, (low[live] + high[live]) / 2)
        live = live[~last & (off != 0)]
    return result
