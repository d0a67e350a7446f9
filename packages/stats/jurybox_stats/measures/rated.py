"""How well people agree on ratings, whose steps are nearer to each other or farther apart."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.agreement import resampled_kappa
from jurybox_stats.counting.by_unit import by_unit, values_of
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.ac1 import ac1
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import by_group, mean, ratio, weighted
from jurybox_stats.series import Floats, ratings_table

# More different numbers than these are measurements.
MOST_CLASSES = 64
# Two people need so many images in common, and of more people than these the pairs are too many.
SHARED, PEOPLE = 10, 12


def complete_block(ratings: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | Undefined:
    """The people, and the images that all of them rated, of which most answers are in the block: of each
    group of people who rated some image together. No name decides between two that hold as many."""
    table = ratings_table(ratings)
    if isinstance(table, Undefined):
        return table
    given = ~np.isnan(table)
    groups = np.unique(given.T, axis=0)
    best: tuple[tuple[float, ...], NDArray[np.bool_], NDArray[np.bool_]] | None = None
    for group in groups[groups.sum(axis=1) > 1]:
        images = given[group].all(axis=0)
        held = table[group][:, images]
        people = int(group.sum())
        value = math.fsum(held.ravel()), math.fsum((held**2).ravel())
        found = (people * int(images.sum()), people, *value), group, images
        if best is None or found[0] > best[0]:
            best = found
    if best is None:
        return Undefined("no two people rated the same images", table.shape[1])
    return np.flatnonzero(best[1]), best[2]


def icc_2k(ratings: ArrayLike) -> Result:
    """ICC(2,k) of people x images without holes: how well the mean of these k people stands for that of any
    k people, in absolute agreement.

    (MSR − MSE) / (MSR + (MSC − MSE) / n): mean squares of images, of people, and of what is left.
    Shrout & Fleiss 1979, Psychol. Bull. 86:420.
    """
    table = ratings_table(ratings)
    if isinstance(table, Undefined):
        return table
    if np.isnan(table).any():
        return Undefined("somebody did not rate every image", table.shape[1])
    k, n = table.shape
    if k < 2 or n < 2:
        return Undefined("it takes two people and two images", n)
    single = _single(_icc_sums(table).sum(axis=0, keepdims=True), k)[0]
    return _of_k(single, k, n)


def estimated_icc_2k(draw: Draw, ratings: ArrayLike) -> Resampled | Undefined:
    """The ICC of one person, from which that of k follows (Spearman and Brown) with its limits: `of_k`."""
    table = np.asarray(ratings, dtype=float)
    point = icc_2k(table)
    if isinstance(point, Undefined):
        return point
    draw.check_size(table.shape[1])
    k = table.shape[0]
    sums = np.stack(
        [by_group(part, draw.cluster, draw.clusters) for part in _icc_sums(table).T], axis=1
    )

    def resampled(counts: Counts) -> Floats:
        return _single(weighted(counts, sums), k)

    return Resampled(
        Estimate(float(resampled(draw.once)[0]), None, None, table.shape[1]),
        resampled,
        "correlation",
        2.0,
    )


def of_k(single: Result, k: int) -> Result:
    """Spearman and Brown: k r / (1 + (k − 1) r), of a value and of its limits. It rises with r."""
    if isinstance(single, Undefined):
        return single
    found = _of_k(single.value, k, single.n)
    if isinstance(found, Undefined):
        return found
    # No correlation of one person is below −1 / (k − 1).
    ends = [
        None if end is None else _stepped_up(max(end, -1 / k), k)
        for end in (single.low, single.high)
    ]
    return Estimate(found.value, ends[0], ends[1], single.n)


def _of_k(single: float, k: int, n: int) -> Result:
    if not math.isfinite(single):
        return Undefined("every rating has the same value", n)
    if 1 + (k - 1) * single <= 0:
        return Undefined("people differ as much within images as between them", n)
    return Estimate(_stepped_up(single, k), None, None, n)


def _stepped_up(single: float, k: int) -> float:
    return k * single / (1 + (k - 1) * single)


def _icc_sums(table: Floats) -> Floats:
    """Images x (1, square of its sum, sum of its squares, each person's rating)."""
    # Nearer to 0 the squares lose fewer digits; no ICC hangs on where the scale begins.
    near = table - table.min()
    # Added up by size: in whatever order people come, no digit changes.
    placed = np.sort(near, axis=0)
    columns = [
        np.ones(table.shape[1]),
        placed.sum(axis=0) ** 2,
        (placed**2).sum(axis=0),
        *near,
    ]
    return np.stack(columns, axis=1)


def _single(sums: Floats, k: int) -> Floats:
    """ICC(2,1): (MSR − MSE) / (MSR + (k − 1) MSE + k (MSC − MSE) / n)."""
    n, of_images, squares = sums[:, 0], sums[:, 1], sums[:, 2]
    by_person = np.sort(sums[:, 3:], axis=1)
    # A resample without two images says nothing: `ratio` makes it NaN.
    middle = ratio(by_person.sum(axis=1) ** 2, n * k)
    between = of_images / k - middle
    people = ratio((by_person**2).sum(axis=1), n) - middle
    left = squares - middle - between - people
    msr, msc = ratio(between, n - 1), people / (k - 1)
    mse = ratio(left, (n - 1) * (k - 1))
    below = msr + (k - 1) * mse + ratio(k * (msc - mse), n)
    scale = ratio(np.maximum(squares, 1e-300), n)
    return ratio(msr - mse, np.where(np.abs(below) > 1e-12 * scale, below, 0.0))


def gwet_ac2(ratings: ArrayLike) -> Result:
    """Gwet's AC2 with quadratic weights: AC1 for ratings, where one step apart is nearly agreement.

    (P − P_e) / (1 − P_e), w_kl = 1 − (x_k − x_l)² / (max − min)²: P the mean over images of the weighted share
    of pairs that agree, P_e = Σ w / (K (K − 1)) · Σ q_k (1 − q_k). Gwet 2014, Handbook of Inter-Rater
    Reliability, 4th ed., ch. 4.
    """
    read = _value_counts(ratings)
    if isinstance(read, Undefined):
        return read
    found = ac1(Draw(np.arange(len(read[0])), resamples=1, seed=0), *_ac2_parts(*read))
    return found.point


def resampled_ac2(draw: Draw, ratings: ArrayLike) -> Resampled | Undefined:
    """The items of the draw are the images (columns)."""
    read = _value_counts(ratings)
    if isinstance(read, Undefined):
        return read
    draw.check_size(len(read[0]))
    return ac1(draw, *_ac2_parts(*read))


def _value_counts(ratings: ArrayLike) -> tuple[NDArray[np.int64], Floats] | Undefined:
    """Images x values: how many people chose each; and the values."""
    table = ratings_table(ratings)
    if isinstance(table, Undefined):
        return table
    names = values_of(table)
    several = int(((~np.isnan(table)).sum(axis=0) >= 2).sum())
    if not several:
        return Undefined("no unit has two ratings", table.shape[1])
    if names.size < 2:
        return Undefined("every rating has the same value", several)
    if names.size > MOST_CLASSES:
        return Undefined("too many different answers for classes", several)
    return by_unit(table, names), names


def _ac2_parts(
    chosen: NDArray[np.int64], names: Floats
) -> tuple[Estimate, NDArray[np.int64], Floats]:
    apart = np.subtract.outer(names, names) / np.ptp(names)
    several = int((chosen.sum(axis=1) >= 2).sum())
    return Estimate(0.0, None, None, several), chosen, 1 - apart**2


def resampled_weighted_kappa(draw: Draw, ratings: ArrayLike) -> Resampled | Undefined:
    """The mean over pairs of people of Cohen's κ with quadratic weights (Light 1971, Psychol. Bull.
    76:365), on the images that both rated."""
    table = ratings_table(ratings)
    if isinstance(table, Undefined):
        return table
    draw.check_size(table.shape[1])
    given = ~np.isnan(table)
    busiest = sorted(np.argsort(-given.sum(axis=1), kind="stable")[:PEOPLE].tolist())
    found, images = [], np.zeros(table.shape[1], dtype=bool)
    for one, other in combinations(busiest, 2):
        both = given[one] & given[other]
        if int(both.sum()) < SHARED:
            continue
        # Which of the two is named first is no matter of their names.
        first, second = sorted((table[one, both], table[other, both]), key=_content)
        kappa = resampled_kappa(draw.part(both), first, second, "quadratic")
        if not isinstance(kappa, Undefined):
            found.append(kappa)
            images |= both
    n = int(images.sum())
    if not found:
        return Undefined(f"no two people have a κ on {SHARED} images or more", n)
    point = Estimate(mean(np.array([kappa.point.value for kappa in found])), None, None, n)

    def resampled(counts: Counts) -> Floats:
        values: Floats = np.sort([kappa.values(counts) for kappa in found], axis=0).mean(axis=0)
        return values

    rarer = min((kappa.rarer for kappa in found if kappa.rarer is not None), default=None)
    least = max(kappa.at_least for kappa in found)
    return Resampled(point, resampled, "correlation", 2.0, rarer=rarer, at_least=least)


def _content(answers: Floats) -> tuple[float, float]:
    return math.fsum(answers), math.fsum(answers**2)
