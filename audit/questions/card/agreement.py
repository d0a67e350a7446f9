"""The three facts of a judge, as the newest report of its study says them: none is computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_noop

from annotations.models import Study
from audit.models import Report
from audit.questions.card.rows import AGREEMENT, POINTS, SHARE, not_measured, row
from jurybox_stats.estimate import Estimate, Result, Undefined

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
