"""What one judge makes of newer generators beside older ones, what the gap is made of, and how it orders
images.

Whether that is called drift is decided over all judges together, in `states`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from audit.reports.bootstrap import draw_of, est
from audit.reports.options import Options
from audit.reports.pairing import JudgeScores, People
from audit.reports.reference import Series
from audit.words.drift_state import AS_RANKS, AS_THEY_ARE, AUROC, OFF_BY, PAIRS
from jurybox_stats import enough
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.instrument.comparison import Comparison, compare, jackknifed
from jurybox_stats.instrument.cuts import DOES_NOT_FOLLOW, NO_CUT, CutReading
from jurybox_stats.instrument.gap import Gap, gap_of, points_of_slips, share_of_slips
from jurybox_stats.instrument.latent import ALL_ALIKE, NO_STEP
from jurybox_stats.instrument.moments import settled
from jurybox_stats.instrument.needs import noise_of_one, share_of_people, times_as_many
from jurybox_stats.instrument.readings import ReadPeople, Voices
from jurybox_stats.instrument.sides import NO_GAIN, newest_third, side_of
from jurybox_stats.instrument.stability import (
    CLAIMS,
    OFFSET,
    ONE_KIND,
    SHARE,
    Step,
    Steps,
    steps_of,
)
from jurybox_stats.instrument.verdict import STOPPED
from jurybox_stats.over_time.courses import Change, of_order, own
from jurybox_stats.resampling.cluster_order import by_content
from jurybox_stats.roc import ONE_SCORE
from jurybox_stats.series import constant, group_codes

OLDEST_THIRD = "the oldest third of the generators"
CONFIDENCE = 0.95
# A generator has so many images with two answers, or people's noise is taken from too few.
TWICE = 2
# A report names the share of the answers that one person gave, from here on.
ONE_PERSON = 0.4
# Slips on fewer single answers are not worth a sentence.
SLIPS = 0.005
WHY_NO_CUTS = {
    ALL_ALIKE: gettext_noop(
        "people answer all images of one generator alike, so what they see there is not known"
    ),
    NO_STEP: gettext_noop(
        "nearly all answers are the same, so what people see in an image is not known"
    ),
    NO_CUT: gettext_noop("the judge scores all images of one generator alike, or nearly"),
    DOES_NOT_FOLLOW: NO_GAIN,
}
PEOPLE_ARE_ALIKE = "people give the same answer to all images"


class PeopleInDrift:
    """People's side, read once for all judges of the same images."""

    def __init__(self, people: People) -> None:
        self.people = people
        self._last: tuple[np.ndarray, _Images] | None = None

    def images(self, counted: np.ndarray, inside: np.ndarray) -> _Images:
        if self._last is None or not np.array_equal(self._last[0], inside):
            self._last = inside, _Images(self.people, counted, inside)
        return self._last[1]


def drift(
    read: PeopleInDrift,
    judge: JudgeScores,
    series: Series,
    by_generator: dict[str, Any],
    releases: Mapping[str, Any],
) -> dict[str, Any]:
    """`releases`: `beside_releases`."""
    people = read.people
    # Images on which people are even count, too: without them people would seem to agree.
    there = ~np.isnan(series.score) & (people.answers.count > 0)
    size = np.bincount(people.generators[there], minlength=len(people.generator_names))
    dated = np.array([date is not None for date in people.release_dates], dtype=bool)
    # A generator with too few images to judge says nothing about drift.
    alike = dated & (size >= enough.IMAGES) & _find_alike(people, there)
    counted = np.flatnonzero(dated & (size >= enough.IMAGES) & ~alike)
    verdicts = people.scale.is_yes_no and bool(np.isin(series.score[there], (0.0, 1.0)).all())
    result: dict[str, Any] = {
        "kind": "verdicts" if verdicts else "scores",
        **releases,
    }
    if reason := _why_not(people, judge, np.where(dated, size, 0), counted):
        return {**result, "untold": reason}
    inside = there & np.isin(people.generators, counted)
    body = _Reading(read.images(counted, inside), series, verdicts=verdicts).body(by_generator)
    if alike.any():
        names = [people.generator_names[code] for code in np.flatnonzero(alike)]
        body["alike"] = names
        # A judge does not hold where the newest generator shows nothing.
        newest = max(day for code, day in enumerate(people.release_dates) if day and alike[code])
        if "inside" in body and newest.isoformat() >= body["steps"][-1]["since"]:
            body["inside"] = False
    return {**result, **body}


def _find_alike(people: People, there: np.ndarray) -> np.ndarray:
    """The generators of which people say the same of each image: nothing tells what they see in them."""
    size = len(people.generator_names)
    low, high = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(low, people.generators[there], people.answers.mean[there])
    np.maximum.at(high, people.generators[there], people.answers.mean[there])
    return low == high


