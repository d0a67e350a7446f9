"""How well scores tell the yes-images from the no-images."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata

from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.series import Floats, binary, finite

Z95 = float(norm.ppf(0.975))


def auroc(labels: ArrayLike, scores: ArrayLike) -> Result:
    """The chance that a yes-image outscores a no-image, half for a tie.

    U / (m n), U the Mann-Whitney count: the rank sum of the positives less m(m + 1)/2.
    Hanley & McNeil 1982, Radiology 143:29.
    """
    series = two_classes(labels, scores)
    if isinstance(series, Undefined):
        return series
    positive, values = series
    m = int(positive.sum())
    n = values.size - m
    u = rankdata(values)[positive].sum() - m * (m + 1) / 2
    return Estimate(float(u / (m * n)), None, None, values.size)


def delong(labels: ArrayLike, scores: ArrayLike) -> Result:
    """AUROC with the interval of DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837.

    Var = var(V10)/m + var(V01)/n: V10 a positive's share of negatives that it outscores, V01 a
    negative's share of positives that outscore it, both from mid-ranks (Sun & Xu 2014, IEEE
    Signal Process. Lett. 21:1389). Where the two classes are perfectly apart this variance is 0,
    which nobody should believe: there the far end is that of Clopper and Pearson for min(m, n)
    successes out of as many.
    """
    series = two_classes(labels, scores)
    if isinstance(series, Undefined):
        return series
    positive, values = series
    m = int(positive.sum())
    n = values.size - m
    if min(m, n) < 2:
        return Undefined("fewer than two items of one class", values.size)
    wins, losses = placements(positive, values)
    area = float(wins.mean())
    error = float(np.sqrt(wins.var(ddof=1) / m + losses.var(ddof=1) / n))
    if error == 0 and area in (0.0, 1.0):
        far = 0.025 ** (1 / min(m, n))
        low, high = (far, 1.0) if area == 1 else (0.0, 1 - far)
        return Estimate(area, low, high, values.size)
    low, high = max(0.0, area - Z95 * error), min(1.0, area + Z95 * error)
    return Estimate(area, low, high, values.size)


def placements(positive: NDArray[np.bool_], values: Floats) -> tuple[Floats, Floats]:
    """For each positive the share of negatives below it, for each negative of positives above."""
    m = int(positive.sum())
    n = values.size - m
    ranks = rankdata(values)
    wins = (ranks[positive] - rankdata(values[positive])) / n
    losses = 1 - (ranks[~positive] - rankdata(values[~positive])) / m
    return wins, losses


def two_classes(
    labels: ArrayLike, scores: ArrayLike
) -> tuple[NDArray[np.bool_], Floats] | Undefined:
    series = finite(labels, scores)
    if isinstance(series, Undefined):
        return series
    positive = binary(series[0])
    if positive.all() or not positive.any():
        which = "yes" if positive.all() else "no"
        return Undefined(f"every label is {which}: there is nothing to tell apart", positive.size)
    return positive, series[1]
