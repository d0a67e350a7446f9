"""Does one series rank the items as the other does? Kendall, Spearman, and Pearson beside them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from audit.stats.counting import pairs
from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.series import Floats, constant, finite, group_codes


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
    return pearson(rankdata(series[0]), rankdata(series[1]))


def pearson(x: ArrayLike, y: ArrayLike) -> Result:
    """r = sum (x - mx)(y - my) / sqrt(sum (x - mx)^2 sum (y - my)^2)."""
    series = varying(x, y)
    if isinstance(series, Undefined):
        return series
    a, b = (centred(values) for values in series)
    # Summed exactly: a product of vectors adds in another order on every machine.
    scale = math.sqrt(math.fsum(a * a)) * math.sqrt(math.fsum(b * b))
    if scale == 0:
        return Undefined("one series varies less than its numbers can hold", a.size)
    return Estimate(min(1.0, max(-1.0, math.fsum(a * b) / scale)), None, None, a.size)


def centred(values: Floats) -> Floats:
    # Brought to one size first, so that squares neither overflow nor vanish.
    values = values / np.abs(values).max()
    values = values - values.mean()
    largest = np.abs(values).max()
    return values / largest if largest > 0 else values


def varying(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats] | Undefined:
    series = finite(x, y, at_least=2)
    if isinstance(series, Undefined):
        return series
    for values, which in zip(series, ("first", "second"), strict=True):
        if constant(values):
            return Undefined(f"the {which} series is constant", values.size)
    return series


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
    found = [statistic(*(values[codes == group] for values in series)) for group in range(size)]
    values = [result.value for result in found if isinstance(result, Estimate)]
    if not values:
        return Undefined("it is undefined in every group", size)
    return Estimate(float(np.mean(values)), None, None, len(values))
