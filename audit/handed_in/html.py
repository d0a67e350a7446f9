"""The document as one HTML file that needs nothing else: to read, to print on A4, to send along."""

from __future__ import annotations

from typing import Any

from django.template.loader import render_to_string

from audit.exhibits import Table
from audit.handed_in.cells import printed_rows
from audit.handed_in.document import Document, Figure
from audit.handed_in.standing_words import DIGITS, SIMULATED, line


def as_html(document: Document) -> str:
    """Texts are escaped by the template; only the drawings, which are made here, are not."""
    sections = [
        {
            "heading": section.heading,
            "paragraphs": section.paragraphs,
            "points": section.points,
            "blocks": [_block(block) for block in section.blocks],
        }
        for section in document.sections
    ]
    return render_to_string(
        "audit/handed_in.html",
        {
            "document": document,
            "sections": sections,
            "line": line(document),
            "simulated": SIMULATED,
            "digits": DIGITS,
        },
    )


def _block(block: Table | Figure) -> dict[str, Any]:
    if isinstance(block, Figure):
        return {"figure": block}
    rows, notes = printed_rows(block)
    return {"table": block, "rows": rows, "notes": notes}
