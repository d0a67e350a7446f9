"""Has a judge moved away from people as generators grew newer?

Net deviation is human score less judge score, in points, per generator (GenEval 2): positive
where the judge is too strict. Drift is its slope over the generators' release dates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.resampling.cluster_counts import Counts
from jurybox_stats.resampling.draw import Draw, Resampled
from jurybox_stats.resampling.exact_sums import by_group, ratio, weighted
from jurybox_stats.series import Floats, coded, same_length

DAYS_PER_YEAR = 365.25
SATURATED = 95.0  # per cent


def years(released: Sequence[date | str]) -> Floats:
    """Release dates as years since 2000 (dates or YYYY-MM-DD), 365.25 days each."""
    days = np.asarray(released, dtype="datetime64[D]")
    if np.isnat(days).any():
        raise ValueError("a release date is missing")
    return (days - np.datetime64("2000-01-01")).astype(np.float64) / DAYS_PER_YEAR


def resampled_slope(
    draw: Draw,
    human: ArrayLike,
    judge: ArrayLike,
    generators: ArrayLike,
    released: Mapping[Any, date | str | None],
    *,
    scale: float = 100.0,
) -> Resampled | Undefined:
    """Points by which the net deviation of a generator grows per year of its release date. `generators`:
    names, or whole numbers in the order of the names, which are sorted much faster.

    slope = sum (t - mt)(d - md) / sum (t - mt)^2 over the generators, each counting the same: d
    the mean of human - judge, t the date in years.
    """
    series = draw.finite(human, judge)
    if isinstance(series, Undefined):
        return series
    people, scores = series
    same_length(generators, human)
    given = np.asarray(generators)
    names, codes = (
        coded(given)
        if given.dtype.kind in "iu"
        else np.unique(given.astype(str), return_inverse=True)
    )
    dates = [released.get(name, released.get(str(name))) for name in names.tolist()]
    dated = np.array([day is not None for day in dates], bool)
    inside = dated[codes]
    n = int(inside.sum())
    if not dated.any():
        return Undefined("no generator has a release date", n)
    when = years([day for day in dates if day is not None])
    k = when.size
    column = (np.cumsum(dated) - 1)[codes[inside]]
    # Clusters x generators: what a cluster adds to each generator, and how many images.
    cell = draw.cluster[inside] * k + column
    difference = (people - scores)[inside] * scale
    gained = by_group(difference, cell, draw.clusters * k)
    held = np.bincount(cell, minlength=draw.clusters * k).astype(np.float64)
    gained_by, held_by = gained.reshape(-1, k), held.reshape(-1, k)

    def resampled(counts: Counts) -> Floats:
        return slopes(ratio(weighted(counts, gained_by), counts @ held_by), when)

    value = float(resampled(draw.once)[0])
    if np.isnan(value):
        return Undefined("a slope needs generators of two release dates", n)
    return Resampled(Estimate(value, None, None, n), resampled)


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


def saturated(human_score: Result, *, at: float = SATURATED) -> str:
    """Is a benchmark used up: do people call nearly every image right? "yes", "no" or "open"."""
    if isinstance(human_score, Undefined):
        return "open"
    low, high = _ends(human_score)
    return "yes" if low >= at else "no" if high < at else "open"


def _ends(estimate: Estimate) -> tuple[float, float]:
    if estimate.low is None or estimate.high is None:
        return estimate.value, estimate.value
    return estimate.low, estimate.high


@dataclass(frozen=True, slots=True)
class Agreement:
    """A statistic of one judge on the images of one generator."""

    generator: str
    released: date
    result: Result


def by_release(
    statistic: Callable[..., Result],
    series: Sequence[ArrayLike],
    generators: ArrayLike,
    released: Mapping[str, date | str | None],
) -> list[Agreement]:
    """The statistic for each generator with a release date, the oldest first."""
    arrays = same_length(*series, generators)
    names = arrays[-1].astype(str)
    rows = []
    for name in np.unique(names).tolist():
        if released.get(name) is not None:
            inside = names == name
            day = np.datetime64(released[name], "D").astype(date)
            rows.append(Agreement(name, day, statistic(*(a[inside] for a in arrays[:-1]))))
    return sorted(rows, key=lambda row: (row.released, row.generator))
