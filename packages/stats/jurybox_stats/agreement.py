"""Do two raters, or many, say the same? Chance-corrected and plain.

Two raters: `percent_agreement`, `cohen_kappa`. Many raters, as a table raters x units with NaN
where somebody gave no answer: `krippendorff_alpha`, `unanimity`.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.counting.by_unit import FEW, by_unit, values_of
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.ac1 import ac1
from jurybox_stats.resampling.alpha import MOST_COINCIDENCES, alpha
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import ratio, weighted
from jurybox_stats.resampling.means import share
from jurybox_stats.resampling.small_samples import LEAST_GRADED, LEAST_RARER
from jurybox_stats.series import Codes, Floats, classes, ratings_array, ratings_table, tally

MOST_CLASSES = 1000

Weights = Literal["linear", "quadratic"] | None
Level = Literal["nominal", "ordinal", "interval"]


def percent_agreement(a: ArrayLike, b: ArrayLike) -> Result:
    """The share of items on which both say the same, from 0 to 1."""
    read = classes(a, b)
    if isinstance(read, Undefined):
        return read
    (first, second), _ = read
    return Estimate(float((first == second).mean()), None, None, first.size)


def resampled_percent_agreement(draw: Draw, a: ArrayLike, b: ArrayLike) -> Resampled | Undefined:
    read = classes(a, b)
    if isinstance(read, Undefined):
        return draw.check_length(read, a)
    (first, second), _ = read
    same = first == second
    point = Estimate(float(same.mean()), None, None, draw.n)
    return share(draw, point, same, np.ones(same.size))


def cohen_kappa(a: ArrayLike, b: ArrayLike, weights: Weights = None) -> Result:
    """Agreement of two raters beyond what their own habits would give by chance.

    kappa = 1 - sum(w o) / sum(w e): o the observed table of shares, e the product of its margins,
    w the weight of a disagreement: 1 off the diagonal (plain), |i - j| (linear) or (i - j)^2
    (quadratic), where i and j are places in the sorted list of the classes that occur.
    Cohen 1960, Educ. Psychol. Meas. 20:37; weighted: Cohen 1968, Psychol. Bull. 70:213.
    """
    read = classes(a, b)
    if isinstance(read, Undefined):
        return read
    (first, second), names = read
    return _kappa(first, second, names.size, weights)


def resampled_kappa(
    draw: Draw, a: ArrayLike, b: ArrayLike, weights: Weights = None
) -> Resampled | Undefined:
    read = classes(a, b)
    if isinstance(read, Undefined):
        return draw.check_length(read, a)
    (first, second), names = read
    draw.check_size(first.size)
    k = names.size
    point = _kappa(first, second, k, weights)
    if isinstance(point, Undefined):
        return point
    weight = disagreement_weights(k, weights)
    disagreed = draw.by_cluster(weight[first, second])
    of_first, of_second = draw.by_class(first, k), draw.by_class(second, k)
    # The last class of the second holds what its others leave of the first's sum.
    sums = np.hstack([disagreed, of_first, of_second[:, :-1]])
    distance = weight.astype(np.float64)

    def resampled(counts: Counts) -> Floats:
        drawn = weighted(counts, sums)
        observed, by_first, but_last = drawn[:, 0], drawn[:, 1 : 1 + k], drawn[:, 1 + k :]
        size = by_first.sum(axis=1)
        by_second = np.c_[but_last, size - but_last.sum(axis=1)]
        expected = ((by_first @ distance) * by_second).sum(axis=1)
        return 1 - ratio(observed * size, expected)

    # Where nobody differs on any item, as many may on the next prompts: over what chance expects.
    reach = draw.n**2 / float((draw.once @ of_first)[0] @ distance @ (draw.once @ of_second)[0])
    both = first * k + second
    rarer = draw.count_holding(both != np.bincount(both).argmax())
    return Resampled(
        point,
        resampled,
        "correlation",
        reach,
        rarer=rarer,
        at_least=LEAST_RARER if k == 2 else LEAST_GRADED,
    )


def _kappa(first: Codes, second: Codes, k: int, weights: Weights) -> Result:
    n = first.size
    if k > MOST_CLASSES:
        return Undefined(f"{k} classes: kappa is for answers, not for measurements", n)
    return _kappa_of(np.bincount(first * k + second, minlength=k * k).reshape(k, k), weights)


def _kappa_of(table: NDArray[np.int64], weights: Weights) -> Result:
    """`table`: how often the first chose one class and the second another."""
    n, weight = int(table.sum()), disagreement_weights(len(table), weights)
    expected = int((weight * np.outer(table.sum(axis=1), table.sum(axis=0))).sum())
    if expected == 0:
        # 0/0: both raters gave one and the same value throughout.
        return Undefined("both raters always gave the same value", n)
    observed = int((weight * table).sum())
    return Estimate(1 - n * observed / expected, None, None, n)


def disagreement_weights(k: int, weights: Weights) -> NDArray[np.int64]:
    """The k x k weights of a disagreement between class i and class j."""
    distance = np.abs(np.subtract.outer(np.arange(k), np.arange(k)))
    if weights is None:
        return (distance > 0).astype(np.int64)
    if weights == "linear":
        return distance
    if weights == "quadratic":
        return distance**2
    raise ValueError(f"weights must be None, 'linear' or 'quadratic', not {weights!r}")


def krippendorff_alpha(ratings: ArrayLike, level: Level) -> Result:
    """Agreement of any number of raters, some of whom may have given no answer about a unit.

    alpha = 1 - D_o / D_e: the mean squared distance of two ratings of one unit, over that of any
    two ratings at all. The distance is 0 or 1 (nominal), the difference of the values (interval)
    or of their mid-ranks among all pairable ratings (ordinal: Krippendorff's sum over the ranks
    between two values, less half of both ends, is exactly that difference). Units with a single
    rating pair with nothing and are left out. Krippendorff 2019, Content Analysis, ch. 12.

    `n` is the number of units with two ratings or more.
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise ValueError(f"level must be nominal, ordinal or interval, not {level!r}")
    table = ratings_table(ratings)
    if isinstance(table, Undefined):
        return table
    pairable = pairable_units(table)
    units = pairable.shape[1]
    if units == 0:
        return Undefined("no unit has two ratings", table.shape[1])
    names = values_of(pairable)
    if names.size == 1:
        return Undefined("every rating has the same value", units)
    if names.size <= FEW:
        observed, expected = _disagreement_of_few(by_unit(pairable, names), names, level)
    else:
        observed, expected = _disagreement_of_many(pairable, level)
    return Estimate(float(1 - observed / expected), None, None, units)


