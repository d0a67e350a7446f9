"""Intervals that hold with few prompts and many, and where nearly all answers are alike.

Percentiles of a bootstrap are too narrow with few prompts: 60 right of 60 would be "1.000 to 1.000". So, with
G clusters (prompts):

shares          Exact binomial limits, mid-p (Lancaster 1961, JASA 56:223), for the number of items
                that would be as sure if each were alone: p(1 - p) / var, at most n (Kish 1965;
                Korn & Graubard 1998, Surv. Methodol. 24:193). Where all are alike the variance
                says nothing, and G counts.
means between   The same on their way from one end of the scale to the other, without "at most n",
two ends        and with Korn and Graubard's factor for few clusters, (z / t of G - 1)^2. Of one number
                for all within the ends: that number, to which the interval shrinks with the spread.
two verdicts    Each pair of answers counts once, with one pair more either way: Bonett and Price 2012,
                J. Educ. Behav. Stat. 37:479, with t of G - 1, for the effective number of pairs.
other           from the limits of both sides and the correlation of what each prompt does to them
differences     (MOVER; Zou & Donner 2008, Stat. Med. 27:1693; two shares: Newcombe 1998, Stat. Med.
                17:2635). So each side has the interval that holds for it at its end of the scale.
all others      Student's t on the jackknife of clusters (Efron & Tibshirani 1993, 11.5), on the
                scale where the statistic is nearly normal: the logit where it lies between 0 and 1,
                Fisher's z between -1 and 1. Where a few prompts make most of the spread, it is known
                no better than from so many: t has 2 G / (kurtosis - 1) degrees of freedom, at most
                G - 1 (Satterthwaite 1946, Biometrics Bull. 2:110). At the end of the scale there is
                no spread left: then as many prompts may go wrong as with 0 of those that could.
too few         Where fewer than LEAST_RARER prompts hold another answer than the commonest, agreement
                and order rest on these alone, and no interval of theirs holds: none is shown.

The digits depend neither on a seed nor on the order of prompts. Coverage: `make bench-stats`. A difference
of two sides that are alike and nearly perfect errs on the safe side (up to 1.0 of worlds): what t on the
jackknife of the difference gains there it loses where one side is worse (.86).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np
import scipy

from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.exact_sums import by_group, mean, total
from jurybox_stats.series import Codes, Floats

Scale = Literal["plain", "share", "correlation"]
Limits = tuple[float, float]
# At a confidence; what they rest on is computed once.
LimitsAt = Callable[[float], Limits]

# With more clusters a statistic that is computed anew for each of them is drawn instead: percentiles
# hold there as well.
MOST_LEFT_OUT = 200
ROUNDING = 1e-12
# Less variance on a scale of one is rounding.
ALIKE = 1e-18
# So few prompts that hold another answer than the commonest tell nothing of agreement beyond chance or
# of order; of answers of more than two kinds, whose differences are of several sizes, and of agreement
# among several people, where one prompt may hold several of the rarer answers, more.
LEAST_RARER, LEAST_GRADED = 8, 10
FEW = 20
NO_SPREAD = "no prompt differs from another: nothing tells how sure it is"


def share_limits(hits: Floats, asked: Floats, confidence: float = 0.95) -> Limits:
    """Of sum(hits) / sum(asked), both counted by cluster."""
    return limits_of_share(hits, asked)(confidence)


def limits_of_share(hits: Floats, asked: Floats) -> LimitsAt:
    hits, asked = hits[asked > 0], asked[asked > 0]
    n, clusters = total(asked), hits.size
    if not n or not np.isfinite(hits).all():
        raise ValueError("a share needs something that was asked, and no missing answers")
    p = total(hits) / n
    spread = total((hits - p * asked) ** 2)
    if spread > 0 and clusters > 1:
        variance = clusters / (clusters - 1) * spread / n**2
        size = min(n, max(1.0, p * (1 - p) / variance))
    else:
        # All alike, or each prompt as the others: only another prompt could tell.
        size = float(clusters)

    def limits(confidence: float) -> Limits:
        tail = (1 - confidence) / 2
        return _mid_p(p * size, size, tail), 1 - _mid_p((1 - p) * size, size, tail)

    return limits


# The judges of a study share its slices, and so people's share on each of them.
@lru_cache(maxsize=2**14)
def _mid_p(hits: float, n: float, tail: float) -> float:
    """The share below which so many hits of n, or more, are too rare: half for "so many"."""
    if hits <= 1e-9:
        return 0.0
    misses = max(n - hits, 0.0)
    low = float(scipy.special.betaincinv(hits, misses + 1, tail))
    if misses <= 1e-9:
        return float(scipy.special.betaincinv(hits, 1.0, 2 * tail))

    def p_beyond(p: float) -> float:
        return (
            float(
                scipy.special.betainc(hits, misses + 1, p)
                + scipy.special.betainc(hits + 1, misses, p)
            )
            / 2
            - tail
        )

    # "As many or more" is too rare below the first, "more" from the second on.
    high = float(scipy.special.betaincinv(hits + 1, misses, tail))
    if not p_beyond(low) < 0 < p_beyond(high):
        return low
    return float(scipy.optimize.brentq(p_beyond, low, high, xtol=1e-17, rtol=4e-15))


def mean_limits(
    values: Floats, cluster: Codes, clusters: int, ends: Limits | None = None
) -> LimitsAt:
    """Of a mean: a share where all values are 0 or 1, nearly one between the ends of a scale, else
    Student's t on the sums of clusters."""
    ends = ends or (0.0, 1.0)
    if is_share(values) and ends == (0.0, 1.0):
        hits = by_group(values, cluster, clusters)
        return limits_of_share(hits, by_group(np.ones(values.size), cluster, clusters))
    within = ends[0] <= values.min() and values.max() <= ends[1] and ends[0] < ends[1]
    middle = mean(values)
    pull = _pull(values, middle, cluster, clusters)
    held = int(np.count_nonzero(np.bincount(cluster)))
    if held < 2:
        return lambda confidence: (middle, middle)
    variance = held / (held - 1) * total(pull**2)
    span = ends[1] - ends[0]
    # One number within the ends is no verdict that may turn on the next prompt, as one at an end is.
    at_an_end = min(middle - ends[0], ends[1] - middle) <= ROUNDING * span
    if within and (at_an_end or variance > ALIKE * span**2):
        return lambda confidence: between_ends(middle, variance, held, confidence, *ends)
    error = math.sqrt(variance)

    def limits(confidence: float) -> Limits:
        half = _quantile(held, confidence) * error
        return middle - half, middle + half

    return limits


