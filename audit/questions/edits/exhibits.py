"""Edits by editor: did × kept × looks right in one table, the judges of each question beside it."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop

from audit.exhibits import Body, Column, Exhibits, Row, Table
from audit.questions.edits.question import ALL, ASKED, EDITS
from audit.words.report import title

HEADINGS = {
    "did": gettext_noop("did it"),
    "kept": gettext_noop("kept the rest"),
    "looks_right": gettext_noop("looks right"),
}
TOGETHER = Column(ALL, gettext_noop("all three at once"), decimals=2)
NO_SCORES = {"undefined": "it has no scores here", "n": 0}


def sentences(body: Body) -> list[str]:
    known = {
        name: found["people"][ALL]
        for name, found in body["editors"].items()
        if "value" in found["people"][ALL]
    }
    if not known:
        return ["No editor has enough edits about which people answered all three questions."]
    most = max(known, key=lambda name: known[name]["value"])
    lines = [f"Edits by {most} are most often right in all three ways: {_number(known[most])}."]
    if len(known) > 1:
        least = min(known, key=lambda name: known[name]["value"])
        lines.append(f"Least often those by {least}: {_number(known[least])}.")
    return lines


def _number(number: dict[str, Any]) -> str:
    cell = TOGETHER.cell(number)
    return f"{cell.value} ({cell.low} to {cell.high})" if cell.low else str(cell.value)


def tables(body: Body) -> list[Table]:
    editors = body["editors"]
    judges = {
        question: sorted({name for one in editors.values() for name in one["judges"][question]})
        for question in ASKED
    }
    columns: list[Column] = []
    for question in ASKED:
        columns.append(Column(question, HEADINGS[question], decimals=2))
        for name in judges[question]:
            columns.append(Column(f"{question} {name}", title(name), decimals=2))
    rows = [
        Row(
            editor,
            (
                *(
                    number
                    for question in ASKED
                    for number in (
                        found["people"][question],
                        *(
                            found["judges"][question].get(name, NO_SCORES)
                            for name in judges[question]
                        ),
                    )
                ),
                found["people"][ALL],
            ),
        )
        for editor, found in editors.items()
    ]
    heading = gettext_noop("Shares of yes by people, beside each the mean scores of its judges")
    return [Table("edits", heading, gettext_noop("editor"), (*columns, TOGETHER), tuple(rows))]


EXHIBITS = Exhibits(
    question=EDITS,
    title="Does each editor do it, keep the rest and look right?",
    method=(
        "Of an edit that several people answered about, the share of yes. All three at once: one and the same "
        "person said yes three times. An editor needs 30 edits. Intervals are of 95 %, with prompts as clusters."
    ),
    sentences=sentences,
    tables=tables,
)
