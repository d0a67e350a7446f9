"""Intervals that hold where prompts are few or nearly all answers alike.

Percentiles of a bootstrap are too narrow there: 60 right of 60 would be "1.000 to 1.000". So, with
G clusters (prompts):

shares          Exact binomial limits, mid-p (Lancaster 1961, JASA 56:223), for the number of items
                that would be as sure if each were alone: p(1 - p) / var, at most n (Kish 1965;
                Korn & Graubard 1998, Surv. Methodol. 24:193). Where all are alike the variance
                says nothing, and G counts.
means between   The same on their way from one end of the scale to the other, without "at most n",
two ends        and with Korn and Graubard's factor for few clusters, (z / t of G - 1)^2.
differences     from the limits of both sides and the correlation of what each prompt does to them
                (MOVER; Zou & Donner 2008, Stat. Med. 27:1693; two shares: Newcombe 1998, Stat. Med.
                17:2635). So each side has the interval that holds for it at its end of the scale.
all others      Student's t with G - 1 on the jackknife of clusters (Efron & Tibshirani 1993,
                11.5), on the scale where the statistic is nearly normal: the logit where it lies
                between 0 and 1, Fisher's z between -1 and 1. At the end of the scale there is no
                spread left: then as many prompts may go wrong as with 0 of those that could.

The digits depend neither on a seed nor on the order of prompts. Coverage: `make bench-stats`. A difference
of two sides that are alike and nearly perfect errs on the safe side (up to 1.0 of worlds): what t on the
jackknife of the difference gains there it loses where one side is worse (.86).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import betainc, ndtri
from scipy.stats import t as student

from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.resampling.exact_sums import by_group, mean
from audit.stats.series import Codes, Floats

Scale = Literal["plain", "share", "correlation"]
Limits = tuple[float, float]

# With more clusters percentiles hold as well, and leaving out each in turn takes longer.
MOST_LEFT_OUT = 200
ROUNDING = 1e-12
NO_SPREAD = "no prompt differs from another: nothing tells how sure it is"


def share_limits(hits: Floats, asked: Floats, confidence: float = 0.95) -> Limits:
    """Of sum(hits) / sum(asked), both counted by cluster."""
    hits, asked = hits[asked > 0], asked[asked > 0]
    n, clusters = math.fsum(asked), hits.size
    if not n or not np.isfinite(hits).all():
        raise ValueError("a share needs something that was asked, and no missing answers")
    p = math.fsum(hits) / n
    spread = math.fsum((hits - p * asked) ** 2)
    if spread > 0 and clusters > 1:
        variance = clusters / (clusters - 1) * spread / n**2
        size = min(n, max(1.0, p * (1 - p) / variance))
    else:
        # All alike, or each prompt as the others: only another prompt could tell.
        size = float(clusters)
    tail = (1 - confidence) / 2
    return _mid_p(p * size, size, tail), 1 - _mid_p((1 - p) * size, size, tail)


# The judges of a study share its slices, and so people's share on each of them.
@lru_cache(maxsize=2**14)
def _mid_p(hits: float, n: float, tail: float) -> float:
    """The share below which so many hits of n, or more, are too rare: half for "so many"."""
    if hits <= 1e-9:
        return 0.0
    misses = max(n - hits, 0.0)
    low, high = 0.0, 1.0
    for _ in range(52):
        p = (low + high) / 2
        as_many = betainc(hits, misses + 1, p)
        more = betainc(hits + 1, misses, p) if misses > 1e-9 else 0.0
        low, high = (p, high) if (as_many + more) / 2 < tail else (low, p)
    return low


def mean_limits(
    values: Floats,
    cluster: Codes,
    clusters: int,
    confidence: float = 0.95,
    ends: Limits | None = None,
) -> Limits:
    """Of a mean: a share where all values are 0 or 1, nearly one between the ends of a scale, else
    Student's t on the sums of clusters."""
    if is_share(values):
        hits = by_group(values, cluster, clusters)
        return share_limits(hits, by_group(np.ones(values.size), cluster, clusters), confidence)
    ends = ends or (0.0, 1.0)
    within = ends[0] <= values.min() and values.max() <= ends[1] and ends[0] < ends[1]
    middle = mean(values)
    pull = _pull(values, middle, cluster, clusters)
    held = np.unique(cluster).size
    if held < 2:
        return middle, middle
    variance = held / (held - 1) * math.fsum(pull**2)
    if within:
        return _between_ends(middle, variance, held, confidence, *ends)
    half = _quantile(held, confidence) * math.sqrt(variance)
    return middle - half, middle + half