def between_ends(
    middle: float,
    variance: float,
    clusters: int,
    confidence: float = 0.95,
    bottom: float = 0.0,
    top: float = 1.0,
    *,
    alike: float | None = None,
    most: float = math.inf,
) -> Limits:
    """`alike`: as how many items all count where they do not differ, the clusters by default; `most`:
    as how many at most where they do."""
    slack = ROUNDING * (top - bottom)
    if not bottom - slack <= middle <= top + slack or not variance >= 0:
        raise ValueError("a mean lies between its ends, and no variance is below 0")
    span = top - bottom
    p, tail = (middle - bottom) / span, (1 - confidence) / 2
    size = float(clusters) if alike is None else alike
    if variance > ALIKE * span**2:
        few = (float(scipy.special.ndtri(1 - tail)) / _quantile(clusters, confidence)) ** 2
        size = min(most, max(1.0, few * p * (1 - p) * span**2 / variance))
    low, high = _mid_p(p * size, size, tail), 1 - _mid_p((1 - p) * size, size, tail)
    return bottom + span * low, bottom + span * high


def keep_within_ends(found: Estimate, clusters: int, ends: Limits) -> Estimate:
    """The estimate with limits that bend towards the ends of its scale, for one of a mean that has those of
    Student's t with G - 1. A mean that judges help to make may lie beyond an end: then half an item
    does not."""
    if found.low is None or found.high is None or not found.high > found.low:
        return found
    bottom, top = ends
    error = (found.high - found.low) / 2 / _quantile(clusters, 0.95)
    least = (top - bottom) / 2 / max(found.n, 1)
    middle = min(max(found.value, bottom + least), top - least)
    low, high = between_ends(middle, error**2, clusters, 0.95, bottom, top)
    return Estimate(found.value, low, high, found.n)


