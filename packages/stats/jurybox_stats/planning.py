"""How many images and labels a study needs before anybody labels one.

All is about how close a mean is, with a judge that helps or without. `rho` is the correlation of
judge and people over images (0: no judge), `variance` that of people's answers, half-widths are of
95 % intervals; all on the scale of people (0.03 is 3 points of a yes/no share). Numbers of labels
are rounded up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.assisted import Target
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.series import finite, group_codes

Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Labels:
    """`needed` with the judge, `alone` without one, `exactly` before it is rounded up.

    `alone` is None where even all images are not enough.
    """

    needed: int
    alone: int | None
    exactly: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The cheapest mix: images to label, images that only the judge sees, and what that buys."""

    labels: int
    unlabelled: int
    cost: float
    effective_labels: float


@dataclass(frozen=True, slots=True)
class Raters:
    """People per image; images and answers where an error was requested."""

    raters: int
    exactly: float
    images: int | None = None
    answers: int | None = None
    cost: float | None = None


def design_effect(values: ArrayLike, clusters: ArrayLike) -> Result:
    """How many times more images clustering costs: variance of the mean with prompts as clusters
    over that with images as if independent. Kish 1965, Survey Sampling, 8.2. `n` counts images.
    """
    series = finite(values, at_least=2)
    if isinstance(series, Undefined):
        return series
    codes, size = group_codes(clusters, series[0].size, what="clusters")
    if size < 2:
        return Undefined("one prompt only", series[0].size)
    pull = series[0] - series[0].mean()
    alone = float((pull**2).sum()) * pull.size / (pull.size - 1)
    if alone <= 0 or (series[0] == series[0][0]).all():
        return Undefined("the series is constant", pull.size)
    together = float((np.bincount(codes, weights=pull) ** 2).sum()) * size / (size - 1)
    return Estimate(together / alone, None, None, pull.size)


def labels_needed(
    within: float,
    variance: float,
    *,
    rho: float = 0.0,
    images: int | None = None,
    design_effect: float = 1.0,
    target: Target = "images",
) -> Labels | Undefined:
    """Labels for an interval of `within` on either side.

    Of endless images n0 = z^2 variance (1 - rho^2) deff / within^2. Of M images, for these images,
    n = M n0 / (M + n0); for prompts like these n = e M (1 - rho^2) / (M - rho^2 e), with e the
    labels that it takes alone. Labels of these images drawn one by one have design effect 1.
    """
    _check(rho, design_effect)
    if not within > 0:
        return Undefined("the half-width must be above 0")
    if not variance > 0:
        return Undefined("people's answers do not vary: there is nothing to plan for")
    exactly = _labels(within, variance, rho, images, design_effect, target)
    if exactly is None:
        return Undefined("so narrow an interval needs more prompts than there are")
    alone = _labels(within, variance, 0.0, images, design_effect, target)
    return Labels(math.ceil(exactly), None if alone is None else math.ceil(alone), exactly)


def half_width(
    labels: int,
    variance: float,
    *,
    rho: float = 0.0,
    images: int | None = None,
    design_effect: float = 1.0,
    target: Target = "images",
) -> float | Undefined:
    """What so many labels give: `labels_needed` the other way round."""
    _check(rho, design_effect)
    if labels < 1 or not variance > 0:
        return Undefined("there are no labels, or people's answers do not vary")
    if images is not None and labels > images:
        return Undefined("more labels than images")
    if target == "images":
        left = 1 / labels - (1 / images if images else 0.0)
        return Z * math.sqrt(variance * design_effect * (1 - rho**2) * left)
    helped = rho**2 * (1 - labels / images if images else 1.0)
    return Z * math.sqrt(variance * design_effect / labels * (1 - helped))


def effective_labels(labels: int, unlabelled: int, rho: float) -> float:
    """How many labels alone are as sure: n (n + N) / (n + (1 - rho^2) N). Broska et al. 2025."""
    _check(rho, 1.0)
    if labels < 1 or unlabelled < 0:
        raise ValueError("labels must be 1 or more, the other images 0 or more")
    return labels * (labels + unlabelled) / (labels + (1 - rho**2) * unlabelled)


