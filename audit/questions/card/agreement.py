"""The three facts of a judge, as the newest report of its study says them: none is computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop

from annotations.models import Study
from audit.models import Report
from audit.questions.card.rows import AGREEMENT, POINTS, POSITION, SHARE, not_measured, row
from judges.models import Judge
from judges.preferences.stored import CHUNK, in_parts, judges_that_compare, pairs_of, stored_replies
from jurybox_judging.methods import which_of_two
from jurybox_judging.methods.which_of_two import LEFT, RIGHT, TIE
from jurybox_stats.cards.changes import mean_of, side_preference
from jurybox_stats.estimate import Estimate, Result, Undefined

ONE_PICTURE = "it scores one picture at a time, and its model was not asked about pairs (manage.py judge_pairs)"
NO_PAIRS = "no pair of this study was asked about in both orders"
FOR_FIRST = {LEFT: 1.0, TIE: 0.5, RIGHT: 0.0}


NO_REPORT = "this study has no report yet"


def newest_report(study: Study) -> Report | None:
    return Report.objects.filter(study=study).with_usual_options().first()


def has_report(study: Study) -> bool:
    return Report.objects.filter(study=study).with_usual_options().exists()


def rows_of_agreement(report: Report | None, name: str) -> list[dict[str, Any]]:
    judged = report.body.get("judges", {}).get(name) if report else None
    if report is None or judged is None:
        return [not_measured(AGREEMENT, NO_REPORT if report is None else _not_in(report))]
    follows, drift = judged["follows"], judged["drift"]
    gap = drift.get("gap") or {"undefined": drift.get("reason") or "no dates", "n": 0}
    what, asked = follows["what"], report.body["question"]
    rows = [
        row(
            AGREEMENT,
            gettext_noop(f"{what} on “{asked}”, all generators"),
            SHARE,
            _result(follows),
            state=follows["state"],
        ),
        row(
            AGREEMENT,
            gettext_noop(f"{what} on “{asked}”, newest third"),
            SHARE,
            _result(follows["newest"]),
            state=follows["newest"]["state"],
        ),
    ]
    for part, words in (
        ("generators", gettext_noop("generators got better")),
        ("judge", gettext_noop("it reads newer otherwise")),
    ):
        found = gap if "undefined" in gap else gap[part]
        rows.append(
            row(
                AGREEMENT,
                gettext_noop(f"gap on the newest since before: {words}"),
                POINTS,
                _result(found),
            )
        )
    rows[-1]["since"] = _first_date(report.body, gap.get("newest", ()))
    rows[-1]["state"] = drift["state"]
    rows[-1]["reason"] = drift["reason"]
    return rows


def _first_date(body: dict[str, Any], names: Sequence[str]) -> str | None:
    """Since when generators are among the newest."""
    dates = [one["release_date"] for one in body["generators"] if one["name"] in names]
    return min(filter(None, dates), default=None)


def _not_in(report: Report) -> str:
    return gettext_noop("the newest report does not hold this judge yet")


def _result(found: dict[str, Any]) -> Result:
    if "undefined" in found:
        return Undefined(found["undefined"], found["n"])
    return Estimate(found["value"], found["low"], found["high"], found["n"])


def comparer_of(judge: Judge) -> Judge | None:
    """The judge itself, or the same model with a question about pairs."""
    comparers = judges_that_compare()
    own = next((one for one in comparers if one.pk == judge.pk), None)
    key = judge.facts.get("talk", {}).get("key")
    same = (one for one in comparers if key and one.facts["talk"]["key"] == key)
    return own or next(same, None)


def rows_of_position(study: Study, judge: Judge) -> list[dict[str, Any]]:
    comparer = comparer_of(judge)
    if comparer is None:
        return [not_measured(POSITION, ONE_PICTURE)]
    first, changed, prompts = _replies(study, comparer)
    if not first.size:
        return [not_measured(POSITION, NO_PAIRS)]
    return [
        row(
            POSITION,
            gettext_noop("answer changes with the order"),
            SHARE,
            mean_of(changed, prompts),
        ),
        row(
            POSITION,
            gettext_noop("preference for the first place at no difference"),
            POINTS,
            side_preference(first, prompts),
        ),
    ]


def _replies(study: Study, judge: Judge) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of pairs with a verdict in both orders: how far the first place was named, whether the answer
    changed, and their prompts."""
    first, changed, prompts = [], [], []
    for some in in_parts(pairs_of(study), CHUNK):
        replies = stored_replies(judge, some)
        for two in some:
            read = [which_of_two.read(replies.get((two.pair, left), "")) for left in (0, 1)]
            if read[0] is None or read[1] is None:
                continue
            first.append((FOR_FIRST[read[0]] + FOR_FIRST[read[1]]) / 2)
            changed.append(float(not which_of_two.together(*read)[1]))
            prompts.append(two.prompt)
    numbers = {prompt: number for number, prompt in enumerate(dict.fromkeys(prompts))}
    codes = np.array([numbers[prompt] for prompt in prompts], dtype=np.int64)
    return np.array(first), np.array(changed), codes
