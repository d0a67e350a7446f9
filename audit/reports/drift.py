"""Drift of one judge: the slope over release dates, the alarm, and the change since its release."""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Series
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
    dates = dict(zip(people.generator_names, people.release_dates, strict=True))
    if series.no_points:
        slope: Result = Undefined(series.no_points, int(both.sum()))
    else:
        slope = draw_of(people.prompts[both], options).slope_per_year(
            series.yes[both], series.score[both], names[both], dates
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
    first = drift_alarm.left_since(deviations)
    if alarm.raised and first is not None:
        since = both & np.isin(names, [name for name, _ in deviations[first:]])
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
    draw = draw_of(people.prompts[there], options)
    return {
        "auroc": est(draw.change("auroc", (series.yes[there], series.score[there]), since)),
    }
