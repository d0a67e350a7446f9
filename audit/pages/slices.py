"""Where a judge agrees with people and where it does not: by skill, atomicity, variant, person, …"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.views.decorators.http import require_GET

from annotations.access import HtmxRequest
from audit.charts import style as chart_style
from audit.pages.filters import judge_boxes, select
from audit.pages.frame import ReportPage, report_page, respond
from audit.pages.tables import Table, row
from audit.statistic_names import MAIN, headings
from audit.stats import enough
from audit.view import SLICES, View
from audit.words import page_sentences
from audit.words.report import title

# Slices of persons and of unanimity are cut without ranks; see `audit.reports.slices.agreement`.
WITHOUT_RANKS = headings(
    *("human_score", "judge_score", "net_deviation"),
    *("auroc", "cohen_kappa", "percent_agreement"),
)
COLUMNS = {**WITHOUT_RANKS, **headings("kendall_tau_b", "pairwise_accuracy")}
WHY_NONE = {
    "tag": "No prompt of this study has a tag. Import prompts with “tags” to see skills.",
    "atomicity": "No prompt says how many atoms it has. Import prompts with “atomicity”.",
    "atom_kind": "No atom has both an answer by people and a score by a judge. That takes a form "
    "that asks about atoms, and a judge that scores them.",
    "unanimity": "No image was rated by two people or more.",
    "person": "Nobody has answered for 30 images yet.",
}


@require_GET
@login_required
def slices(request: HtmxRequest, slug: str) -> HttpResponse:
    page = report_page(request, slug)
    return respond(page, "audit/slices.html", lambda: _context(page))


def _context(page: ReportPage) -> dict[str, Any]:
    body, view = page.body, page.view
    context: dict[str, Any] = {}
    if not page.compares:
        return context
    by, statistic = view.by or "tag", view.slice_statistic(body)
    asked = {"by": by, "statistic": statistic, "judge": list(view.judges)}
    shown = tables(body, view)
    place = (
        list(shown[0].columns).index(statistic) if shown and statistic in shown[0].columns else None
    )
    return {
        **context,
        "usable": True,
        "sentences": page_sentences.of_slices(body, view),
        "plot": page.plot("slices", f"{MAIN[statistic]} by {SLICES[by]}", **asked),
        "csv": page.table_file("slices", **asked),
        "tables": shown,
        "enough": place is not None
        and any("value" in row.estimates[place] for table in shown for row in table.rows),
        "at_least": enough.IMAGES,
        "why_none": WHY_NONE.get(by, "This report has no such slices."),
        "filters": [
            select("by", "slice by", SLICES.items(), by),
            select("statistic", "chart of", MAIN.items(), statistic),
            judge_boxes(body, view.judges_of(body)),
        ],
        "filter_url": page.request.path,
    }


def tables(body: dict[str, Any], view: View) -> list[Table]:
    by = view.by or "tag"
    columns = WITHOUT_RANKS if by in ("person", "unanimity") else COLUMNS
    listed = []
    for number, name in enumerate(view.judges_of(body), start=1):
        cut = body["judges"][name].get(f"by_{by}", {})
        rows = [
            row(
                key,
                stats,
                columns,
                at_least=enough.IMAGES,
                judge=name,
                colour=chart_style.colour_of(body, name),
                note=f"{stats['n']} {'atom' if by == 'atom_kind' else 'image'}"
                f"{'' if stats['n'] == 1 else 's'}",
            )
            for key, stats in cut.items()
        ]
        if rows:
            heading = f"{title(name)} by {SLICES[by]}"
            listed.append(Table(f"slices-{number}", heading, SLICES[by], columns, rows))
    return listed


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    return tables(body, view)
