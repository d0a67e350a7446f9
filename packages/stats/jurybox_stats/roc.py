"""How well scores tell the yes-images from the no-images."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling import exact_sums
from jurybox_stats.series import Floats, binary, constant, finite, group_codes
from jurybox_stats.sums.statistics import NOT_APART, ONE_SCORE

# The standard normal distribution’s 97.5 % point; a literal, so that an import loads no distributions.
Z95 = 1.959963984540054


def auroc(labels: ArrayLike, scores: ArrayLike) -> Result:
    """The chance that a yes-image outscores a no-image, half for a tie.

    U / (m n), U the Mann-Whitney count: the rank sum of the positives less m(m + 1)/2.
    Hanley & McNeil 1982, Radiology 143:29. Undefined of one score for all: the half that its ties
    would make tells nothing.
    """
    series = _in_an_order(labels, scores)
    return series if isinstance(series, Undefined) else area(*series)


def area(positive: NDArray[np.bool_], values: Floats) -> Estimate:
    m = int(positive.sum())
    n = values.size - m
    u = scipy.stats.rankdata(values)[positive].sum() - m * (m + 1) / 2
    return Estimate(float(u / (m * n)), None, None, values.size)


def delong(labels: ArrayLike, scores: ArrayLike, *, clusters: ArrayLike | None = None) -> Result:
    """AUROC with the interval of DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44:837.

    Var = var(V10)/m + var(V01)/n: V10 a positive's share of negatives that it outscores, V01 a
    negative's share of positives that outscore it, both from mid-ranks (Sun & Xu 2014, IEEE
    Signal Process. Lett. 21:1389). Where the two classes are perfectly apart this variance is 0,
    which nobody should believe: there the far end is that of Clopper and Pearson for min(m, n)
    successes out of as many. With clusters (prompts), placements are summed within each first
    (Obuchowski 1997, Biometrics 53:567), and the interval is one of Student's t with a cluster less
    than there are, on the logit of the area: with twenty prompts the normal covers too little.
    """
    series = _in_an_order(labels, scores)
    if isinstance(series, Undefined):
        return series
    positive, values = series
    m = int(positive.sum())
    n = values.size - m
    if min(m, n) < 2:
        return Undefined("fewer than two items of one class", values.size)
    wins, losses = placements(positive, values)
    found = exact_sums.mean(wins)
    error = _standard_error(positive, wins, losses, clusters)
    if isinstance(error, Undefined):
        return error
    if error == 0 and found in (0.0, 1.0):
        far = 0.025 ** (1 / min(m, n))
        low, high = (far, 1.0) if found == 1 else (0.0, 1 - far)
        return Estimate(found, low, high, values.size)
    if clusters is not None and 0 < found < 1:
        half = _quantile(clusters) * error / (found * (1 - found))
        middle = math.log(found / (1 - found))
        low, high = (1 / (1 + math.exp(-middle - sign * half)) for sign in (-1, 1))
        return Estimate(found, low, high, values.size)
    low, high = max(0.0, found - Z95 * error), min(1.0, found + Z95 * error)
    return Estimate(found, low, high, values.size)


def placements(positive: NDArray[np.bool_], values: Floats) -> tuple[Floats, Floats]:
    """For each positive the share of negatives below it, for each negative of positives above."""
    m = int(positive.sum())
    n = values.size - m
    ranks = scipy.stats.rankdata(values)
    wins = (ranks[positive] - scipy.stats.rankdata(values[positive])) / n
    losses = 1 - (ranks[~positive] - scipy.stats.rankdata(values[~positive])) / m
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
        return Undefined(f"every label is {which}: {NOT_APART}", positive.size)
    return positive, series[1]


def _in_an_order(
    labels: ArrayLike, scores: ArrayLike
) -> tuple[NDArray[np.bool_], Floats] | Undefined:
    series = two_classes(labels, scores)
    if isinstance(series, tuple) and constant(series[1]):
        return Undefined(ONE_SCORE, series[1].size)
    return series


@dataclass(frozen=True, slots=True)
class Curve:
    """The ROC curve: one point per distinct score, from (0, 0) to (1, 1).

    A point is what a judge does that says yes from its threshold on; the first says never.
    """

    false_positive_rate: Floats
    true_positive_rate: Floats
    threshold: Floats


@dataclass(frozen=True, slots=True)
class Difference(Estimate):
    """The difference of two judges, and how often chance alone would show one as large."""

    p: float

    def as_dict(self) -> dict[str, float | int | None]:
        return {**Estimate.as_dict(self), "p": self.p}


def curve(labels: ArrayLike, scores: ArrayLike) -> Curve | Undefined:
    """Hits and false alarms at every threshold. Fawcett 2006, Pattern Recogn. Lett. 27:861."""
    series = two_classes(labels, scores)
    if isinstance(series, Undefined):
        return series
    hits, alarms, thresholds = _from_the_top(*series)
    return Curve(
        np.r_[0.0, alarms / alarms[-1]], np.r_[0.0, hits / hits[-1]], np.r_[np.inf, thresholds]
    )


def _from_the_top(positive: NDArray[np.bool_], values: Floats) -> tuple[np.ndarray, ...]:
    """Positives and negatives at or above each distinct score, the highest first."""
    names, codes = np.unique(-values, return_inverse=True)
    hits = np.cumsum(np.bincount(codes, weights=positive, minlength=names.size))
    alarms = np.cumsum(np.bincount(codes, weights=~positive, minlength=names.size))
    return hits, alarms, -names


def compare(
    labels: ArrayLike, a: ArrayLike, b: ArrayLike, *, clusters: ArrayLike | None = None
) -> Difference | Undefined:
    """AUROC of judge a less that of judge b on the same images, with interval and p.

    Paired DeLong: the variance is that of the differences of the placements, so what both judges
    find hard cancels. With clusters (prompts), placements are summed within each first
    (Obuchowski 1997, Biometrics 53:567). p is two-sided, from the normal; with clusters from
    Student's t with one less than there are.
    """
    first, second = _in_an_order(labels, a), _in_an_order(labels, b)
    if isinstance(first, Undefined):
        return first
    if isinstance(second, Undefined):
        return second
    positive = first[0]
    n = positive.size
    if min(positive.sum(), n - positive.sum()) < 2:
        return Undefined("fewer than two items of one class", n)
    (win_a, loss_a), (win_b, loss_b) = placements(*first), placements(*second)
    value = exact_sums.mean(win_a - win_b)
    error = _standard_error(positive, win_a - win_b, loss_a - loss_b, clusters)
    if isinstance(error, Undefined):
        return error
    if error == 0:
        if value == 0:
            return Difference(0.0, 0.0, 0.0, n, 1.0)
        return Undefined("the two judges differ in the same way on every image", n)
    tail = (
        scipy.stats.norm
        if clusters is None
        else scipy.stats.t(np.unique(np.asarray(clusters)).size - 1)
    )
    p, half = float(2 * tail.sf(abs(value) / error)), _quantile(clusters) * error
    return Difference(value, value - half, value + half, n, p)


def _quantile(clusters: ArrayLike | None) -> float:
    if clusters is None:
        return Z95
    return float(scipy.stats.t.ppf(0.975, np.unique(np.asarray(clusters)).size - 1))


def _standard_error(
    positive: NDArray[np.bool_], wins: Floats, losses: Floats, clusters: ArrayLike | None
) -> float | Undefined:
    m, n = wins.size, losses.size
    if clusters is None:
        won, lost = (math.fsum((part - exact_sums.mean(part)) ** 2) for part in (wins, losses))
        return math.sqrt(won / (m - 1) / m + lost / (n - 1) / n)
    codes, size = group_codes(clusters, positive.size, what="clusters")
    if size < 2:
        return Undefined("one prompt only: there is nothing to compare it with", positive.size)
    pull = np.zeros(positive.size)
    pull[positive] = (wins - exact_sums.mean(wins)) / m
    pull[~positive] = (losses - exact_sums.mean(losses)) / n
    by_cluster = exact_sums.by_group(pull, codes, size)
    return math.sqrt(size / (size - 1) * math.fsum(by_cluster**2))
