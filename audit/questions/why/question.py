"""Why did the gap between people and a judge move from one side of a study to another?"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import date
from typing import Any

import numpy as np

from annotations.anchors import again
from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import Question
from audit import VERSION
from audit.anchors.certificate import of_sides
from audit.models import Report
from audit.reports.options import RESAMPLES, SEED
from audit.why import watches
from audit.why.parameters import Parameters, days_of_release
from audit.why.sides import Sides, sides_of
from audit.why.watches import of_people
from audit.words.numbers import is_one_number
from judges.models import AnchorScoring, Run
from judges.names import runs_by_name
from jurybox_stats.causes import Causes, attribute
from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.instrument.comparison import ALL_ALIKE
from jurybox_stats.over_time.courses import Change
from jurybox_stats.resamples import Resamples

RULE = (
    "people’s mean less the judge’s score. Shapley’s split for the judge, Kitagawa’s for other kinds of "
    "images (all tags of the prompt and its atomicity); Holm over the parts"
)

ROUNDING = 1e-9
# What runs somewhere else may change behind its name.
SERVER = "OpenAIServer"


def study_called(slug: str) -> Study:
    study = Study.objects.filter(slug=slug).first()
    if study is None:
        raise Refused(f"There is no study “{slug}”.")
    return study


def explain_with_anchors(
    study: Study, parameters: Parameters, *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, Any]:
    """And what scoring anchors again has shown of the judges of both sides."""
    body = explain(study, parameters, find=study_called, resamples=resamples, seed=seed)
    body["watches"]["judge"] = watches.of_judge(body)
    return {**body, "certificates": of_sides(body)}


def complete(study: Study, parameters: Parameters) -> Parameters:
    """Without a judge the first that has drifted by the newest report; sides that nobody wrote follow the release
    dates."""
    judges, found = runs_by_name(study), judges_in_newest_report(study)
    drifted = (name for name in judges if found.get(name, {}).get("alarm"))
    judge = parameters.judge or next(drifted, next(iter(judges), ""))
    since = parameters.since
    if parameters.are_sides_written:
        since = ""
    elif not since:
        since = str(_second_side(study, judges.get(judge), found.get(judge, {}).get("since")) or "")
    judge_now = "" if parameters.judge_now == judge else parameters.judge_now
    return replace(parameters, judge=judge, judge_now=judge_now, since=since)


def judges_in_newest_report(study: Study) -> dict[str, Any]:
    """What it says of each judge."""
    newest = Report.objects.with_usual_options().filter(study=study).order_by("-pk")
    return (newest.values_list("summary", flat=True).first() or {}).get("judges", {})


def _second_side(study: Study, run: Run | None, drifted: str | None) -> date | None:
    """Its first day: where the report finds a drift, else after the judge's own release, else the middle."""
    later = days_of_release(study)[1:]
    if drifted and date.fromisoformat(drifted) in later:
        return date.fromisoformat(drifted)
    released = run.release_date if run else None
    after = [day for day in later if released is not None and day > released]
    return after[0] if after else (later[len(later) // 2] if later else None)


def _name_study(parameters: Parameters) -> list[str]:
    try:
        after = parameters.sides()[1]
    except Refused:
        return []  # The answer says why.
    return [after.study] if after.kind == "study" else []


def _studies(study: Study, parameters: Parameters) -> list[Study]:
    after = parameters.sides()[1]
    if after.kind == "study":
        return [study, study_called(after.study)]
    if after.kind == "labelled":
        return [study, *(one.study for one in again.rounds_of(study))]
    return [study]


def _last_scoring(study: Study, parameters: Parameters) -> str:
    """Of anchors, which changes what the judges' anchors show."""
    done = AnchorScoring.objects.filter(study=study, state=AnchorScoring.State.DONE)
    return str(done.order_by("-pk").values_list("pk", flat=True).first() or "")


WHY = Question(
    name="why",
    compute=explain_with_anchors,
    parameters=Parameters,
    complete=complete,
    names_studies=_name_study,
    studies=_studies,
    facts=_last_scoring,
)
QUESTIONS = (WHY,)


def explain(
    study: Study,
    asked: Parameters,
    *,
    find: Callable[[str], Study],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> dict[str, Any]:
    sides = sides_of(study, asked, find)
    found = attribute(sides.before, sides.after, sides.anchors, resamples=resamples, seed=seed)
    before, after = asked.sides()
    body = {
        "study": study.slug,
        "simulated": study.simulated,
        "question": sides.question,
        "judge": sides.judge.name,
        "judge_now": sides.judge_now.name,
        "same_version": sides.judge.fingerprint == sides.judge_now.fingerprint,
        "by_server": SERVER in sides.judge_now.facts["engine"],
        "sides": [
            {"words": side.sentence, **counted, **_levels(sides, place, resamples, seed)}
            for place, (side, counted) in enumerate(zip((before, after), sides.counts, strict=True))
        ],
        "anchors": 0 if sides.anchors is None else len(sides.anchors.images),  # type: ignore[arg-type]
        **_causes_body(
            found, min(np.unique(side.prompts).size for side in (sides.before, sides.after))
        ),
        "instrument": sides.instrument,
        "watches": of_people(sides.watched),
        "asked": asdict(asked),
        "signature": {
            "version": VERSION,
            "seed": seed,
            "resamples": resamples,
            "interval": "95 %, percentiles over prompts drawn anew on both sides",
            "rule": RULE,
            "judges": {judge.name: judge.fingerprint for judge in (sides.judge, sides.judge_now)},
            "data": " ".join(sides.data),
        },
    }
    return json.loads(json.dumps(body, allow_nan=False))


def _causes_body(found: Causes | Undefined, prompts: int) -> dict[str, Any]:
    if isinstance(found, Undefined):
        return {"moved": found.as_dict(), "parts": {}, "together": []}
    told: dict[str, Any] = {
        "moved": _in_points(found.gap, prompts),
        "parts": {name: _in_points(found.parts[name], prompts) for name in found.parts},
        "together": [list(parts) for parts in found.only_as_a_sum],
        "judge_by": found.judge_by,
        "kinds_of_one_prompt": list(found.merged),
        "kinds_of_one_side": {side: list(kinds) for side, kinds in found.unmatched.items()},
        "share_of_these": dict(found.unmatched_share),
    }
    for name, p in found.p.items():
        if told["parts"][name].get("low") is not None:
            told["parts"][name]["p_holm"] = p
    if found.same_scores is not None:
        told["same_scores"] = list(found.same_scores)
    return told


def _levels(sides: Sides, place: int, resamples: int, seed: int) -> dict[str, Any]:
    side = (sides.before, sides.after)[place]
    judge = (side.judge_old, side.judge_new)[place]
    draw = Resamples(side.prompts, resamples=resamples, seed=seed)
    return {
        "people": draw.mean(side.human, scale=100.0, ends=(0.0, 1.0)).as_dict(),
        "judge": draw.mean(judge, scale=100.0, ends=(0.0, 1.0)).as_dict(),
        "gap": draw.difference_of_means(side.human, judge, scale=100.0).as_dict(),
    }


def _in_points(result: Result, prompts: int) -> dict[str, Any]:
    if isinstance(result, Undefined):
        return result.as_dict()
    value, n = 100 * result.value, result.n
    low, high = (None if end is None else 100 * end for end in (result.low, result.high))
    if low is None or high is None or not is_one_number(low, high):
        return Estimate(value, low, high, n).as_dict()
    # The same in all draws is no certainty. What is no part at all stays without an interval.
    if abs(value) < ROUNDING or prompts < 2:
        return Estimate(value, None, None, n).as_dict()
    # Each prompt moved by as much: as Drift has it, only another prompt could tell how far they differ.
    alike = Change(value, 100 * ALL_ALIKE / prompts, prompts - 1, n).interval()
    return alike.as_dict()
