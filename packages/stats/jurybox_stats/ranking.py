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
from jurybox_stats.resampling.exact_sums import mean, total
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


def spearman(x: ArrayLike, y: ArrayLike) -> Result:
    """Pearson's r of the mid-ranks. Spearman 1904, Am. J. Psychol. 15:72."""
    series = varying(x, y)
    if isinstance(series, Undefined):
        return series
    return pearson(scipy.stats.rankdata(series[0]), scipy.stats.rankdata(series[1]))


def pearson(x: ArrayLike, y: ArrayLike) -> Result:
    """r = sum (x - mx)(y - my) / sqrt(sum (x - mx)^2 sum (y - my)^2)."""
    series = varying(x, y)
    if isinstance(series, Undefined):
        return series
    a, b = (centred(values) for values in series)
    # Summed exactly: a product of vectors adds in another order on every machine.
    scale = math.sqrt(total(a * a)) * math.sqrt(total(b * b))
    return Estimate(min(1.0, max(-1.0, total(a * b) / scale)), None, None, a.size)


def centred(values: Floats) -> Floats:
    """The values less their mean, the furthest at 1: squares neither overflow nor vanish.

    Counted from the smallest value first: of values that differ in their last digits only, that
    difference is exact, while their mean is not.
    """
    values = values - values.min()
    values = values / values.max()
    values = values - mean(values)
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
