"""Why did the gap between people and a judge move from one side of a study to another?"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from annotations.anchors import again
from annotations.errors import Refused
from annotations.models import Study
from annotations.stored_answers.question import Question
from audit.anchors.certificate import of_sides
from audit.models import Report
from audit.reports.options import RESAMPLES, SEED
from audit.why import watches
from audit.why.explain import explain
from audit.why.parameters import Parameters, days_of_release
from judges.models import AnchorScoring, Run
from judges.names import runs_by_name


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
