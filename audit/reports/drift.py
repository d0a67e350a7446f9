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
from audit.stats.estimate import Result, Undefined
from audit.stats.multiplicity import LEVEL
from audit.stats.over_time import courses
from audit.stats.over_time.calibrated import FOLDS
from audit.stats.over_time.claims import ORDER, POINTS, Claim, Judged, claims
from audit.stats.over_time.evidence import images_for, seen
from audit.stats.resampling.cluster_order import by_content
from audit.words.drift_state import AUROC, PAIRS, STOPPED

AS_THEY_ARE = "none: verdicts are in points as they are"
ISOTONIC = f"isotonic regression on people’s answers, on the reference generators, {FOLDS} folds of prompts"
TOO_FEW_PROMPTS = "the reference generators have too few prompts to calibrate the score on"


def drift(
    people: People,
    judge: JudgeScores,
    series: Series,
    by_generator: dict[str, Any],
    options: Options,
) -> dict[str, Any]:
    both = ~np.isnan(series.score) & ~np.isnan(series.level)
    size = np.bincount(people.generators[both], minlength=len(people.generator_names))
    dated = np.array([date is not None for date in people.release_dates], dtype=bool)
    # A generator with too few images to judge says nothing about drift.
    counted = np.flatnonzero(dated & (size >= enough.IMAGES))
    verdicts = people.scale.is_yes_no and bool(np.isin(series.score[both], (0.0, 1.0)).all())
    result: dict[str, Any] = {
        "kind": "verdicts" if verdicts else "scores",
        "order": AUROC if people.scale.is_yes_no else PAIRS,
        "slope_points_per_year": est(_slope(people, series, both, size, options)),
        "since_own_release": _since_own_release(people, judge, series, options),
    }
    if reason := _why_not(people, judge, np.where(dated, size, 0), counted):
        return {**result, "untold": reason}
    reference, rule = _reference(people, judge, counted)
    inside = both & np.isin(people.generators, counted)
    judged = Judged(
        people=series.level[inside],
        judge=series.score[inside],
        generators=np.searchsorted(counted, people.generators[inside]),
        prompts=by_content(
            people.prompts[inside],
            series.level[inside],
            series.score[inside],
            people.generators[inside],
        ),
        count=counted.size,
        reference=reference,
        verdicts=verdicts,
        points=100.0 / (people.scale.high - people.scale.low),
    )
    return {**result, **_Told(people, series, counted, judged, options).body(rule, by_generator)}


class _Told:
    """What the counted generators say of the judge."""

    def __init__(
        self,
        people: People,
        series: Series,
        counted: np.ndarray,
        judged: Judged,
        options: Options,
    ) -> None:
        self.people, self.series, self.options = people, series, options
        self.counted, self.judged, self.claims = counted, judged, claims(judged)
        self.names = [people.generator_names[code] for code in counted]
        self.place = np.arange(judged.count)
        self.on_reference = self.place < judged.reference

    def body(self, rule: str, by_generator: dict[str, Any]) -> dict[str, Any]:
        made = {"net_deviation": self.claims.by_deviation, "agreement": self.claims.by_order}
        return {
            "reference": {
                "rule": rule,
                "generators": self.names[: self.judged.reference],
                "calibration": AS_THEY_ARE if self.judged.verdicts else ISOTONIC,
            },
            "by_generator": {
                name: {
                    "net_deviation": self._deviation(place, by_generator[name]),
                    "agreement": self._agreement(place, by_generator[name]),
                }
                for place, name in enumerate(self.names)
            },
            "claims": {
                name: self._claim(name, claim) for name, claim in made.items() if claim is not None
            },
            "prevalence": self._prevalence(),
        }

    def _deviation(self, place: int, stats: dict[str, Any]) -> dict[str, Any]:
        """As the claim reads it: of verdicts as they are, of scores once they are calibrated."""
        if self.judged.verdicts:
            return stats["net_deviation"]
        course = self.claims.deviation
        if not course.weights[place] or not course.weights[self.on_reference].any():
            return est(Undefined(TOO_FEW_PROMPTS, int(course.n[place])))
        return est(courses.change(course, self.on_reference, self.place == place).interval())

    def _agreement(self, place: int, stats: dict[str, Any]) -> dict[str, Any]:
        if self.people.scale.is_yes_no:
            return stats["auroc"]
        course = self.claims.order
        if not course.weights[place]:
            reason = "people give the same answer to all its images"
            return est(Undefined(reason, int(course.n[place])))
        return est(courses.own(course, place).as_share())

    def _claim(self, name: str, claim: Claim) -> dict[str, Any]:
        after, scale = self.place >= claim.since, POINTS if name == "net_deviation" else ORDER
        # A judge of scores has two claims.
        level = LEVEL if self.judged.verdicts else LEVEL / 2
        later, order = claim.later, self.claims.order
        released = self.people.release_dates[self.counted[claim.since]]
        assert released is not None
        size = est(self._size(name, claim, after))
        return {
            "evidence": claim.evidence,
            "since": released.isoformat(),
            "change": est(claim.there()),
            "dates": claim.dates,
            "later": est(later.interval()),
            "size": size,
            "newest": self.names[-1],
            "generators": self.names[claim.since :],
            "before": courses.level(order, ~after) if name == "agreement" else None,
            "after": courses.level(order, after) if name == "agreement" else None,
            "would_show": seen(later.error, scale=scale, level=level),
            "images_for_that": images_for(scale, later.error, later.n, scale=scale, level=level),
            "beyond": _beyond(name, claim, size),
        }

    def _size(self, name: str, claim: Claim, after: np.ndarray) -> Result:
        """How far off the judge is since then."""
        if name == "agreement":
            return claim.there()
        if not self.judged.verdicts:
            return courses.change(self.claims.deviation, self.on_reference, after).interval()
        people, series = self.people, self.series
        there = ~np.isnan(series.score) & ~np.isnan(series.yes)
        since = there & np.isin(people.generators, self.counted[after])
        compared = series.yes[since], series.score[since]
        draw = draw_of(people.prompts[since], self.options)
        return draw.difference_of_means(*compared, scale=100.0)

    def _prevalence(self) -> dict[str, Any]:
        """People's score on the oldest and the newest generator, and how far the net deviation of a
        judge who errs as on the reference generators would move between the two."""
        judged, ends, same = self.judged, [0, -1], self.claims.same_errors
        first, last = (
            float(judged.points * judged.people[judged.generators == place].mean())
            for place in self.place[ends]
        )
        known = bool(same.weights[ends].all())
        explains = float(same.values[-1] - same.values[0]) if known else None
        return {"from": first, "to": last, "explains": explains}