def cheapest(
    rho: float,
    *,
    cost_label: float,
    cost_judge: float,
    cost_image: float = 0.0,
    budget: float | None = None,
    effective: float | None = None,
    images: int | None = None,
) -> Plan | Undefined:
    """The best mix for a budget, or the cheapest for so many effective labels.

    1 / effective = rho^2 / M + (1 - rho^2) / n, and the cost is n label + M (judge + image), M all
    images; the best n and M are in the ratio of the roots of their terms over their prices.
    """
    _check(rho, 1.0)
    if (budget is None) == (effective is None):
        raise ValueError("give a budget or the effective labels, one of them")
    if not (budget or effective or 0) > 0:
        return Undefined("there is nothing to spend, or nothing to reach")
    seen = cost_judge + cost_image
    if not cost_label > 0 or not seen > 0:
        return Undefined("labels and judgements that cost nothing need no plan")
    alone = _plan_people(rho, cost_label + cost_image, budget, effective)
    a, b = math.sqrt((1 - rho**2) * cost_label), abs(rho) * math.sqrt(seen)
    scale = budget / (a + b) if budget is not None else (effective or 0.0) * (a + b)
    n, total = scale * a / cost_label, scale * b / seen
    if images is not None and total > images:
        total = images
        if budget is not None:
            n = (budget - total * seen) / cost_label
        else:
            n = (1 - rho**2) / (1 / (effective or 1.0) - rho**2 / total)
    if not 0 < n < total:
        return alone
    labels, unlabelled = round(n), round(total - n)
    cost = labels * cost_label + (labels + unlabelled) * seen
    plan = Plan(labels, unlabelled, cost, effective_labels(labels, unlabelled, rho))
    if budget is not None:
        return plan if plan.effective_labels > alone.effective_labels else alone
    return plan if plan.cost < alone.cost else alone


def raters_or_images(
    between: float,
    within: float,
    *,
    cost_image: float,
    cost_label: float,
    standard_error: float | None = None,
) -> Raters | Undefined:
    """How many people should label each image, where a mean is all that is wanted.

    The variance is (between + within / k) / n, so k = sqrt(within cost_image / (between
    cost_label)), and the whole number beside it that costs less. Agreement and ceilings need two
    or three all the same.
    """
    if not between > 0:
        return Undefined("images do not differ: all answers may come from one image")
    if not within >= 0 or not cost_label > 0 or not cost_image >= 0:
        raise ValueError(
            "variances and costs must not be negative, and a label must cost something"
        )
    exactly = math.sqrt(within * cost_image / (between * cost_label))

    def price(k: int) -> float:
        return (between + within / k) * (cost_image + k * cost_label)

    low = max(1, math.floor(exactly))
    k = min((low, low + 1), key=price)
    if standard_error is None:
        return Raters(k, exactly)
    images = math.ceil((between + within / k) / standard_error**2)
    return Raters(k, exactly, images, images * k, images * (cost_image + k * cost_label))


def anchors_needed(within: float, flips: float) -> Labels | Undefined:
    """Answers about anchors to see people's change to +-within, where so many answers flip."""
    if not flips > 0 or not within > 0:
        return Undefined("no answer flips, or the half-width is 0: there is nothing to plan for")
    exactly = Z**2 * flips / within**2
    return Labels(math.ceil(exactly), None, exactly)


def _labels(
    within: float, variance: float, rho: float, images: int | None, deff: float, target: Target
) -> float | None:
    alone = Z**2 * variance * deff / within**2
    if images is None:
        return alone * (1 - rho**2)
    if target == "images":
        endless = alone * (1 - rho**2)
        return images * endless / (images + endless)
    return alone * images * (1 - rho**2) / (images - rho**2 * alone) if alone <= images else None


def _plan_people(rho: float, each: float, budget: float | None, effective: float | None) -> Plan:
    labels = math.floor(budget / each) if budget is not None else math.ceil(effective or 0.0)
    return Plan(labels, 0, labels * each, float(labels))


def _check(rho: float, design_effect: float) -> None:
    if not -1 < rho < 1 or not design_effect > 0:
        raise ValueError("rho must lie between -1 and 1, and the design effect be above 0")
