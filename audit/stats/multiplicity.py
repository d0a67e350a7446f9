"""Many slices, many p-values: some will look small by chance alone.

Both return adjusted p-values in the order given: reject those at or below the level.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.series import Floats, numbers


def holm(p: ArrayLike) -> Floats:
    """Keeps the chance of any false alarm at the level, whatever depends on what.

    Sorted ascending, p_(i) becomes max over j <= i of (m - j + 1) p_(j). Holm 1979, Scand. J.
    Stat. 6:65.
    """
    p = _checked(p)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * np.arange(p.size, 0, -1)
    return _back(np.minimum(np.maximum.accumulate(scaled), 1), order)


def benjamini_hochberg(p: ArrayLike) -> Floats:
    """Keeps the expected share of false alarms among all alarms at the level, for independent or
    positively dependent slices.

    p_(i) becomes min over j >= i of m p_(j) / j. Benjamini & Hochberg 1995, J. R. Stat. Soc. B
    57:289.
    """
    p = _checked(p)
    order = np.argsort(p, kind="stable")
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    return _back(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1), order)


def _checked(p: ArrayLike) -> Floats:
    values = numbers(np.asarray(p))
    if values.ndim != 1 or not ((values >= 0) & (values <= 1)).all():
        raise ValueError("p-values must be a plain list of numbers from 0 to 1")
    return values


def _back(values: Floats, order: np.ndarray) -> Floats:
    found = np.empty_like(values)
    found[order] = values
    return found
