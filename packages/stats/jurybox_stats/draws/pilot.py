"""What the labels so far tell a planner: how much people's answers vary, how much of that the judges
explain, and how much people differ about one image; each with its own uncertainty.

Intervals leave out one prompt after the other (grouped, where there are many) and use Student's t: of a
variance on the log scale, of a share on the logit. So they need no seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.assisted import _inverse
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.small_samples import MOST_LEFT_OUT
from jurybox_stats.series import Floats, group_codes, numbers, ratings_array

# What is less than this part of the variance is rounding.
ROUNDING = 1e-9
Scale = Callable[[float], float]


@dataclass(frozen=True, slots=True)
class Pilot:
    """`left`: the variance that the judges leave unexplained; `explained`: 1 - left / variance, rho
    squared."""

    variance: Estimate
    left: Result
    explained: Result


@dataclass(frozen=True, slots=True)
class Answers:
    """Of one answer: the variance between images and that of people within one; and the share of the
    first, the intraclass correlation."""

    between: Estimate
    within: Estimate
    intraclass: Estimate


def pilot(
    people: ArrayLike,
    prompts: ArrayLike,
    judges: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> Pilot | Undefined:
    """Labelled images only; `judges` has a row for each judge, `weights` is 1 / chance.

    variance = sum w (y - mean)^2 / sum w times n / (n - 1). left is the same of what the weighted
    regression on the judges leaves, times n / (n - 1 - J), J the judges that add something of their own.
    """
    said = numbers(np.asarray(people))
    n = said.size
    if said.ndim != 1 or not np.isfinite(said).all():
        raise ValueError("people must be a plain list of numbers")
    scores = np.zeros((n, 0)) if judges is None else ratings_array(np.atleast_2d(judges)).T
    weight = np.ones(n) if weights is None else numbers(np.asarray(weights))
    if scores.shape[0] != n or weight.shape != said.shape:
        raise ValueError("judges and weights must have one value for each image")
    if not np.isfinite(scores).all() or not (np.isfinite(weight) & (weight > 0)).all():
        raise ValueError("a judge has no score for some images, or a weight is not above 0")
    if n < 2:
        return Undefined("fewer than two labels show no spread", n)
    if (said == said[0]).all():
        return Undefined("people gave every labelled image the same answer", n)
    codes, groups = _groups(prompts, n)
    if groups < 2:
        return Undefined("all labels belong to one prompt", n)
    # Centred, so that the sums of squares below lose no digits.
    columns = np.column_stack([said - said.mean(), scores - scores.mean(axis=0)])
    moments = _Moments.from_columns(columns, weight, codes, groups)
    variance = _interval(moments, n, lambda part: part.variance(), math.log, math.exp)
    if not scores.shape[1]:
        none = Undefined("no judge has scored these images", n)
        return Pilot(variance, none, none)
    whole = moments.whole.moments_left()
    if isinstance(whole, Undefined):
        return Pilot(variance, whole, whole)
    if whole <= ROUNDING * variance.value:
        none = Undefined("the judges say exactly what people said, so no error can be seen", n)
        return Pilot(variance, none, none)
    left = _interval(moments, n, lambda part: part.moments_left(), math.log, math.exp)
    share = 1 - whole / variance.value
    if share <= 0:
        # The judges are no help; how much they may be, only the other end of the interval tells.
        high = max(0.0, 1 - (left.low or 0.0) / variance.value)
        return Pilot(variance, left, Estimate(0.0, 0.0, high, n))
    explained = _interval(moments, n, lambda part: part.explained(), _logit, _from_logit)
    return Pilot(variance, left, explained)


def answers(ratings: ArrayLike, prompts: ArrayLike) -> Answers | Undefined:
    """Raters x images, NaN where somebody did not answer: one-way analysis of variance.

    within = SS_within / (N - a), between = (SS_between / (a - 1) - within) / k0 with a images, N answers
    and k0 = (N - sum k^2 / N) / (a - 1). Searle, Casella and McCulloch 1992, ch. 3.
    """
    table = ratings_array(ratings)
    given = ~np.isnan(table)
    count = given.sum(axis=0)
    here = count > 0
    table, given, count = table[:, here], given[:, here], count[here].astype(float)
    a = count.size
    if a < 2:
        return Undefined("fewer than two images have answers", a)
    if not (count > 1).any():
        return Undefined("no image has answers of two people", a)
    codes, groups = _groups(np.asarray(prompts)[here], a)
    if groups < 2:
        return Undefined("all answers belong to one prompt", a)
    middle = float(table[given].mean())
    total = np.where(given, table - middle, 0.0).sum(axis=0)
    squares = np.where(given, (table - middle) ** 2, 0.0).sum(axis=0)
    held = (np.ones(a), count, count**2, total, squares, total**2 / count)
    by_group = np.array([np.bincount(codes, weights=part, minlength=groups) for part in held])
    sums = by_group.sum(axis=1)
    between, within = _components(sums)
    if not within > 0:
        return Undefined("people never differ about an image", a)
    if not between > 0:
        return Undefined("images differ no more than people about one image", a)
    pulled = np.array([_components(sums - one) for one in by_group.T])
    shares = np.array([b / (b + w) if b + w > 0 else np.nan for b, w in pulled])
    return Answers(
        _jackknife(between, pulled[:, 0], a, math.log, math.exp),
        _jackknife(within, pulled[:, 1], a, math.log, math.exp),
        _jackknife(between / (between + within), shares, a, _logit, _from_logit),
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """Weighted sums of products of 1, people and judges, of n images."""

    n: int
    products: Floats

    def variance(self) -> float:
        inside = self._inside_moments()
        return float(inside[0, 0] / self.products[0, 0]) * self.n / (self.n - 1)

    def moments_left(self) -> float | Undefined:
        inside = self._inside_moments()
        judges, with_people = inside[1:, 1:], inside[1:, 0]
        turned, rank = _inverse(judges, float(np.abs(np.diag(judges)).max(initial=0)))
        free = self.n - 1 - rank
        if free < 1:
            return Undefined(f"{self.n} labels and {rank} judges show no error", self.n)
        rest = max(0.0, float(inside[0, 0] - with_people @ turned @ with_people))
        return rest / float(self.products[0, 0]) * self.n / free

    def explained(self) -> float | Undefined:
        left, variance = self.moments_left(), self.variance()
        if isinstance(left, Undefined):
            return left
        return 1 - left / variance if variance > 0 else Undefined("people are of one mind", self.n)

    def _inside_moments(self) -> Floats:
        first = self.products[0, 1:]
        return self.products[1:, 1:] - np.outer(first, first) / self.products[0, 0]


@dataclass(frozen=True, slots=True)
class _Moments:
    whole: _Part
    without: tuple[_Part, ...]  # one group after the other

    @classmethod
    def from_columns(
        cls, columns: Floats, weight: Floats, codes: np.ndarray, groups: int
    ) -> _Moments:
        table = np.column_stack([np.ones(codes.size), columns])
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes[order], np.arange(groups + 1))
        parts = []
        for first, last in zip(starts, starts[1:], strict=False):
            own = table[order[first:last]]
            parts.append(_Part(int(last - first), (own * weight[order[first:last], None]).T @ own))
        products, n = np.sum([part.products for part in parts], axis=0), codes.size
        without = tuple(_Part(n - part.n, products - part.products) for part in parts)
        return cls(_Part(n, products), without)


def _interval(
    moments: _Moments, n: int, told: Callable[[_Part], float | Undefined], there: Scale, back: Scale
) -> Estimate:
    """`told` of all groups and of all but one; `there` and `back`: the scale on which it is even."""
    without = [told(part) if part.n > 1 else math.nan for part in moments.without]
    known = [math.nan if isinstance(value, Undefined) else value for value in without]
    whole = told(moments.whole)
    assert not isinstance(whole, Undefined)
    return _jackknife(whole, np.array(known), n, there, back)


def _jackknife(value: float, without: Floats, n: int, there: Scale, back: Scale) -> Estimate:
    """No interval where a group carries everything: without it there is no number."""
    if not np.isfinite(without).all():
        return Estimate(value, None, None, n)
    try:
        pulled = np.array([there(one) for one in without.tolist()])
    except (ValueError, ZeroDivisionError):
        return Estimate(value, None, None, n)
    size = pulled.size
    error = math.sqrt((size - 1) / size * float(((pulled - pulled.mean()) ** 2).sum()))
    half = float(scipy.stats.t.ppf(0.975, size - 1)) * error
    middle = there(value)
    # exp(700) is the largest that a float can hold.
    low, high = (back(min(max(middle + end, -700.0), 700.0)) for end in (-half, half))
    return Estimate(value, low, high, n)


def _components(sums: Floats) -> tuple[float, float]:
    """Between and within, of the sums over images; NaN where nothing tells them apart."""
    a, total, squared, added, squares, of_means = sums.tolist()
    if a < 2 or total - a < 1:
        return math.nan, math.nan
    within = (squares - of_means) / (total - a)
    usual = (total - squared / total) / (a - 1)
    between = ((of_means - added**2 / total) / (a - 1) - within) / usual
    return between, within


def _groups(prompts: ArrayLike, n: int) -> tuple[np.ndarray, int]:
    codes, size = group_codes(prompts, n, what="prompts")
    return codes % MOST_LEFT_OUT, min(size, MOST_LEFT_OUT)


def _logit(share: float) -> float:
    return math.log(share / (1 - share))


def _from_logit(value: float) -> float:
    return 1 / (1 + math.exp(-value))
