"""Drift of one judge: the slope over release dates, the alarm, and the change since its release."""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Series
from audit.stats import enough
from audit.stats.estimate import Result, Undefined
from audit.words import drift_alarm


def drift(
    people: People,
    judge: JudgeScores,
    series: Series,
    by_generator: dict[str, Any],
    options: Options,
) -> dict[str, Any]:
    both = ~np.isnan(series.score) & ~np.isnan(series.yes)
    names = np.array(people.generator_names, dtype=object)[people.generators]
    size = np.bincount(people.generators[both], minlength=len(people.generator_names))
    # A generator with too few images to judge says nothing about drift.
    judged = both & (size >= enough.IMAGES)[people.generators]
    dates = dict(zip(people.generator_names, people.release_dates, strict=True))
    if series.no_points:
        slope: Result = Undefined(series.no_points, int(both.sum()))
    elif both.any() and not judged.any():
        slope = enough.too_few(int(size.max()))
    else:
        slope = draw_of(people.prompts[judged], options).slope_per_year(
            series.yes[judged], series.score[judged], names[judged], dates
        )
    dated = [
        (name, released, by_generator[name]["net_deviation"])
        for name in by_generator
        if (released := dates[name]) is not None
    ]
    deviations = [(name, deviation) for name, _, deviation in dated]
    alarm = drift_alarm.drift_alarm(slope=est(slope), deviations=deviations)
    result = {
        "slope_points_per_year": est(slope),
        "alarm": alarm.raised,
        "reason": alarm.reason,
        "since_own_release": _since_own_release(people, judge, series, options),
    }
    dated = [row for row in dated if row[2]["n"] >= enough.IMAGES and "value" in row[2]]
    deviations = [(name, deviation) for name, _, deviation in dated]
    first = drift_alarm.left_since(deviations)
    if alarm.raised and first is not None:
        since = judged & np.isin(names, [name for name, _ in deviations[first:]])
        result["since"] = dated[first][1].isoformat()
        result["net_deviation_since"] = est(
            draw_of(people.prompts[since], options).difference_of_means(
                series.yes[since], series.score[since], scale=100.0
            )
        )
    return result


def _since_own_release(
    people: People, judge: JudgeScores, series: Series, options: Options
) -> dict[str, Any]:
    """AUROC on generators released since the judge was, minus AUROC on the older ones."""
    dated = np.array([date is not None for date in people.release_dates], dtype=bool)
    there = ~np.isnan(series.score) & ~np.isnan(series.yes)
    if len(dated):
        there &= dated[people.generators]
    n = int(there.sum())
    if judge.release_date is None:
        return {"auroc": est(Undefined("the judge has no release date", n))}
    newer = np.array(
        [date is not None and date >= judge.release_date for date in people.release_dates],
        dtype=bool,
    )
    if not n:
        return {"auroc": est(Undefined("no image has what this number needs", 0))}
    since = newer[people.generators][there]
    few = min(int(since.sum()), int((~since).sum()))
    if 0 < few < enough.IMAGES:
        return {"auroc": est(enough.too_few(few, what="images on one side of its release"))}
    draw = draw_of(people.prompts[there], options)
    return {
        "auroc": est(draw.change("auroc", (series.yes[there], series.score[there]), since)),
    }
