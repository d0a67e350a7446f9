"""Does one series rank the items as the other does? Kendall, Spearman, and Pearson beside them."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.counting import pairs, sign_flips
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling import pair_counts, rank_products
from jurybox_stats.resampling.cluster_counts import Counts, LeftOut
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import mean, ratio, total, weighted
from jurybox_stats.series import Codes, Floats, constant, finite, group_codes, ratings_table


def kendall_tau_b(x: ArrayLike, y: ArrayLike) -> Result:
    """tau_b = (C - D) / sqrt((P - T_x)(P - T_y)): concordant less discordant pairs, over the
    pairs that each series could have decided. Kendall 1945, Biometrika 33:239.
    """
    series = varying(x, y)
    if isinstance(series, Undefined):
        return series
    c = pairs.count(*series)
    return Estimate(
        tau_b(c.concordant, c.total, c.tied_x, c.tied_y, c.tied_both), None, None, series[0].size
    )


def tau_b(concordant: int, total: int, tied_x: int, tied_y: int, tied_both: int) -> float:
    """The ratio itself, of whole counts. One root of their product: perfect is then exactly 1."""
    surplus = 2 * concordant - (total - tied_x - tied_y + tied_both)
    return surplus / math.sqrt((total - tied_x) * (total - tied_y))


def resampled_tau_b(draw: Draw, x: ArrayLike, y: ArrayLike) -> Resampled | Undefined:
    series = varying(x, y)
    if isinstance(series, Undefined):
        return draw.check_length(series, x)
    draw.check_size(series[0].size)
    a, levels = _fewer_levels_second(draw, *series)

    def resampled(counts: Counts) -> Floats:
        concordant = pair_counts.right(draw, counts, a, levels)
        total, tied_a, tied_b, tied_both = pair_counts.tied(draw, counts, a, levels)
        surplus = 2 * concordant - (total - tied_a - tied_b + tied_both)
        return ratio(surplus, np.sqrt((total - tied_a) * (total - tied_b)))

    counted = (
        pair_counts.right(draw, draw.once, a, levels),
        *pair_counts.tied(draw, draw.once, a, levels),
    )
    value = tau_b(*(int(count[0]) for count in counted))
    point = Estimate(value, None, None, draw.n)
    return Resampled(point, resampled, "correlation", 2.0, rarer=_rarer(draw, *series))


def _fewer_levels_second(draw: Draw, a: Floats, b: Floats) -> tuple[Floats, Codes]:
    """The series in the order in which counting costs least, the second as codes."""
    if draw.dense(a).max() < draw.dense(b).max():
        a, b = b, a
    return a, draw.dense(b)


def kendall_tau_c(x: ArrayLike, y: ArrayLike) -> Result:
    """tau_c = 2 (C - D) / (n^2 (m - 1) / m), m the smaller number of distinct values.

    Stuart 1953, Biometrika 40:105: made for two scales with different numbers of steps.
    """
    series = varying(x, y)
    if isinstance(series, Undefined):
        return series
    c = pairs.count(*series)
    n = series[0].size
    m = min(np.unique(series[0]).size, np.unique(series[1]).size)
    return Estimate(2 * (c.concordant - c.discordant) * m / (n * n * (m - 1)), None, None, n)


def resampled_tau_c(draw: Draw, x: ArrayLike, y: ArrayLike) -> Resampled | Undefined:
    """m stays that of the data: how many steps a scale has is no matter of which prompts are drawn."""
    series = varying(x, y)
    if isinstance(series, Undefined):
        return draw.check_length(series, x)
    draw.check_size(series[0].size)
    m = min(np.unique(values).size for values in series)
    a, levels = _fewer_levels_second(draw, *series)

    def resampled(counts: Counts) -> Floats:
        concordant = pair_counts.right(draw, counts, a, levels)
        total, tied_a, tied_b, tied_both = pair_counts.tied(draw, counts, a, levels)
        surplus = 2 * concordant - (total - tied_a - tied_b + tied_both)
        n = counts @ draw.sizes()
        return 2 * surplus * m / (n * n * (m - 1))

    value = float(resampled(draw.once)[0])
    point = Estimate(value, None, None, draw.n)
    return Resampled(point, resampled, "correlation", 2.0, rarer=_rarer(draw, *series))


def spearman(x: ArrayLike, y: ArrayLike) -> Result:
    """Pearson's r of the mid-ranks. Spearman 1904, Am. J. Psychol. 15:72."""
    series = varying(x, y)
    if isinstance(series, Undefined):
        return series
    return pearson(scipy.stats.rankdata(series[0]), scipy.stats.rankdata(series[1]))


