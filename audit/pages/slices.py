"""Where a judge agrees with people and where it does not: by skill, atomicity, variant, person, …"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from annotations.language.counts import count_things
from audit.charts.faces import face_of
from audit.exhibits import Table, row, statistics_table
from audit.pages.filters import judge_boxes, select
from audit.pages.frame import ReportPage, report_view
from audit.pages.heat_map import HeatMap, heat_map
from audit.statistic_names import MAIN, headings, main_statistics
from audit.view import MANY, SLICES, View
from audit.words import page_sentences
from audit.words.report import title
from jurybox_stats import enough

# Slices of persons and of unanimity are cut without ranks; see `audit.reports.slices.agreement`.
WITHOUT_RANKS = headings(
    *("human_score", "judge_score", "net_deviation"),
    *("auroc", "cohen_kappa", "percent_agreement"),
)
COLUMNS = {**WITHOUT_RANKS, **headings("kendall_tau_b", "pairwise_accuracy")}
# The slices that are filters of the data browser, too.
IN_THE_BROWSER = ("tag", "generator", "variant")
# Points in the chart with intervals; it grows with them, and the coloured table does not.
MOST_DRAWN = 40
WHY_NONE = {
    "tag": "No prompt of this study has a tag. Import prompts with “tags” to see skills.",
    "atomicity": "No prompt says how many atoms it has. Import prompts with “atomicity”.",
    "atom_kind": "No atom has both an answer by people and a score by a judge. That takes a form "
    "that asks about atoms, and a judge that scores them.",
    "unanimity": "No image was rated by two people or more.",
    "person": "Nobody has answered for 30 images yet.",
}


@report_view("audit/slices.html")
def slices(page: ReportPage) -> dict[str, Any]:
    body, view = page.body, page.view
    context: dict[str, Any] = {}
    if not page.compares:
        return context
    by, statistic = view.by or "tag", view.slice_statistic(body)
    asked = {"by": by, "statistic": statistic, "judge": list(view.judges)}
    shown, loud = tables(body, view), view.judges_drawn(body)[1]
    heat = _heat(page, body, view)
    return {
        **context,
        "usable": True,
        "sentences": page_sentences.of_slices(body, view, loud),
        "plot": page.plot("slices", _heading(statistic, by), **asked)
        if len(heat.rows) * (len(heat.heads) - 2) <= MOST_DRAWN
        else None,
        "heat": heat,
        "heat_title": _heading(statistic, by),
        "searched": _table_options(page)["q"],
        "csv": page.table_file("slices", **asked, **_table_options(page)),
        "tables": shown if len(shown) <= MANY else [],
        "any": bool(shown),
        "enough": any(cell.value for row in heat.rows for cell in row.cells)
        or bool(_table_options(page)["q"]),
        "at_least": enough.IMAGES,
        "why_none": WHY_NONE.get(by, "This report has no such slices."),
        "filters": [
            {"name": "q", "title": _search_words(by), "text": _table_options(page)["q"]},
            select(
                "by", gettext("slice by"), [(key, gettext(cut)) for key, cut in SLICES.items()], by
            ),
            select("statistic", gettext("chart of"), main_statistics(), statistic),
            judge_boxes(body, view.judges_of(body)),
        ],
        "filter_url": page.request.path,
    }


def _heading(statistic: str, by: str) -> str:
    words = {"statistic": gettext(MAIN[statistic]), "kind": gettext(SLICES[by])}
    return gettext("%(statistic)s by %(kind)s") % words


def _search_words(by: str) -> str:
    return gettext("search for a %(kind)s") % {"kind": gettext(SLICES[by])}


def _table_options(page: ReportPage) -> dict[str, str]:
    """What the coloured table is searched for, and its order."""
    return {name: page.request.GET.get(name, "")[:200] for name in ("q", "sort", "order")}


def _heat(page: ReportPage, body: dict[str, Any], view: View) -> HeatMap:
    by, statistic = view.by or "tag", view.slice_statistic(body)
    kept = {
        "by": by,
        "statistic": statistic,
        "judge": list(view.judges),
        "q": _table_options(page)["q"],
    }
    order = _table_options(page)
    return heat_map(
        body,
        view.judges_of(body),
        by=by,
        statistic=statistic,
        words=order["q"],
        sort=order["sort"],
        ascending=order["order"] == "ascending",
        address=lambda **order: page.address("slices", **kept, **order),
        images_of=lambda judge, key: _images(page, by, judge, key),
    )


def _images(page: ReportPage, by: str, judge: str, key: str) -> str:
    """Where the images of a slice can be looked at; nothing where no filter finds them."""
    if by not in IN_THE_BROWSER:
        return ""
    return page.address("data", judge=judge, sort="score", **{by: key})


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
                face=face_of(body, name),
                note=count_things(stats["n"], "atoms" if by == "atom_kind" else "images"),
            )
            for key, stats in cut.items()
        ]
        if rows:
            heading = gettext("%(statistic)s by %(kind)s") % {
                "statistic": title(name),
                "kind": gettext(SLICES[by]),
            }
            listed.append(statistics_table(f"slices-{number}", heading, SLICES[by], columns, rows))
    return listed


def table_file(page: ReportPage, body: dict[str, Any], view: View) -> list[Table]:
    """The coloured table repeats the numbers of the others, so it is a file of its own."""
    if page.request.GET.get("table") == "heat":
        return [_heat(page, body, view).table(SLICES[view.by or "tag"])]
    return tables(body, view)