def resampled_alpha(draw: Draw, ratings: ArrayLike, level: Level) -> Resampled | Undefined:
    """The items of the draw are the units (columns)."""
    point = krippendorff_alpha(ratings, level)
    if isinstance(point, Undefined):
        return point
    table = ratings_array(ratings)
    draw.check_size(table.shape[1])
    reach = 2.0
    if level == "nominal":
        pairable = pairable_units(table)
        values = values_of(pairable)
        if values.size <= FEW:
            sizes = by_unit(pairable, values).sum(axis=0)
        else:
            sizes = tally(pairable[~np.isnan(pairable)])[2]
        total = float(sizes.sum())
        reach = total * (total - 1) / (total**2 - float((sizes.astype(float) ** 2).sum()))
    many = level == "ordinal" and values_of(table).size > MOST_COINCIDENCES
    return Resampled(
        point,
        alpha(draw, table, level),
        "correlation",
        reach,
        content=table if many else None,
        **_count_uncommon(draw, table),
    )


def _count_uncommon(draw: Draw, table: Floats) -> dict[str, Any]:
    """How many clusters hold an answer that is not the commonest, and how many are needed."""

    names = values_of(table)
    rows = [(table == name).sum(axis=0) for name in names] if names.size <= FEW else []
    if rows:
        most = max(rows, key=lambda row: int(row.sum()))
        other = (~np.isnan(table)).sum(axis=0) > most
    else:
        names, sizes = np.unique(table[~np.isnan(table)], return_counts=True)
        other = ((table != names[sizes.argmax()]) & ~np.isnan(table)).any(axis=0)
    return {"rarer": draw.count_holding(other), "at_least": LEAST_GRADED}


def pairable_units(table: Floats) -> Floats:
    """The columns with at least two ratings: the others pair with nothing."""
    kept = (~np.isnan(table)).sum(axis=0) >= 2
    return table if kept.all() else table[:, kept]


def _disagreement_of_few(held: Codes, names: Floats, level: Level) -> tuple[float, float]:
    """Observed and expected, from units x values."""
    m, sizes = held.sum(axis=1), held.sum(axis=0)
    if level == "nominal":
        return _unequal_pairs((held * (held - 1)).sum(axis=1), m, sizes)
    if level == "ordinal":
        names = np.cumsum(sizes) - sizes / 2
    # Alpha knows no unit and no origin: any will do, and a small one keeps the squares small.
    first, second = np.zeros((2, m.size))
    for value, column in zip((names - names.min()) / np.ptp(names), held.T, strict=True):
        first += value * column
        second += value**2 * column
    return _squared_distances(first, second, m)