def beside_releases(
    people: People, judge: JudgeScores, series: Series, options: Options
) -> dict[str, Any]:
    """Of scores and of what most people say, by the release dates of generators and judge."""
    return {
        "slope_points_per_year": est(_slope(people, series, options)),
        "since_own_release": _since_own_release(people, judge, series, options),
    }


class _Images:
    """The images of the counted generators, from the oldest on, and what people say of them."""

    def __init__(self, people: People, counted: np.ndarray, inside: np.ndarray) -> None:
        self.inside = inside
        self.names = [people.generator_names[code] for code in counted]
        released = [people.release_dates[code] for code in counted]
        self.days = sorted({day for day in released if day is not None})
        self.dates = np.array([self.days.index(day) for day in released if day is not None])
        self.span = people.scale.high - people.scale.low
        self.points = 100.0 / self.span
        self.generators = np.searchsorted(counted, people.generators[inside])
        voices = Voices(people.answers, people.step_answers, people.ratings).where(inside)
        answers = voices.answers
        twice = np.bincount(self.generators[answers.count > 1], minlength=len(counted))
        self.second_answers = int(np.maximum(enough.IMAGES - twice, 0).sum())
        self.assumed = bool((twice < TWICE).any())
        if self.assumed:
            answers = settled(answers, answers.mean)
        prompts = group_codes(people.prompts[inside], answers.mean.size)[0]
        # Of a family more prompts tell little: as many more families are meant, of prompts like these.
        self.prompts = int(np.unique(people.each_prompt[inside]).size)
        self.answers = answers
        self.read = ReadPeople(
            replace(voices, answers=answers),
            self.generators,
            prompts,
            self.dates,
            assumed=self.assumed,
        )