def resampled_spearman(draw: Draw, x: ArrayLike, y: ArrayLike) -> Resampled | Undefined:
    series = varying(x, y)
    if isinstance(series, Undefined):
        return draw.check_length(series, x)
    draw.check_size(series[0].size)
    point = _pearson(_mid_ranks(draw, series[0]), _mid_ranks(draw, series[1]), draw.times)
    a, levels = _fewer_levels_second(draw, *series)

    def resampled(counts: Counts) -> Floats:
        size = counts @ draw.sizes()
        cubes_a = pair_counts.ties(draw, counts, draw.dense(a), 3)
        cubes_b = pair_counts.ties(draw, counts, levels, 3)
        # 12 sum (rank - mean rank)^2 = W^3 - sum t^3 with mid-ranks (Kendall 1948, ch. 3).
        spread = np.sqrt((size**3 - cubes_a) * (size**3 - cubes_b)) / 12
        if levels.max() == 1:
            wins, m, n = pair_counts.won(draw, counts, levels, a)
            return ratio((wins - m * n / 2) * size / 2, spread)
        return ratio(_rank_products(draw, counts, a, levels), spread)

    return Resampled(point, resampled, "correlation", 2.0, rarer=_rarer(draw, *series))


def _mid_ranks(draw: Draw, values: Floats) -> Floats:
    codes = draw.dense(values)
    held = np.bincount(codes, weights=draw.times)
    ranks: Floats = (np.cumsum(held) - (held - 1) / 2)[codes]
    return ranks