def _beyond(name: str, claim: Claim, size: dict[str, Any]) -> bool:
    """Further off than the band, by more than chance, and on the side to which it moved. An order that
    got better is no drift."""
    band = BAND if name == "net_deviation" else BAND / 100
    if "undefined" in size or abs(size["value"]) <= band or size["low"] <= 0 <= size["high"]:
        return False
    if name == "agreement":
        return size["value"] < 0
    return (size["value"] > 0) == (claim.moved.value > 0)


def _why_not(people: People, judge: JudgeScores, dated: np.ndarray, counted: np.ndarray) -> str:
    """Why nothing can be told about drift; empty where something can. `dated` counts the images of
    each generator with a release date."""
    if judge.stopped:
        return f"{STOPPED}{judge.stopped}"
    some = np.flatnonzero(dated)
    if counted.size < 2 <= some.size:
        least = some[dated[some].argmin()]
        reason = enough.too_few(int(dated[least])).reason
        name = people.generator_names[least]
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


def _slope(
    people: People, series: Series, both: np.ndarray, size: np.ndarray, options: Options
) -> Result:
    """Points a year by which the difference of means grows: for a score it is no drift."""
    if series.no_points:
        return Undefined(series.no_points, int(both.sum()))
    judged = both & (size >= enough.IMAGES)[people.generators]
    if both.any() and not judged.any():
        return enough.too_few(int(size.max()))
    names = np.array(people.generator_names, dtype=object)[people.generators]
    dates = dict(zip(people.generator_names, people.release_dates, strict=True))
    compared = series.level[judged], series.score[judged]
    draw = draw_of(people.prompts[judged], options)
    return draw.slope_per_year(*compared, names[judged], dates)


def _since_own_release(
    people: People, judge: JudgeScores, series: Series, options: Options
) -> dict[str, Any]:
    """AUROC on generators older than the judge, on those released since, and the difference."""
    dated = np.array([date is not None for date in people.release_dates], dtype=bool)
    there = ~np.isnan(series.score) & ~np.isnan(series.yes)
    if len(dated):
        there &= dated[people.generators]
    n = int(there.sum())
    if judge.release_date is None:
        return _nowhere(Undefined("the judge has no release date", n))
    if not n:
        return _nowhere(Undefined("no image has what this number needs", 0))
    newer = np.array(
        [date is not None and date >= judge.release_date for date in people.release_dates],
        dtype=bool,
    )
    since = newer[people.generators][there]
    yes, score, prompts = (part[there] for part in (series.yes, series.score, series.prompts))

    def on(side: np.ndarray, none: str) -> dict[str, Any]:
        if not side.any():
            return est(Undefined(none, 0))
        draw = draw_of(prompts[side], options)
        return est(enough.required(draw.auroc(yes[side], score[side])))

    sides = {
        "before": on(~since, "no generator is older than the judge"),
        "since": on(since, "no generator is newer than the judge"),
    }
    few = min(int(since.sum()), int((~since).sum()))
    if 0 < few < enough.IMAGES:
        return {
            "auroc": est(enough.too_few(few, what="images on one side of its release")),
            **sides,
        }
    draw = draw_of(prompts, options)
    return {"auroc": est(draw.change("auroc", (yes, score), since)), **sides}


def _nowhere(reason: Undefined) -> dict[str, Any]:
    return {part: est(reason) for part in ("auroc", "before", "since")}
