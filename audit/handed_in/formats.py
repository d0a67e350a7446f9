"""A stored report as a document, and what a document can be written as."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from django.template.loader import render_to_string

from annotations.storage.written_files import WrittenFolder
from audit.exhibits import Table
from audit.handed_in.cells import printed_rows
from audit.handed_in.compose import compose
from audit.handed_in.document import DIGITS, SIMULATED, Document, Figure, line
from audit.handed_in.latex import as_latex, as_zip, figure_files
from audit.handed_in.pdf import as_pdf
from audit.models import Report


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


HANDED_IN: dict[str, Callable[[Document], str | bytes]] = {
    "pdf": as_pdf,
    "html": as_html,
    "latex": as_latex,
}


def as_download(document: Document, format: str) -> bytes:
    """As one file: LaTeX is packed with its figures."""
    content = as_zip(document) if format == "latex" else HANDED_IN[format](document)
    return content.encode() if isinstance(content, str) else content


def write_beside(document: Document, format: str, out: Path) -> None:
    """What a file needs beside it: LaTeX its figures."""
    # Where there is no such folder, the file itself cannot be written, and the error says so.
    if format == "latex" and out.parent.is_dir():
        figures, ours = (
            figure_files(document),
            WrittenFolder(out.parent, "figures", beside_others=True),
        )
        for name in figures:
            ours.expect_free(name)
        for name, content in figures.items():
            with ours.file(name) as file:
                file.write(content)


def of_report(report: Report) -> Document:
    return of_body(report.body, report.study.title, report.created_at)


def of_body(body: dict[str, Any], title: str, moment: datetime) -> Document:
    return compose(body, title=title, made=f"{moment:%Y-%m-%d}")