def _disagreement_of_many(pairable: Floats, level: Level) -> tuple[float, float]:
    present = ~np.isnan(pairable)
    values, m = pairable[present], present.sum(axis=0)
    if level == "nominal":
        names, codes, sizes = tally(values)
        unit = np.broadcast_to(np.arange(m.size), present.shape)[present]
        key, held = np.unique(unit * names.size + codes, return_counts=True)
        equal = np.bincount(key // names.size, held * (held - 1))
        return _unequal_pairs(equal, m, sizes)
    if level == "ordinal":
        _, codes, sizes = tally(values)
        values = (np.cumsum(sizes) - sizes / 2)[codes]
    placed = np.zeros(present.shape)
    placed[present] = (values - values.min()) / np.ptp(values)
    # Added up by size: in whatever order people come, no digit changes.
    placed = np.sort(placed, axis=0)
    return _squared_distances(placed.sum(axis=0), np.einsum("ru,ru->u", placed, placed), m)


def _unequal_pairs(equal: np.ndarray, m: np.ndarray, sizes: Codes) -> tuple[float, float]:
    """`equal`: the ordered pairs of equal ratings of each unit, which weigh 1 / (m - 1)."""
    total = int(m.sum())
    observed = 1 - math.fsum((equal / (m - 1)).tolist()) / total
    return observed, 1 - float((sizes * (sizes - 1.0)).sum()) / (total * (total - 1.0))


def _squared_distances(first: Floats, second: Floats, m: np.ndarray) -> tuple[float, float]:
    # Over ordered pairs of one unit: sum (a - b)^2 = 2 (m sum a^2 - (sum a)^2).
    total = int(m.sum())
    observed = math.fsum((2 * (m * second - first**2) / (m - 1)).tolist()) / total
    squares, sums = math.fsum(second.tolist()), math.fsum(first.tolist())
    return observed, 2 * (total * squares - sums**2) / (total * (total - 1.0))


def resampled_alike_pairs(draw: Draw, ratings: ArrayLike) -> Resampled | Undefined:
    """The share of the pairs of answers to one unit that say the same; `n` counts the pairs. The items
    of the draw are the units (columns)."""
    table = ratings_array(ratings)
    draw.check_size(table.shape[1])
    m = (~np.isnan(table)).sum(axis=0)
    if not (m >= 2).any():
        return Undefined("no unit has two ratings", table.shape[1])
    values = values_of(table)
    if values.size <= FEW:
        held = by_unit(table, values)
        alike = (held * (held - 1)).sum(axis=1) / 2
    else:
        alike = np.zeros(m.size)
        for place, row in enumerate(table):
            alike += (table[:place] == row).sum(axis=0)
    asked = m * (m - 1) / 2
    pairs = int(asked.sum())
    return share(draw, Estimate(float(alike.sum()) / pairs, None, None, pairs), alike, asked)


def unanimity(ratings: ArrayLike) -> Result:
    """The share of units on which all who rated say the same, among units with two ratings."""
    table = ratings_table(ratings)
    if isinstance(table, Undefined):
        return table
    pairable = pairable_units(table)
    if pairable.shape[1] == 0:
        return Undefined("no unit has two ratings", table.shape[1])
    same = _all_alike(pairable)
    return Estimate(float(same.mean()), None, None, same.size)


def resampled_unanimity(draw: Draw, ratings: ArrayLike) -> Resampled | Undefined:
    """The items of the draw are the units (columns)."""
    point = unanimity(ratings)
    if isinstance(point, Undefined):
        return point
    table = ratings_array(ratings)
    draw.check_size(table.shape[1])
    rated = (~np.isnan(table)).sum(axis=0) >= 2
    same = np.zeros(draw.n, bool)
    same[rated] = _all_alike(table if rated.all() else table[:, rated])
    return share(draw, point, same, rated)


def _all_alike(table: Floats) -> NDArray[np.bool_]:
    """Row by row: a table is too large for a copy of it."""
    low, high = table[0].copy(), table[0].copy()
    for row in table[1:]:
        np.fmin(low, row, out=low)
        np.fmax(high, row, out=high)
    alike: NDArray[np.bool_] = low == high
    return alike


def fleiss_kappa(ratings: ArrayLike) -> Result:
    """Agreement of m raters per unit beyond the chance of their common habits.

    kappa = (P - P_e) / (1 - P_e): P the mean share of agreeing pairs of a unit, P_e = sum p_k^2
    over the shares of the classes. Fleiss 1971, Psychol. Bull. 76:378. It needs the same number
    of ratings on every unit; with holes, use Krippendorff's alpha.
    """
    counts = _class_counts(ratings)
    if isinstance(counts, Undefined):
        return counts
    m = counts.sum(axis=1)
    units = m.size
    if (m != m[0]).any():
        return Undefined("units have different numbers of ratings; see Krippendorff's alpha", units)
    if m[0] < 2:
        return Undefined("one rater only", units)
    agreeing = int((counts * (counts - 1)).sum())
    observed = agreeing / (units * m[0] * (m[0] - 1))
    shares = counts.sum(axis=0) / m.sum()
    expected = float((shares**2).sum())
    if counts.shape[1] == 1:
        return Undefined("every rating has the same value", units)
    return Estimate(float((observed - expected) / (1 - expected)), None, None, units)


def resampled_fleiss(draw: Draw, ratings: ArrayLike) -> Resampled | Undefined:
    """The items of the draw are the units (columns)."""
    point, counts = fleiss_kappa(ratings), _class_counts(ratings)
    if isinstance(counts, Undefined):
        return counts
    if isinstance(point, Undefined):
        return point
    draw.check_size(counts.shape[0])
    m = int(counts[0].sum())
    agreeing = (counts * (counts - 1)).sum(axis=1)
    sums = draw.by_cluster(agreeing, np.ones(draw.n), *counts.T)

    def resampled(drawn_counts: Counts) -> Floats:
        drawn = weighted(drawn_counts, sums)
        units, by_class = drawn[:, 1], drawn[:, 2:]
        observed = ratio(drawn[:, 0], units * m * (m - 1))
        expected = ((by_class / by_class.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        return ratio(observed - expected, np.where((by_class > 0).sum(axis=1) > 1, 1 - expected, 0))

    return Resampled(
        point,
        resampled,
        "correlation",
        beyond_chance(ratings),
        **_count_uncommon(draw, ratings_array(ratings)),
    )


def beyond_chance(ratings: ArrayLike) -> float:
    """How far Fleiss' kappa falls from 1 when no two answers agree: 1 / (1 - P_e)."""
    counts = _class_counts(ratings)
    if isinstance(counts, Undefined):
        return 1.0
    shares = counts.sum(axis=0) / counts.sum()
    return 1 / max(1 - float((shares**2).sum()), 1e-9)


def gwet_ac1(ratings: ArrayLike) -> Result:
    """Gwet's AC1, which stays steady where nearly everything is "yes" and kappa collapses.

    AC1 = (P - P_e) / (1 - P_e), P_e = sum q_k (1 - q_k) / (K - 1): q_k the mean over units of the
    share of ratings in class k, K the classes that occur. P is taken over units with two ratings
    or more, q_k over all units. Gwet 2008, Br. J. Math. Stat. Psychol. 61:29. `n` is the number
    of units with two ratings.
    """
    counts = _class_counts(ratings)
    if isinstance(counts, Undefined):
        return counts
    counts = counts[counts.sum(axis=1) > 0]
    m = counts.sum(axis=1)
    paired = m >= 2
    units = int(paired.sum())
    if units == 0:
        return Undefined("no unit has two ratings", m.size)
    k = counts.shape[1]
    if k == 1:
        return Undefined("every rating has the same value", units)
    held = counts[paired]
    size = m[paired]
    observed = float(((held * (held - 1)).sum(axis=1) / (size * (size - 1))).mean())
    q = (counts / m[:, None]).mean(axis=0)
    expected = float((q * (1 - q)).sum()) / (k - 1)
    return Estimate((observed - expected) / (1 - expected), None, None, units)


def resampled_ac1(draw: Draw, ratings: ArrayLike) -> Resampled | Undefined:
    point = gwet_ac1(ratings)
    chosen = _class_counts(ratings)
    if isinstance(point, Undefined) or isinstance(chosen, Undefined):
        return point if isinstance(point, Undefined) else Undefined("no ratings", 0)
    draw.check_size(chosen.shape[0])
    return ac1(draw, point, chosen)


def _class_counts(ratings: ArrayLike) -> NDArray[np.int64] | Undefined:
    """Units x classes: how many raters chose each class."""
    table = ratings_table(ratings)
    if isinstance(table, Undefined):
        return table
    values = values_of(table)
    if not values.size:
        return Undefined("no ratings", table.shape[1])
    return by_unit(table, values)