def _between_ends(
    middle: float, variance: float, clusters: int, confidence: float, bottom: float, top: float
) -> Limits:
    span = top - bottom
    p, tail = (middle - bottom) / span, (1 - confidence) / 2
    size = float(clusters)
    if variance > 1e-18 * span**2:
        few = (float(ndtri(1 - tail)) / _quantile(clusters, confidence)) ** 2
        size = max(1.0, few * p * (1 - p) * span**2 / variance)
    low, high = _mid_p(p * size, size, tail), 1 - _mid_p((1 - p) * size, size, tail)
    return bottom + span * low, bottom + span * high


def difference_limits(
    first: Floats, second: Floats, cluster: Codes, clusters: int, confidence: float = 0.95
) -> Limits:
    """Of mean(first) - mean(second) over the same items."""
    a, b = mean(first), mean(second)
    low_a, high_a = mean_limits(first, cluster, clusters, confidence)
    low_b, high_b = mean_limits(second, cluster, clusters, confidence)
    pulls = _pull(first, a, cluster, clusters), _pull(second, b, cluster, clusters)
    scale = math.sqrt(math.fsum(pulls[0] ** 2)) * math.sqrt(math.fsum(pulls[1] ** 2))
    r = math.fsum(pulls[0] * pulls[1]) / scale if scale > 0 else 0.0
    # Two judges that never differ on G prompts may on the next one; and what is seen on few prompts is
    # shrunk a little, else the interval is too narrow.
    held = np.unique(cluster).size
    most = 1 - 1 / held
    r = min(most, max(-most, r)) * most
    return _square_and_add((a, low_a, high_a), (b, low_b, high_b), r)


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
    return float(student.ppf((1 + confidence) / 2, clusters - 1))


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
    clusters, value = left_out.size, point.value
    if (undefined := _undefined_without(left_out, point.n)) is not None:
        return undefined
    spread = math.fsum((left_out - mean(left_out)) ** 2)
    error = math.sqrt((clusters - 1) / clusters * spread)
    bottom = {"plain": -math.inf, "share": 0.0, "correlation": -1.0}[scale]
    top = math.inf if scale == "plain" else 1.0
    rounding = ROUNDING * max(1.0, abs(value))
    if value >= top - rounding or value <= bottom + rounding:
        wrong = reach * (1 - (1 - confidence) ** (1 / (voices or clusters)))
        at_top = value >= top - rounding
        low, high = (value - wrong, top) if at_top else (bottom, value + wrong)
        return Estimate(value, max(low, bottom), min(high, top), point.n)
    if error <= rounding:
        return Undefined(NO_SPREAD, point.n)
    half = _quantile(clusters, confidence) * error
    if scale == "plain":
        low, high = value - half, value + half
    elif scale == "share":
        middle, half = math.log(value / (1 - value)), half / (value * (1 - value))
        low, high = (_logistic(middle + sign * half) for sign in (-1, 1))
    else:
        middle, half = math.atanh(value), half / (1 - value**2)
        low, high = (math.tanh(middle + sign * half) for sign in (-1, 1))
    return Estimate(value, min(low, value), max(high, value), point.n)


def difference_jackknifed(
    point: Estimate, sides: tuple[Estimate, Estimate], left_out: tuple[Floats, Floats]
) -> Result:
    """The first side less the second, each with its own interval, or with none where no prompt can
    change it; `left_out` as above, one for each side."""
    undefined = _undefined_without(left_out[0] - left_out[1], point.n)
    if undefined is not None:
        return undefined
    first, second = (values - mean(values) for values in left_out)
    scale = math.sqrt(math.fsum(first**2)) * math.sqrt(math.fsum(second**2))
    r = math.fsum(first * second) / scale if scale > 0 else 0.0
    moved = math.sqrt(math.fsum((first - second) ** 2))
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
    missing = int(np.isnan(left_out).sum())
    if not missing:
        return None
    return Undefined(f"too few to judge: without one of {missing} prompts it is undefined", n)


def _logistic(x: float) -> float:
    return 0.5 * (1 + math.tanh(x / 2))
