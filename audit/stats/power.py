"""How many images it takes to see a difference, before anybody labels one."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.series import finite, group_codes


def images_needed(
    difference: float,
    spread: float,
    *,
    power: float = 0.8,
    level: float = 0.05,
    design_effect: float = 1.0,
) -> int:
    """Images to find a mean difference with the given power, two-sided at the level.

    n = (z_(1 - level/2) + z_power)^2 spread^2 / difference^2, times the design effect; `spread`
    is the standard deviation of one image's difference. Cohen 1988, ch. 2.
    """
    _check(power, level)
    if difference == 0 or not math.isfinite(difference):
        raise ValueError("the difference to be found must not be 0 or infinite")
    if not spread > 0 or not math.isfinite(spread) or not design_effect >= 1:
        raise ValueError("the spread must be above 0 and the design effect 1 or more")
    z = norm.ppf(1 - level / 2) + norm.ppf(power)
    return math.ceil((z * spread / difference) ** 2 * design_effect)


def detectable(
    n: int,
    spread: float,
    *,
    power: float = 0.8,
    level: float = 0.05,
    design_effect: float = 1.0,
) -> float:
    """The smallest mean difference that n images show with the given power: `images_needed` the
    other way round."""
    _check(power, level)
    if n < 1 or not spread > 0 or not design_effect >= 1:
        raise ValueError("n must be 1 or more, the spread above 0, the design effect 1 or more")
    z = norm.ppf(1 - level / 2) + norm.ppf(power)
    return float(z * spread * math.sqrt(design_effect / n))


def design_effect(values: ArrayLike, clusters: ArrayLike) -> Result:
    """How many times more images clustering costs: variance of the mean with prompts as clusters
    over that with images as if independent. Kish 1965, Survey Sampling, 8.2. `n` counts images.
    """
    series = finite(values, at_least=2)
    if isinstance(series, Undefined):
        return series
    codes, size = group_codes(clusters, series[0].size, what="clusters")
    if size < 2:
        return Undefined("one cluster only", series[0].size)
    pull = series[0] - series[0].mean()
    alone = float((pull**2).sum()) * pull.size / (pull.size - 1)
    if alone <= 0 or (series[0] == series[0][0]).all():
        return Undefined("the series is constant", pull.size)
    together = float((np.bincount(codes, weights=pull) ** 2).sum()) * size / (size - 1)
    return Estimate(together / alone, None, None, pull.size)


def _check(power: float, level: float) -> None:
    if not (0 < power < 1 and 0 < level < 1):
        raise ValueError("power and level must lie between 0 and 1")
