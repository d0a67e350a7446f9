"""How far a score, read as the chance of a yes, is from the share of yes among images of about that score."""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.decisions.probabilities import read_shares
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.resampling.draw import Draw
from jurybox_stats.resampling.exact_sums import by_group, total
from jurybox_stats.series import Floats

BINS = 10
# Beyond so many standard errors nobody doubts on which side of the diagonal a bin is.
SURE = 3.0


def calibration_error(probability: ArrayLike, share: ArrayLike) -> Estimate | Undefined:
    """Σ n_b / n · |mean share − mean score| over ten bins of equal width (the last one holds 1).
    Naeini, Cooper & Hauskrecht 2015, AAAI; Guo et al. 2017, ICML. Chance alone moves bins away from the
    diagonal: of few images it is above 0 for a judge without any error."""
    read = read_shares(probability, share)
    if isinstance(read, Undefined):
        return read
    score, said = read
    gaps = _gaps(score, said, bins_of(score))
    return Estimate(total(np.abs(gaps)), None, None, score.size)


def estimated_calibration_error(
    draw: Draw, probability: ArrayLike, share: ArrayLike
) -> Estimate | Undefined:
    """With an interval that holds wherever bins lie. |error now − error of the population| is at most what
    chance does to each bin: of bins beyond doubt on one side of the diagonal that adds up with its sign,
    of the others without."""
    point = calibration_error(probability, share)
    read = read_shares(probability, share)
    if isinstance(point, Undefined) or isinstance(read, Undefined):
        return point
    score, said = read
    draw.check_size(score.size)
    clusters = draw.clusters
    if clusters < 2:
        return point
    place = bins_of(score)
    gaps = _gaps(score, said, place)
    pulls = by_group((said - score) / score.size, draw.cluster * BINS + place, clusters * BINS)
    pulls = pulls.reshape(clusters, BINS)
    # What each prompt adds, beside its share of the whole.
    share_of_each = draw.by_cluster(np.ones(score.size))[:, 0] / score.size
    pulls -= share_of_each[:, None] * gaps
    factor = clusters / (clusters - 1)
    errors = np.sqrt(factor * np.array([total(column**2) for column in pulls.T]))
    sure = np.abs(gaps) > SURE * errors
    together = pulls[:, sure] @ np.sign(gaps[sure])
    t = float(scipy.special.stdtrit(clusters - 1, 0.975))
    known = t * math.sqrt(factor * total(together**2)) if sure.any() else 0.0
    wide = t / float(scipy.special.ndtri(0.975))
    doubtful = errors[~sure]
    # Of |normal|: mean √(2/π), variance 1 − 2/π.
    chance = total(doubtful) * math.sqrt(2 / math.pi)
    spread = math.sqrt(total(doubtful**2) * (1 - 2 / math.pi))
    reach = known + wide * chance + t * spread
    low, high = max(0.0, point.value - reach), min(1.0, point.value + reach)
    return Estimate(point.value, low, high, point.n)


def bins_of(score: Floats) -> np.ndarray:
    return np.minimum((score * BINS).astype(np.int64), BINS - 1)


def _gaps(score: Floats, said: Floats, place: np.ndarray) -> Floats:
    """Of each bin: people's share less the score, times its share of the images."""
    return by_group((said - score) / score.size, place, BINS)