class _Reading:
    """What the judge makes of them."""

    def __init__(self, images: _Images, series: Series, *, verdicts: bool) -> None:
        self.images, self.series, self.verdicts = images, series, verdicts
        self.names, self.days, self.dates = images.names, images.days, images.dates
        self.span, self.points, self.answers = images.span, images.points, images.answers
        score = series.score[images.inside]
        self.as_ranks = bool(score.min() < 0 or score.max() > 1)
        self.readings = images.read.read(score, as_ranks=self.as_ranks, span=self.span)
        self.sums, self.read = self.readings.sums, self.readings.line

    def body(self, by_generator: dict[str, Any]) -> dict[str, Any]:
        found = self._find_steps()
        others, mix, newest = self.readings.others, self.readings.mix, newest_third(self.dates)
        one_person = mix.largest_share()
        return {
            "read": AS_RANKS if self.as_ranks else AS_THEY_ARE,
            "reference": {
                "rule": OLDEST_THIRD,
                "generators": [
                    name for name, old in zip(self.names, self._oldest, strict=True) if old
                ],
            },
            **({"assumed": self.images.second_answers} if self.images.assumed else {}),
            **(
                {"untold": f"{found.reason[0].upper()}{found.reason[1:]}."}
                if isinstance(found, Undefined)
                else self._steps(found)
            ),
            "by_generator": {
                name: {
                    "net_deviation": by_generator[name]["net_deviation"],
                    **self._generator(place),
                    **self._off(place),
                }
                for place, name in enumerate(self.names)
            },
            "gap": self._gap(),
            "same_people": mix.share_of_same_people(~newest, newest),
            **({"others": asdict(others)} if others is not None else {}),
            **({"one_person": one_person} if one_person > ONE_PERSON else {}),
        }

    def _find_steps(self) -> Steps | Undefined:
        cuts = self.readings.cuts
        if isinstance(cuts, Undefined):
            return Undefined(WHY_NO_CUTS.get(cuts.reason, cuts.reason), cuts.n)
        return steps_of(self.read, self.dates.tolist(), cuts, points=self.points)

    def _steps(self, found: Steps) -> dict[str, Any]:
        step = found.likeliest
        more = times_as_many(found) - 1
        apart = found.apart_step
        return {
            "steps": [self._step(step, found.confidence) for step in found.steps],
            "likeliest": found.steps.index(step),
            "dates": {
                claim: [self.days[date].isoformat() for date in dates]
                for claim, dates in found.dates.items()
            },
            "contradict": found.contradict_each_other(),
            "evidence": found.evidence,
            "p": found.p(),
            "errors": self._errors(found),
            "beyond": [*found.moved_claims],
            "inside": found.lies_inside(),
            "images_for_that": int(np.ceil(more * step.compared.images)),
            "prompts": self.images.prompts,
            "prompts_for_that": int(np.ceil(more * self.images.prompts)),
            "apart": None
            if found.apart is None or apart is None
            else {
                "generator": self.names[found.apart],
                "offset": est(apart.offset_within(CONFIDENCE)),
                "gain_change": est(apart.gain_within(CONFIDENCE)),
            },
        }

    def _errors(self, found: Steps) -> dict[str, Any]:
        """At a date in the middle: from these `states` says how many prompts and people would tell."""
        told = [step for step in found.steps if step.gain is not None]
        middle = sorted(told, key=lambda step: step.offset.error)[len(told) // 2]
        assert middle.gain is not None
        noise = noise_of_one(self.sums, self.answers) or 0.0
        return {
            "offset_error": middle.offset.error,
            "gain_error": middle.gain.error,
            "gain_size": -math.log1p(-SHARE) if middle.in_logs else SHARE,
            "share_of_people": share_of_people(middle, noise, self.answers, points=self.points),
            "people": float(1 / (1 / self.answers.count).mean()),
            "prompts": self.images.prompts,
            "tests": len(CLAIMS) * len(found.steps),
        }

    def _step(self, step: Step, confidence: float) -> dict[str, Any]:
        gains = step.compared.gain_reference, step.compared.gain_later
        return {
            "since": self.days[step.since].isoformat(),
            "generators": [
                name
                for name, date in zip(self.names, self.dates.tolist(), strict=True)
                if date >= step.since
            ],
            OFFSET: est(step.offset_within(confidence)),
            "offset_by_line": est(step.line.interval(confidence)),
            "gain_change": est(step.gain_within(confidence)),
            "gain_before": est(_gain_of(gains[0], step)),
            "gain_after": est(_gain_of(gains[1], step)),
        }

    @property
    def _oldest(self) -> np.ndarray:
        """At least a third of the generators, and all of a date."""
        last = self.dates[-(-len(self.dates) // 3) - 1]
        return self.dates <= last

    def _generator(self, place: int) -> dict[str, Any]:
        """One generator beside the oldest third."""
        one = np.arange(len(self.names)) == place
        found = compare(self.read, self._oldest, one, unit=self.span, level_alone=True)
        n = int((self.images.generators == place).sum())
        if isinstance(found, Undefined):
            nothing = est(Undefined(found.reason, n))
            return {OFFSET: nothing, "gain": nothing}
        cuts = self.readings.cuts
        if isinstance(cuts, CutReading):
            offset: Result = _resize(cuts.points(self._oldest, one).interval(CONFIDENCE), n)
        elif isinstance(cuts, Undefined):
            offset = Undefined(WHY_NO_CUTS.get(cuts.reason, cuts.reason), n)
        else:
            offset = _scaled(found.offset.interval(CONFIDENCE), self.points, n)
        return {
            OFFSET: est(offset),
            "gain": est(
                Undefined(ONE_KIND, n)
                if found.gain_later is None
                else _scaled(found.gain_later.interval(CONFIDENCE), 1.0, n)
            ),
        }

    def _off(self, place: int) -> dict[str, Any]:
        """How far off the judge is on one generator, as the gap has it: people's mean answers less its
        score. Nothing where it is not in people's unit."""
        if self.series.no_points:
            return {}
        side = side_of(self.read, np.arange(len(self.names)) == place)
        n = int(side.images[0])
        if self.read.prompts < 2:
            return {"off": est(Undefined("there are fewer than two prompts", n))}
        off = 100.0 * (side.people - side.score + self.sums.apart)
        if not np.isfinite(off).all():
            return {"off": est(Undefined("without one prompt there is no number", n))}
        return {"off": est(_scaled(jackknifed(off, n, unit=100.0).interval(CONFIDENCE), 1.0, n))}

    def _gap(self) -> dict[str, Any]:
        """How far people and the judge lie apart on the newest third, and what that is made of."""
        newest = newest_third(self.dates)
        n = int(newest[self.images.generators].sum())
        if reason := self.series.no_points or ("" if newest.any() else "there is one date only"):
            return est(Undefined(reason, n))
        found = compare(self.read, ~newest, newest, unit=self.span, level_alone=True)
        if not isinstance(found, Comparison):
            return est(Undefined(found.reason, n))
        cuts = self.readings.cuts
        offset = (
            cuts.rows_of_points(~newest, newest) / self.points
            if isinstance(cuts, CutReading)
            else None
        )
        gap = gap_of(found, points=100.0, apart=self.sums.apart, offset=offset)
        return {
            "newest": [name for name, new in zip(self.names, newest, strict=True) if new],
            "before": gap.before,
            "now": gap.now.value,
            OFF_BY: est(gap.now.interval(CONFIDENCE)),
            "gain": found.gain_used.value,
            "generators": est(gap.generators.interval(CONFIDENCE)),
            "judge": est(gap.judge.interval(CONFIDENCE)),
            **self._without_slips(gap, newest[self.images.generators]),
        }

    def _without_slips(self, gap: Gap, newest: np.ndarray) -> dict[str, Any]:
        """How far off a judge of yes and no would be if people never erred. A score may as well mean their
        average answer."""
        slips = share_of_slips(self.answers) if self.verdicts else None
        if slips is None or slips < SLIPS:
            return {}
        mean = self.answers.mean
        now, before = (
            found - points_of_slips(float(mean[side].mean()), slips)
            for found, side in ((gap.now.value, newest), (gap.before, ~newest))
        )
        return {"without_slips": {"share": slips, "now": now, "before": before}}


def _gain_of(gain: Change | None, step: Step) -> Result:
    return Undefined(ONE_KIND, step.offset.n) if gain is None else gain.interval(CONFIDENCE)


def _resize(found: Estimate, n: int) -> Estimate:
    return replace(found, n=n)


def _scaled(found: Estimate, by: float, n: int) -> Estimate:
    assert found.low is not None and found.high is not None
    return Estimate(by * found.value, by * found.low, by * found.high, n)


def _why_not(people: People, judge: JudgeScores, dated: np.ndarray, counted: np.ndarray) -> str:
    """Why nothing is known about drift; empty where something is. `dated` counts the images of
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


def _slope(people: People, series: Series, options: Options) -> Result:
    """Points a year by which the difference of means grows: for a score it is no drift."""
    both = ~np.isnan(series.score) & ~np.isnan(series.level)
    size = np.bincount(people.generators[both], minlength=len(people.generator_names))
    if series.no_points:
        return Undefined(series.no_points, int(both.sum()))
    judged = both & (size >= enough.IMAGES)[people.generators]
    if both.any() and not judged.any():
        return enough.too_few(int(size.max()))
    by_name = np.argsort(np.argsort(np.array(people.generator_names)))
    dates = dict(zip(by_name.tolist(), people.release_dates, strict=True))
    compared = series.level[judged], series.score[judged]
    draw = draw_of(people.prompts[judged], options)
    return draw.slope_per_year(*compared, by_name[people.generators[judged]], dates)


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

    def difference_on(side: np.ndarray, none: str) -> dict[str, Any]:
        if not side.any():
            return est(Undefined(none, 0))
        draw = draw_of(prompts[side], options)
        return est(enough.required(draw.auroc(yes[side], score[side])))

    sides = {
        "before": difference_on(~since, "no generator is older than the judge"),
        "since": difference_on(since, "no generator is newer than the judge"),
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


def orders(people: People, series: Series, options: Options) -> dict[str, Any]:
    """The share of pairs in people's order: AUROC where they say yes or no, which a report has for all
    images; of ratings, for all images and for the newest."""
    there = ~np.isnan(series.score) & ~np.isnan(series.level)
    size = np.bincount(people.generators[there], minlength=len(people.generator_names))
    days = people.release_dates
    counted = [code for code, day in enumerate(days) if day and size[code] >= enough.IMAGES]
    dates = np.array([day.toordinal() for code in counted if (day := days[code]) is not None])
    newest = np.array(counted, dtype=np.int64)[newest_third(dates)].tolist()
    found: dict[str, Any] = {
        "what": AUROC if people.scale.is_yes_no else PAIRS,
        "constant": bool(there.sum() >= enough.IMAGES and np.ptp(series.score[there]) == 0),
        "newest": {
            "generators": [people.generator_names[code] for code in newest],
            **est(_order(people, series, there & np.isin(people.generators, newest), options)),
        },
    }
    if not people.scale.is_yes_no:
        found["all"] = est(_order(people, series, there, options))
    return found


def _order(people: People, series: Series, where: np.ndarray, options: Options) -> Result:
    if not where.any():
        return Undefined("there are not two release dates with enough images", 0)
    if people.scale.is_yes_no:
        draw = draw_of(series.prompts[where], options)
        return enough.required(draw.auroc(series.yes[where], series.score[where]))
    mean, score = series.mean[where], series.score[where]
    if constant(score):
        return Undefined(ONE_SCORE, int(score.size))
    prompts = by_content(series.prompts[where], mean, score)
    one = np.zeros(mean.size, dtype=np.int64)
    course = of_order(mean, score, one, prompts, 1)
    if not course.weights[0]:
        return Undefined(PEOPLE_ARE_ALIKE, int(mean.size))
    return enough.required(own(course, 0).as_share())
