"""Drift of one judge: what each generator says, what has changed, and what it would take to tell.

Whether that is called drift is decided over all judges together, in `states`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Series
from audit.statistic_names import BAND
from audit.stats import enough
from audit.stats.estimate import Estimate, Result, Undefined
from audit.stats.over_time import courses
from audit.stats.over_time.calibrated import FOLDS
from audit.stats.over_time.claims import ORDER, POINTS, Claim, Claims, Judged, claims
from audit.stats.over_time.evidence import images_for, seen
from audit.words.drift_state import AUROC, PAIRS

AS_THEY_ARE = "none: verdicts are in points as they are"
ISOTONIC = f"isotonic regression on people’s answers, on the reference generators, {FOLDS} folds of prompts"
# Evidence of 20 against one claim is a level of 5 %; a judge of scores has two.
LEVEL = 0.05


def drift(
    people: People,
    judge: JudgeScores,
    series: Series,
    by_generator: dict[str, Any],
    options: Options,
) -> dict[str, Any]:
    answers = series.level
    both = ~np.isnan(series.score) & ~np.isnan(answers)
    size = np.bincount(people.generators[both], minlength=len(people.generator_names))
    dated = np.array([date is not None for date in people.release_dates], dtype=bool)
    # A generator with too few images to judge says nothing about drift.
    counted = np.flatnonzero(dated & (size >= enough.IMAGES))
    verdicts = people.scale.is_yes_no and bool(np.isin(series.score[both], (0.0, 1.0)).all())
    result: dict[str, Any] = {
        "kind": "verdicts" if verdicts else "scores",
        "order": AUROC if people.scale.is_yes_no else PAIRS,
        "slope_points_per_year": est(_slope(people, series, size, options)),
        "since_own_release": _since_own_release(people, judge, series, options),
    }
    if reason := _why_not(people, judge, size, dated, counted):
        return {**result, "untold": reason}
    inside = both & np.isin(people.generators, counted)
    reference, rule = _reference(people, judge, counted)
    span = people.scale.high - people.scale.low
    judged = Judged(
        people=answers[inside],
        judge=series.score[inside],
        generators=np.searchsorted(counted, people.generators[inside]),
        prompts=np.unique(people.prompts[inside], return_inverse=True)[1],
        count=counted.size,
        reference=reference,
        verdicts=verdicts,
        points=100.0 / span,
    )
    names = [people.generator_names[code] for code in counted]
    told = claims(judged)
    return {
        **result,
        "reference": {
            "rule": rule,
            "generators": names[:reference],
            "calibration": AS_THEY_ARE if verdicts else ISOTONIC,
        },
        "by_generator": _numbers(judged, told, names, by_generator, people.scale.is_yes_no),
        "claims": {
            name: _claim(name, claim, judged, told, people, counted, series, options)
            for name, claim in (
                ("net_deviation", told.by_deviation),
                ("agreement", told.by_order),
            )
            if claim is not None
        },
        "prevalence": _prevalence(judged, told),
    }


def _why_not(
    people: People,
    judge: JudgeScores,
    size: np.ndarray,
    dated: np.ndarray,
    counted: np.ndarray,
) -> str:
    """Why nothing can be told about drift; empty where something can."""
    if judge.stopped:
        return f"Its run was stopped by a failure: {judge.stopped}"
    if counted.size < 2 <= np.count_nonzero(dated & (size > 0)):
        few = int(size[dated & (size > 0)].argmin())
        name = np.array(people.generator_names, dtype=object)[dated & (size > 0)][few]
        reason = enough.too_few(int(size[dated & (size > 0)][few])).reason
        return f"Drift needs two generators with enough images; {name}: {reason}."
    if counted.size < 2:
        return "Drift needs two generators with a release date, labels and scores."
    if people.scale.high <= people.scale.low:
        return "All answers are the same number: people’s scale is not known."
    return ""


def _reference(people: People, judge: JudgeScores, counted: np.ndarray) -> tuple[int, str]:
    """How many of the counted generators, from the oldest on, the others are compared with."""
    released = judge.release_date
    dates = [people.release_dates[code] for code in counted]
    older = sum(date is not None and released is not None and date < released for date in dates)
    if 0 < older < len(dates):
        return older, "generators released before the judge"
    return -(-len(dates) // 3), "the oldest third of the generators"


def _numbers(
    judged: Judged, told: Claims, names: list[str], by_generator: dict[str, Any], yes_no: bool
) -> dict[str, Any]:
    """Net deviation of each generator, as the claim reads it, and the order of its images."""
    number = np.arange(judged.count)
    on_reference = number < judged.reference
    numbers = {}
    for place, name in enumerate(names):
        deviation: dict[str, Any] = by_generator[name]["net_deviation"]
        if not judged.verdicts:
            moved = courses.change(told.deviation, on_reference, number == place)
            deviation = est(moved.interval())
        order = by_generator[name]["auroc"] if yes_no else est(_order(told, place))
        numbers[name] = {"net_deviation": deviation, "agreement": order}
    return numbers


def _order(told: Claims, place: int) -> Result:
    n = int(told.order.n[place])
    if told.order.weights[place] <= 0:
        return Undefined("people give the same answer to all its images", n)
    own = courses.own(told.order, place).interval()
    return Estimate(own.value, max(own.low or 0.0, 0.0), min(own.high or 1.0, 1.0), n)


def _claim(
    name: str,
    claim: Claim,
    judged: Judged,
    told: Claims,
    people: People,
    counted: np.ndarray,
    series: Series,
    options: Options,
) -> dict[str, Any]:
    number = np.arange(judged.count)
    after, scale = number >= claim.since, POINTS if name == "net_deviation" else ORDER
    level = LEVEL if judged.verdicts else LEVEL / 2
    later = claim.later
    released = people.release_dates[counted[claim.since]]
    assert released is not None
    size = _size(name, claim, judged, told, people, counted, series, options)
    return {
        "evidence": claim.evidence,
        "since": released.isoformat(),
        "change": est(claim.moved.interval()),
        "later": est(later.interval()),
        "size": size,
        "newest": people.generator_names[counted[-1]],
        "generators": [people.generator_names[code] for code in counted[after]],
        "before": courses.level(told.order, ~after) if name == "agreement" else None,
        "after": courses.level(told.order, after) if name == "agreement" else None,
        "would_show": seen(later.error, scale=scale, level=level),
        "images_for_that": images_for(scale, later.error, later.n, scale=scale, level=level),
        "beyond": _beyond(name, claim, size),
    }


def _size(
    name: str,
    claim: Claim,
    judged: Judged,
    told: Claims,
    people: People,
    counted: np.ndarray,
    series: Series,
    options: Options,
) -> dict[str, Any]:
    """How far off the judge is since then."""
    number = np.arange(judged.count)
    after = number >= claim.since
    if name == "agreement":
        return est(claim.moved.interval())
    if not judged.verdicts:
        return est(courses.change(told.deviation, number < judged.reference, after).interval())
    there = ~np.isnan(series.score) & ~np.isnan(series.yes)
    since = there & np.isin(people.generators, counted[after])
    return est(
        draw_of(people.prompts[since], options).difference_of_means(
            series.yes[since], series.score[since], scale=100.0
        )
    )


def _beyond(name: str, claim: Claim, size: dict[str, Any]) -> bool:
    """Further off than the band, by more than chance, and on the side to which it moved."""
    band = BAND if name == "net_deviation" else BAND / 100
    if "undefined" in size or abs(size["value"]) <= band or size["low"] <= 0 <= size["high"]:
        return False
    return (size["value"] > 0) == (claim.moved.value > 0)


def _prevalence(judged: Judged, told: Claims) -> dict[str, Any]:
    """People's score on the oldest and the newest generator, and how far the net deviation of a judge
    who errs as on the reference generators would move between the two."""
    level = [
        float(judged.points * judged.people[judged.generators == place].mean())
        for place in (0, judged.count - 1)
    ]
    moved = told.same_errors.values[[0, -1]] if told.same_errors.weights[[0, -1]].all() else None
    return {
        "from": level[0],
        "to": level[1],
        "explains": None if moved is None else float(moved[1] - moved[0]),
    }


def _slope(people: People, series: Series, size: np.ndarray, options: Options) -> Result:
    """Points a year by which the difference of means grows: for a score it is no drift."""
    both = ~np.isnan(series.score) & ~np.isnan(series.level)
    if series.no_points:
        return Undefined(series.no_points, int(both.sum()))
    judged = both & (size >= enough.IMAGES)[people.generators]
    if both.any() and not judged.any():
        return enough.too_few(int(size.max()))
    names = np.array(people.generator_names, dtype=object)[people.generators]
    dates = dict(zip(people.generator_names, people.release_dates, strict=True))
    return draw_of(people.prompts[judged], options).slope_per_year(
        series.level[judged], series.score[judged], names[judged], dates
    )


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