def _rank_products(draw: Draw, counts: Counts, x: Floats, levels: Codes) -> Floats:
    """sum of (rank of x - mean) (rank of level - mean) over each resample's items."""
    if draw.times is not None:
        return rank_products.count_by_kind(draw, counts, x, levels)
    if isinstance(counts, LeftOut):
        return rank_products.without_each(draw, x, levels)
    order = np.argsort(x, kind="stable")
    cluster, level = draw.cluster[order], levels[order]
    ordered = x[order]
    run = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    held = counts @ draw.by_class(levels, int(levels.max()) + 1)
    middle = np.cumsum(held, axis=1) - held / 2
    middle -= held.sum(axis=1, keepdims=True) / 2
    products = np.empty(counts.shape[0])
    rows = max(1, 500_000 // draw.n)
    for first in range(0, counts.shape[0], rows):
        weight = counts[first : first + rows].take(cluster, axis=1)
        product = middle[first : first + rows].take(level, axis=1)
        product *= weight
        if run.size < draw.n:
            weight = np.add.reduceat(weight, run, axis=1)
            product = np.add.reduceat(product, run, axis=1)
        rank = np.cumsum(weight, axis=1)
        weight *= 0.5
        rank -= weight
        products[first : first + rows] = np.einsum("bv,bv->b", rank, product)
    return products


def pearson(x: ArrayLike, y: ArrayLike) -> Result:
    """r = sum (x - mx)(y - my) / sqrt(sum (x - mx)^2 sum (y - my)^2)."""
    series = varying(x, y)
    if isinstance(series, Undefined):
        return series
    return _pearson(*series)


def _pearson(x: Floats, y: Floats, times: Floats | None = None) -> Estimate:
    return _correlation(centred(x, times), centred(y, times), times)


def resampled_pearson(draw: Draw, x: ArrayLike, y: ArrayLike) -> Resampled | Undefined:
    series = varying(x, y)
    if isinstance(series, Undefined):
        return draw.check_length(series, x)
    draw.check_size(series[0].size)
    a, b = (centred(values, draw.times) for values in series)
    point = _correlation(a, b, draw.times)
    sums = draw.by_cluster(np.ones(a.size), a, b, a * a, b * b, a * b)

    def resampled(counts: Counts) -> Floats:
        size, sa, sb, saa, sbb, sab = weighted(counts, sums).T
        va, vb = saa - sa * sa / size, sbb - sb * sb / size
        # A resample in which one series is constant leaves rounding behind, not variance.
        flat = (va <= 1e-13 * saa) | (vb <= 1e-13 * sbb)
        root = np.sqrt(np.where(flat, 0.0, va * vb))
        return np.clip(ratio(sab - sa * sb / size, root), -1, 1)

    return Resampled(point, resampled, "correlation", 2.0, rarer=_rarer(draw, *series))


def _rarer(draw: Draw, x: Floats, y: Floats) -> tuple[int, int]:
    return min(draw.count_uncommon(x), draw.count_uncommon(y))


def _correlation(a: Floats, b: Floats, times: Floats | None = None) -> Estimate:
    # Summed exactly: a product of vectors adds in another order on every machine.
    scale = math.sqrt(total(a * a, times)) * math.sqrt(total(b * b, times))
    n = a.size if times is None else int(times.sum())
    return Estimate(min(1.0, max(-1.0, total(a * b, times) / scale)), None, None, n)


def centred(values: Floats, times: Floats | None = None) -> Floats:
    """The values less their mean, the furthest at 1: squares neither overflow nor vanish.

    Counted from the smallest value first: of values that differ in their last digits only, that
    difference is exact, while their mean is not.
    """
    values = values - values.min()
    values = values / values.max()
    values = values - mean(values, times)
    return values / np.abs(values).max()


def varying(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats] | Undefined:
    series = finite(x, y, at_least=2)
    if isinstance(series, Undefined):
        return series
    for values, which in zip(series, ("first", "second"), strict=True):
        if constant(values):
            return Undefined(f"the {which} series is constant", values.size)
    first, second = series
    return first, second


def by_group(
    statistic: Callable[[ArrayLike, ArrayLike], Result],
    x: ArrayLike,
    y: ArrayLike,
    groups: ArrayLike,
) -> Result:
    """The mean of a statistic over groups (prompts, generators) in which it is defined.

    `n` is the number of those groups: what a mean silently leaves out should be seen.
    """
    series = finite(x, y)
    if isinstance(series, Undefined):
        return series
    codes, size = group_codes(groups, series[0].size)
    results = [statistic(*(values[codes == group] for values in series)) for group in range(size)]
    values = [result.value for result in results if isinstance(result, Estimate)]
    if not values:
        return Undefined("it is undefined in every group", size)
    return Estimate(float(np.mean(values)), None, None, len(values))


def soft_pairwise_accuracy(
    people: ArrayLike,
    judge: ArrayLike,
    *,
    prompts: ArrayLike | None = None,
    chance: Literal["normal", "exact", "exact, ties half"] = "normal",
) -> Result:
    """Does the judge rank generators with the certainty that people have? Both generators x images,
    each image of one prompt in every row. `n` counts pairs of generators.

    1 - mean |p_people - p_judge| over the pairs, with p the one-sided chance, over tosses of the
    sign of every difference (of a whole prompt's differences where `prompts` repeat), of a sum as
    large as the one seen. Thompson et al. 2024, WMT.
    """
    tables = ratings_table(people), ratings_table(judge)
    for table in tables:
        if isinstance(table, Undefined):
            return table
        if not np.isfinite(table).all():
            return Undefined("a generator has no score for some images", table.shape[0])
    human, metric = (table for table in tables if not isinstance(table, Undefined))
    if human.shape != metric.shape:
        raise ValueError("people and judge must score the same generators on the same images")
    if human.shape[0] < 2:
        return Undefined("one generator has nobody to be compared with", 0)
    codes, size = np.arange(human.shape[1]), human.shape[1]
    if prompts is not None:
        codes, size = group_codes(prompts, human.shape[1], what="prompts")
    gaps: list[float] = []
    for i, j in combinations(range(human.shape[0]), 2):
        p = [_p_ahead(table[i] - table[j], codes, size, chance) for table in (human, metric)]
        if p[0] is None or p[1] is None:
            return Undefined("the scores have too many digits to count all sums exactly", len(gaps))
        gaps.append(abs(p[0] - p[1]))
    return Estimate(1 - math.fsum(gaps) / len(gaps), None, None, len(gaps))


def _p_ahead(difference: Floats, codes: Codes, size: int, chance: str) -> float | None:
    # A sum of decimals, without the last digits that floats make of it.
    terms = np.round(np.bincount(codes, weights=difference, minlength=size), 12).astype(np.float64)
    if chance == "normal":
        return sign_flips.normal(terms)
    counted = sign_flips.exact(terms)
    return None if counted is None else counted[0 if chance == "exact" else 1]
