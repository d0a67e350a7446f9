"""Where a judge is right and where it is not: by skill, task, atomicity, variant, person, …"""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from audit.charts import style as chart_style
from audit.pages.filters import judge_boxes, select
from audit.pages.frame import Frame, answer, frame_of
from audit.pages.tables import Table, row
from audit.stats import enough
from audit.view import SLICES, View
from audit.words import page_sentences as saying
from audit.words.report import STATISTICS, title

COLUMNS = {
    "human_score": "human",
    "judge_score": "judge",
    "net_deviation": "human − judge",
    "auroc": "AUROC",
    "cohen_kappa": "κ",
    "percent_agreement": "agreement",
    "kendall_tau_b": "τ-b",
    "pairwise_accuracy": "pairwise",
}
# Slices of persons and of unanimity are cut without ranks; see `audit.reports.slices.agreement`.
WITHOUT_RANKS = {name: COLUMNS[name] for name in list(COLUMNS)[:6]}
WHY_NONE = {
    "tag": "No prompt of this study has a tag. Import prompts with “tags” to see skills.",
    "atomicity": "No prompt says how many atoms it has. Import prompts with “atomicity”.",
    "atom_kind": "No atom has both an answer by people and a score by a judge. It takes a form "
    "that asks about atoms, and a judge that scores them.",
    "unanimity": "No image was rated by two people or more.",
    "person": "Nobody has answered for 30 images yet.",
}


@require_GET
@login_required
def slices(request: HttpRequest, slug: str) -> HttpResponse:
    frame = frame_of(request, slug)
    return answer(frame, "audit/slices.html", lambda: _context(frame))


def _context(frame: Frame) -> dict[str, Any]:
    body, view = frame.body, frame.view
    context: dict[str, Any] = {"page_title": "Slices"}
    if not body or not body["judges"] or not body["people"]["annotations"]:
        return context
    by, statistic = view.by or "tag", view.statistic or "net_deviation"
    asked = {"by": by, "statistic": statistic, "judge": list(view.judges)}
    found = tables(body, view)
    place = (
        list(found[0].columns).index(statistic) if found and statistic in found[0].columns else None
    )
    return {
        **context,
        "usable": True,
        "sentences": saying.of_slices(body, view),
        "plot": frame.plot("slices", f"{STATISTICS[statistic]} by {SLICES[by]}", **asked),
        "csv": frame.table_file("slices", **asked),
        "tables": found,
        "enough": place is not None
        and any("value" in one.estimates[place] for table in found for one in table.rows),
        "at_least": enough.IMAGES,
        "why_none": WHY_NONE.get(by, "This report has no such slices."),
        "filters": [
            select("by", "cut by", SLICES.items(), by),
            select("statistic", "picture of", STATISTICS.items(), statistic),
            judge_boxes(body, view.judges_of(body)),
        ],
        "filter_url": frame.request.path,
    }


def tables(body: dict[str, Any], view: View) -> list[Table]:
    by = view.by or "tag"
    columns = WITHOUT_RANKS if by in ("person", "unanimity") else COLUMNS
    found = []
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
            found.append(Table(f"slices-{number}", heading, SLICES[by], columns, rows))
    return found


def table_file(frame: Frame, body: dict[str, Any], view: View) -> list[Table]:
    return tables(body, view)
