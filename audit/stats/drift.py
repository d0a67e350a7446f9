"""Has a judge moved away from people as generators grew newer?

Net deviation is human score less judge score, in points, per generator (GenEval 2): positive
where the judge is too strict. Drift is its slope over the generators' release dates.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.series import Floats, finite

DAYS_PER_YEAR = 365.25


def years(released: Sequence[date | str]) -> Floats:
    """Release dates as years since 2000 (dates or YYYY-MM-DD), 365.25 days each."""
    days = np.asarray(released, dtype="datetime64[D]")
    if np.isnat(days).any():
        raise ValueError("a release date is missing")
    return (days - np.datetime64("2000-01-01")).astype(np.float64) / DAYS_PER_YEAR


def slope_per_year(deviations: ArrayLike, released: Sequence[date | str]) -> Result:
    """Points by which the net deviation grows per year: least squares, generators alike.

    slope = sum (t - mt)(d - md) / sum (t - mt)^2. `n` is the number of generators. The interval
    over prompts is `Resamples.slope_per_year`.
    """
    series = finite(deviations, years(released))
    if isinstance(series, Undefined):
        return series
    points, when = series
    if np.unique(when).size < 2:
        return Undefined("a slope needs generators of two release dates", points.size)
    return Estimate(float(slopes(points[None, :], when)[0]), None, None, points.size)


def slopes(points: Floats, when: Floats) -> Floats:
    """The least-squares slope of every row; NaN entries are left out, NaN where no slope is."""
    there = ~np.isnan(points)
    held = np.maximum(there.sum(axis=1, keepdims=True), 1)
    time = np.where(there, when - when.mean(), 0)
    time = np.where(there, time - time.sum(axis=1, keepdims=True) / held, 0)
    spread = (time**2).sum(axis=1)
    # Dates that coincide leave rounding behind, not spread: a day is 2.7e-3 years.
    flat = spread < 1e-9
    moved = (time * np.where(there, points, 0)).sum(axis=1)
    return np.where(flat, np.nan, moved / np.where(flat, 1, spread))
