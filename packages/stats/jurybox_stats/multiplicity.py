"""With many slices some p-values look small by chance alone: corrections for that."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.series import Floats, numbers

# What counts as more than chance, on every page: the level to which adjusted p-values are held.
LEVEL = 0.05


def holm(p: ArrayLike, *, tests: int = 0) -> Floats:
    """Adjusted p-values that keep the chance of any false alarm at the level, whatever depends on
    what: reject those at or below the level. In the order given.

    Sorted ascending, p_(i) becomes max over j <= i of (m - j + 1) p_(j). Holm 1979, Scand. J.
    Stat. 6:65. `tests`: m, where the data chose these out of more; to count the others as 1 only
    raises what is adjusted.
    """
    p = _check_p_values(p)
    m = tests or p.size
    if m < p.size:
        raise ValueError("no more p-values are given than tests could be made")
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(m, m - p.size, -1)
    return _back(np.minimum(np.maximum.accumulate(scaled), 1), order)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Adjusted p-values that keep the expected share of false alarms among all alarms at the level
    where tests do not work against one another.

    Sorted ascending, p_(i) becomes min over j >= i of m p_(j) / j. Benjamini & Hochberg 1995, J. R.
    Stat. Soc. B 57:289.
    """
    p = _check_p_values(p)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    lowest = np.minimum.accumulate(scaled[::-1])[::-1]
    return _back(np.minimum(lowest, 1), order)


def benjamini_yekutieli(p: ArrayLike) -> Floats:
    """Adjusted p-values that keep the expected share of false alarms among all alarms at the level,
    whatever depends on what.

    Sorted ascending, p_(i) becomes min over j >= i of m H_m p_(j) / j, with H_m = 1 + 1/2 + .. + 1/m.
    Benjamini & Yekutieli 2001, Ann. Stat. 29:1165.
    """
    p = _check_p_values(p)
    order = np.argsort(p, kind="stable")
    rank = np.arange(1, p.size + 1)
    scaled = p[order] * p.size * (1 / rank).sum() / rank
    lowest = np.minimum.accumulate(scaled[::-1])[::-1]
    return _back(np.minimum(lowest, 1), order)


def _check_p_values(p: ArrayLike) -> Floats:
    values = numbers(np.asarray(p))
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p-values must be a plain list of numbers from 0 to 1")
    return values


def _back(values: Floats, order: np.ndarray) -> Floats:
    unsorted = np.empty_like(values)
    unsorted[order] = values
    return unsorted
