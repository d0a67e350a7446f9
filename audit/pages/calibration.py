"""One judge's scores by people's yes and no, and what another threshold would change."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest
from audit.charts.faces import face_of
from audit.pages.filters import judge_select
from audit.pages.frame import ReportPage, report_page, respond
from audit.pages.tables import Table, row
from audit.view import View
from audit.words import page_sentences
from audit.words.report import title

COLUMNS = {"human_score": "people say yes, %"}


@require_GET
@login_required
def calibration(request: HtmxRequest, slug: str) -> HttpResponse:
    page = report_page(request, slug)
    return respond(page, "audit/calibration.html", lambda: _context(page))


def _context(page: ReportPage) -> dict[str, Any]:
    body = page.body
    context: dict[str, Any] = {}
    if not page.compares:
        return context
    name = page.view.judge_of(body)
    curves = body["judges"][name].get("curves")
    if curves is None:
        # A report made before reports had curves.
        return context
    curve, reliability = curves["roc"], curves["reliability"]
    asked = {"judge": name}
    return {
        **context,
        "judge": name,
        "sentences": page_sentences.of_calibration(body, name),
        "histogram": page.plot("histogram", f"{title(name)}: scores by people’s answer", **asked),
        "roc": page.plot("roc", "ROC curve", **asked),
        "reliability": page.plot("reliability", "Reliability", **asked),
        "csv": page.table_file("calibration", **asked),
        "points": None if "undefined" in curve else curve,
        "no_curve": curve.get("undefined", ""),
        "reliable": isinstance(reliability, list),
        "unreliable": "" if isinstance(reliability, list) else reliability["undefined"],
        "table": table(body, name),
        "bins": [
            {"range": f"{row['from']:.3g} to {row['to']:.3g}", "yes": row["yes"], "no": row["no"]}
            for row in curves["histogram"]
            if row["yes"] or row["no"]
        ],
        "filters": [judge_select(body, name)],
        "filter_url": page.request.path,
    }


def table(body: dict[str, Any], name: str) -> Table:
    """The reliability curve as numbers."""
    bins = body["judges"][name]["curves"]["reliability"]
    rows = [
        row(
            f"{score_bin['from']:.1f} to {score_bin['to']:.1f}",
            {"human_score": score_bin["people"]},
            COLUMNS,
            judge=name,
            face=face_of(body, name),
            note=f"mean score {score_bin['score']:.1f} points · {score_bin['people']['n']} images",
        )
        for score_bin in (bins if isinstance(bins, list) else [])
    ]
    return Table("reliability", "Share that people call correct, by score", "score", COLUMNS, rows)


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    return [table(body, view.judge_of(body))]