def difference_limits(first: Floats, second: Floats, cluster: Codes, clusters: int) -> LimitsAt:
    """Of mean(first) - mean(second) over the same items."""
    if is_share(first) and is_share(second):
        return _limits_of_verdicts(first - second, cluster)
    a, b = mean(first), mean(second)
    limits_a = mean_limits(first, cluster, clusters)
    limits_b = mean_limits(second, cluster, clusters)
    pulls = _pull(first, a, cluster, clusters), _pull(second, b, cluster, clusters)
    # Two judges that never differ on G prompts may on the next one; and what is seen on few prompts is
    # shrunk a little, else the interval is too narrow.
    most = 1 - 1 / np.count_nonzero(np.bincount(cluster))
    r = min(most, max(-most, _together(*pulls))) * most

    def limits(confidence: float) -> Limits:
        return _square_and_add((a, *limits_a(confidence)), (b, *limits_b(confidence)), r)

    return limits


def _limits_of_verdicts(differences: Floats, cluster: Codes) -> LimitsAt:
    """Of two answers of yes or no to each item: what counts is how often only one of them says yes."""
    n, middle = differences.size, mean(differences)
    sums = by_group(differences - middle, cluster, int(cluster.max()) + 1)
    held = int(np.count_nonzero(np.bincount(cluster)))
    if held < 2:
        return lambda confidence: (middle, middle)
    alone = total((differences - middle) ** 2)
    together = held / (held - 1) * total(sums**2)
    size = n / max(1.0, together / alone) if alone > 0 else float(n)
    more, less = ((np.count_nonzero(differences == way) / n * size + 1) for way in (1, -1))
    share = (more - less) / (size + 2)
    error = math.sqrt(max(((more + less) / (size + 2) - share**2) / (size + 2), 0.0))

    def limits(confidence: float) -> Limits:
        half = _quantile(held, confidence) * error
        low, high = min(middle, share - half), max(middle, share + half)
        return max(-1.0, float(low)), min(1.0, float(high))

    return limits


def _together(first: Floats, second: Floats) -> float:
    """The correlation of two columns of mean 0; none where one never moves."""
    scale = math.sqrt(total(first**2)) * math.sqrt(total(second**2))
    return total(first * second) / scale if scale > 0 else 0.0


def _square_and_add(
    first: tuple[float, float, float], second: tuple[float, float, float], r: float
) -> Limits:
    """Of the first less the second: value, lower and upper limit of each, and their correlation."""
    (a, low_a, high_a), (b, low_b, high_b) = first, second

    def side(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one**2 + other**2 - 2 * r * one * other))

    return a - b - side(a - low_a, high_b - b), a - b + side(high_a - a, b - low_b)


def is_share(values: Floats) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def _pull(values: Floats, middle: float, cluster: Codes, clusters: int) -> Floats:
    return by_group(values - middle, cluster, clusters) / values.size


@lru_cache(maxsize=2**12)
def _quantile(clusters: int, confidence: float) -> float:
    return float(scipy.special.stdtrit(clusters - 1, (1 + confidence) / 2))


def jackknifed(
    point: Estimate,
    left_out: Floats,
    scale: Scale,
    reach: float,
    confidence: float = 0.95,
    voices: int = 0,
) -> Result:
    """`left_out` is the statistic without each cluster in turn; `reach` how far it falls from its
    end of the scale when all of `voices` clusters go wrong (0: all there are)."""
    clusters = left_out.size
    if (undefined := _undefined_without(left_out, point.n)) is not None:
        return undefined
    away = (left_out - mean(left_out)) ** 2
    spread = total(away)
    error = math.sqrt((clusters - 1) / clusters * spread)
    freedom = _freedom(away, spread, clusters) if spread > 0 else clusters - 1.0
    half = float(scipy.special.stdtrit(freedom, (1 + confidence) / 2)) * error
    return spread_on(point, error, half, scale, reach, voices or clusters, confidence)


