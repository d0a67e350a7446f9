"""How one judge's scores lie beside people's yes and no, and what another threshold would do."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from audit.charts import style as chart_style
from audit.pages.filters import judge_select
from audit.pages.frame import Frame, answer, frame_of
from audit.pages.tables import Table, row
from audit.view import View
from audit.words import page_sentences as saying
from audit.words.report import title

COLUMNS = {"human_score": "people say yes, %"}


@require_GET
@login_required
def calibration(request: HttpRequest, slug: str) -> HttpResponse:
    frame = frame_of(request, slug)
    return answer(frame, "audit/calibration.html", lambda: _context(frame))


def _context(frame: Frame) -> dict[str, Any]:
    body = frame.body
    context: dict[str, Any] = {"page_title": "Calibration"}
    if not body or not body["judges"] or not body["people"]["annotations"]:
        return context
    name = frame.view.judge_of(body)
    found = body["judges"][name].get("curves")
    if found is None:
        # A report from before curves were kept.
        return context
    curve, reliability = found["roc"], found["reliability"]
    asked = {"judge": name}
    return {
        **context,
        "judge": name,
        "sentences": saying.of_calibration(body, name),
        "histogram": frame.plot("histogram", f"{title(name)}: scores by people’s answer", **asked),
        "roc": frame.plot("roc", "ROC curve", **asked),
        "reliability": frame.plot("reliability", "Reliability", **asked),
        "csv": frame.table_file("calibration", **asked),
        "points": None if "undefined" in curve else curve,
        "no_curve": curve.get("undefined", ""),
        "reliable": isinstance(reliability, list),
        "unreliable": "" if isinstance(reliability, list) else reliability["undefined"],
        "table": table(body, name),
        "bins": [
            {"range": f"{one['from']:.3g} to {one['to']:.3g}", "yes": one["yes"], "no": one["no"]}
            for one in found["histogram"]
            if one["yes"] or one["no"]
        ],
        "filters": [judge_select(body, name)],
        "filter_url": frame.request.path,
    }


def table(body: dict[str, Any], name: str) -> Table:
    """The reliability curve as numbers."""
    bins = body["judges"][name]["curves"]["reliability"]
    rows = [
        row(
            f"{one['from']:.1f} to {one['to']:.1f}",
            {"human_score": one["people"]},
            COLUMNS,
            judge=name,
            colour=chart_style.colour_of(body, name),
            note=f"mean score {one['score']:.1f} points · {one['people']['n']} images",
        )
        for one in (bins if isinstance(bins, list) else [])
    ]
    return Table(
        "reliability", "Of the images scored so, how many people call right", "score", COLUMNS, rows
    )


def table_file(frame: Frame, body: dict[str, Any], view: View) -> list[Table]:
    return [table(body, view.judge_of(body))]
