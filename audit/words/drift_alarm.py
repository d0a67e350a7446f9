"""When a judge counts as drifted, and the sentence that says why or why not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from audit.statistic_names import BAND
from audit.stats import enough
from audit.words.numbers import with_interval


@dataclass(frozen=True, slots=True)
class Alarm:
    raised: bool
    reason: str


def beyond_band(deviation: dict[str, Any]) -> bool:
    """Outside the band, with an interval that excludes 0, on enough images to judge."""
    if "undefined" in deviation or deviation["n"] < enough.IMAGES:
        return False
    if abs(deviation["value"]) <= BAND:
        return False
    return deviation["low"] > 0 or deviation["high"] < 0


def drift_alarm(*, slope: dict[str, Any], deviations: list[tuple[str, dict[str, Any]]]) -> Alarm:
    """Raised when the newest generator is beyond the band and the gap grows with release dates.

    `deviations` in release order, generators without a date left out. A generator with too few
    images to judge is none.
    """
    numbers = [(name, deviation) for name, deviation in deviations if "undefined" not in deviation]
    known = [(name, number) for name, number in numbers if number["n"] >= enough.IMAGES]
    if len(known) < 2 <= len(numbers):
        name, few = min(numbers, key=lambda row: row[1]["n"])
        reason = enough.too_few(few["n"]).reason
        return Alarm(False, f"Drift needs two generators with enough images; {name}: {reason}.")
    if len(known) < 2:
        return Alarm(False, "Drift needs two generators with a release date, labels and scores.")
    if "undefined" in slope:
        return Alarm(False, f"No slope: {slope['undefined']}.")
    name, newest = known[-1]
    moving = slope["low"] > 0 or slope["high"] < 0
    growing = moving and (slope["value"] > 0) == (newest["value"] > 0)
    gap = with_interval("net_deviation", newest)
    trend = with_interval("slope_points_per_year", slope)
    if beyond_band(newest) and growing:
        return Alarm(True, f"Off by {gap} on {name}, the newest generator, moving by {trend}.")
    if beyond_band(newest):
        return Alarm(False, f"Off by {gap} on {name}, but without a trend over release dates.")
    if abs(newest["value"]) > BAND:
        return Alarm(False, f"{gap} on {name}, the newest generator: too uncertain to call drift.")
    if growing:
        return Alarm(False, f"Moving by {trend}, but within ±{BAND:g} points on {name}: {gap}.")
    return Alarm(False, f"In line with people on {name}, the newest generator: {gap}.")


def left_since(deviations: list[tuple[str, dict[str, Any]]]) -> int | None:
    """The index of the first generator from which on all are beyond the band on the same side."""
    first = None
    for place in reversed(range(len(deviations))):
        deviation = deviations[place][1]
        if not beyond_band(deviation):
            break
        if first is not None and (deviation["value"] > 0) != (deviations[first][1]["value"] > 0):
            break
        first = place
    return first
