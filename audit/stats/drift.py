"""Has a judge moved away from people as generators grew newer?

Net deviation is human score less judge score, in points, per generator (GenEval 2): positive
where the judge is too strict. Drift is its slope over the generators' release dates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.series import Floats, finite, same_length

DAYS_PER_YEAR = 365.25
BAND = 3.0  # points
SATURATED = 95.0  # per cent


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


def in_band(deviation: Result, *, band: float = BAND) -> str:
    """Does a judge's net deviation lie within the +-3 points of the GenEval 2 paper?

    "inside" or "outside" when the whole interval does, "open" when the interval holds an edge or
    nothing is known.
    """
    if not band > 0:
        raise ValueError("the band must be wider than 0")
    if isinstance(deviation, Undefined):
        return "open"
    low, high = _ends(deviation)
    if -band <= low and high <= band:
        return "inside"
    return "outside" if low > band or high < -band else "open"


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


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """A statistic on generators released before the judge, and on those since."""

    before: Result
    since: Result


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


def before_and_since(
    statistic: Callable[..., Result],
    series: Sequence[ArrayLike],
    released: Sequence[date | str],
    judge_released: date | str,
) -> BeforeAfter:
    """The statistic on images of generators older than the judge, and of those that are not.

    `released` is the release date of each image's generator. What a judge was tuned on is older
    than it is; what it has to cope with is not.
    """
    days = np.asarray(released, dtype="datetime64[D]")
    arrays = same_length(*series, days)
    since = days >= np.datetime64(judge_released, "D")
    if np.isnat(days).any():
        raise ValueError("a release date is missing")

    def on(chosen: np.ndarray) -> Result:
        if not chosen.any():
            return Undefined("no image of such a generator", 0)
        return statistic(*(a[chosen] for a in arrays[:-1]))

    return BeforeAfter(on(~since), on(since))