def spread_on(
    point: Estimate,
    error: float,
    half: float,
    scale: Scale,
    reach: float,
    voices: int,
    confidence: float,
) -> Result:
    """The interval of so many standard errors to either side, on the scale where it is nearly normal."""
    value = point.value
    bottom = {"plain": -math.inf, "share": 0.0, "correlation": -1.0}[scale]
    top = math.inf if scale == "plain" else 1.0
    rounding = ROUNDING * max(1.0, abs(value))
    if value >= top - rounding or value <= bottom + rounding:
        wrong = reach * (1 - (1 - confidence) ** (1 / voices))
        at_top = value >= top - rounding
        low, high = (value - wrong, top) if at_top else (bottom, value + wrong)
        return Estimate(value, max(low, bottom), min(high, top), point.n)
    if error <= rounding:
        return Undefined(NO_SPREAD, point.n)
    if scale == "plain":
        low, high = value - half, value + half
    elif scale == "share":
        middle, half = math.log(value / (1 - value)), half / (value * (1 - value))
        low, high = (_logistic(middle + sign * half) for sign in (-1, 1))
    else:
        middle, half = math.atanh(value), half / (1 - value**2)
        low, high = (math.tanh(middle + sign * half) for sign in (-1, 1))
    return Estimate(value, min(low, value), max(high, value), point.n)


def _freedom(squares: Floats, spread: float, clusters: int) -> float:
    """As many degrees of freedom as a variance has that is the sum of these: G - 1 where they are those
    of a normal, fewer where a few are most of it."""
    kurtosis = clusters * total((squares / spread) ** 2)
    return min(clusters - 1.0, max(2.0, 2 * clusters / max(kurtosis - 1, 1e-9)))


def too_few_rarer(found: int, clusters: int, at_least: int) -> str:
    """Why there is no interval; empty where there is one. Of fewer than `FEW` clusters as large a share is
    enough: t is wide there by itself."""
    needed = min(at_least, at_least * clusters // FEW)
    if found >= needed:
        return ""
    return (
        f"too few to tell: {found} prompt{' has' if found == 1 else 's have'} another answer than the "
        f"commonest, at least {needed} needed"
    )


def difference_jackknifed(
    point: Estimate,
    sides: tuple[Estimate, Estimate],
    left_out: tuple[Floats, Floats],
) -> Result:
    """The first side less the second, each with its own interval, or with none where no prompt can
    change it; `left_out` as above, one for each side."""
    undefined = _undefined_without(left_out[0] - left_out[1], point.n)
    if undefined is not None:
        return undefined
    first, second = (values - mean(values) for values in left_out)
    r = _together(first, second)
    moved = math.sqrt(total((first - second) ** 2))
    flat = not first.any() and not second.any()
    width = any(side.low != side.high for side in sides)
    if (moved <= ROUNDING and not flat) or not width:
        return Undefined(NO_SPREAD, point.n)
    low, high = _square_and_add(
        _with_limits(sides[0]), _with_limits(sides[1]), min(1.0, max(-1.0, r))
    )
    return Estimate(point.value, min(low, point.value), max(high, point.value), point.n)


def _with_limits(side: Estimate) -> tuple[float, float, float]:
    assert side.low is not None and side.high is not None
    return side.value, side.low, side.high


def _undefined_without(left_out: Floats, n: int) -> Undefined | None:
    nowhere = np.isnan(left_out)
    if not nowhere.any():
        return None
    return lost_without(int(nowhere.sum()), n)


def lost_without(missing: int, n: int) -> Undefined | None:
    """Why there is no interval where so many prompts leave nothing when they go."""
    if not missing:
        return None
    which = "one prompt" if missing == 1 else f"one of {missing} prompts"
    return Undefined(f"too few to judge: without {which} it is undefined", n)


def _logistic(x: float) -> float:
    return 0.5 * (1 + math.tanh(x / 2))
