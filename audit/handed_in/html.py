"""The document as one HTML file that needs nothing else: to read, to print on A4, to send along."""

from __future__ import annotations

from django.template.loader import render_to_string

from audit.handed_in.document import Document, Figure
from audit.handed_in.standing_words import DIGITS, SIMULATED, line


def as_html(document: Document) -> str:
    """Texts are escaped by the template; only the drawings, which are made here, are not."""
    sections = [
        {
            "heading": section.heading,
            "paragraphs": section.paragraphs,
            "points": section.points,
            "blocks": [(isinstance(block, Figure), block) for block in section.blocks],
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
