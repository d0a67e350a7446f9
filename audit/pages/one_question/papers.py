"""Published tables next to this study's own numbers, clearly marked as published."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext

from annotations.language.stored_words import say
from audit import papers
from audit.charts.faces import face_of
from audit.exhibits import judged_enough
from audit.pages.filters import select
from audit.pages.frame import ReportPage, report_view
from audit.papers.table import Published
from audit.view import View
from audit.words.notes import notes_of
from audit.words.numbers import Cell, cell
from audit.words.report import not_drawn, title
from jurybox_stats import enough


@report_view("audit/papers.html")
def papers_page(page: ReportPage) -> dict[str, Any]:
    body = page.body
    known = {paper.slug: paper for paper in papers.PAPERS}
    wanted = page.request.GET.get("paper", "")
    chosen = [known[wanted]] if wanted in known else list(papers.PAPERS)
    return {
        "thing": gettext("Published numbers"),
        "sentences": _sentences(body),
        "plot": page.plot("papers", gettext("Measured here, and published"))
        if page.compares
        else None,
        "not_drawn": say(not_drawn(body, body["judges"], dated=False)) if page.compares else "",
        "published": [
            {
                "id": f"{paper.slug}-{number}",
                "title": f"{paper.name}, {table.source}: {table.title}",
                "first": table.first,
                "columns": table.columns,
                "rows": [
                    {"label": row.label, "source": row.source, "cells": row.cells}
                    for row in table.rows
                ],
                **_measured(body, table),
                "citation": paper.citation,
                "note": table.note,
            }
            for paper in chosen
            for number, table in enumerate(paper.tables, start=1)
        ],
        "filters": [
            select(
                "paper",
                gettext("paper"),
                [
                    ("", gettext("all papers")),
                    *((paper.slug, paper.name) for paper in papers.PAPERS),
                ],
                wanted,
            )
        ],
        "filter_url": page.request.path,
    }


def _sentences(body: dict[str, Any]) -> list[str]:
    if not body or not body["judges"]:
        return ["The papers’ own numbers. Yours appear next to them as soon as a judge has scored."]
    if not any(judge["drift"]["alarm"] for judge in body["judges"].values()):
        return ["The papers’ own numbers, with this study’s in the same columns where they fit."]
    widest = max(
        (
            abs(deviation["value"])
            for judge in body["judges"].values()
            for stats in judge["by_generator"].values()
            for deviation in [stats["net_deviation"]]
            if "value" in deviation and deviation["n"] >= enough.IMAGES
        ),
        default=None,
    )
    if widest is None:
        return []
    size = f"{widest:.1f}"
    return [
        f"The widest gap measured here is {size} points on one generator. The widest that "
        "GenEval 2 reports for GenEval is 17.7 (Table 1, Gemini 2.5 Flash Image)."
    ]


def _measured(body: dict[str, Any], table: Published) -> dict[str, Any]:
    """This study's numbers in the columns that mean the same, and why some are not there."""
    if not body or not table.same or body["scale"] not in table.scales:
        return {"measured": [], "notes": []}
    rows: list[dict[str, Any]] = [
        {
            "label": label,
            "face": face_of(body, name),
            "cells": [_cell(stats, table.same.get(head)) for head in table.columns],
        }
        for name in View().judges_drawn(body)[1]
        for judge in [body["judges"][name]]
        for label, stats in _slices(name, judge, table)
    ]
    notes = notes_of(cell for row in rows for cell in row["cells"] if cell)
    for row in rows:
        row["cells"] = [notes.add_mark(cell) if cell else None for cell in row["cells"]]
    return {"measured": rows, "notes": notes.lines}


def _slices(name: str, judge: dict[str, Any], table: Published) -> list[tuple[str, dict[str, Any]]]:
    if table.first != "generator":
        return [(title(name), judge["overall"])]
    return [
        (_name_with_generator(name, key), stats) for key, stats in judge["by_generator"].items()
    ]


def _name_with_generator(name: str, generator: str) -> str:
    return gettext("%(judge)s on %(generator)s") % {"judge": title(name), "generator": generator}


def _cell(stats: dict[str, Any], name: str | None) -> Cell | None:
    return cell(name, judged_enough(stats[name], enough.IMAGES)) if name else None
