"""The document as an A4 file, set by Typst: PDF/A-2, fonts embedded, the same bytes every time.

Typst runs in this process, in a folder of its own with three kinds of files: the template, the
document as JSON, the drawings. What people typed reaches it as JSON strings only, so none of it can
be typesetting code.
"""

from __future__ import annotations

import json
import re
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, cast

from audit.charts.on_paper import font_folders
from audit.charts.when_used import typst
from audit.exhibits import Table
from audit.handed_in.cells import printed_rows
from audit.handed_in.document import DIGITS, Document, Figure, line

TEMPLATE = Path(__file__).with_name("report.typ")
# The archival standard allows no character without a glyph, so Typst names those that have none.
STANDARD: Final = "a-2b"
LACKING = re.compile(r"error: PDF/A-2b error: the text `\"(.+?)\"` could not be displayed")
# A run of letters without a place to break must not leave its column.
LONG = re.compile(r"[^\s\u200b]{13,}")
# A part of a name, with what ends it.
PART = re.compile(r"[^-_./=@:]*[-_./=@:]|[^-_./=@:]+")
HERE = 12
BREAK = "\u200b"


def as_pdf(document: Document) -> bytes:
    """With the fonts that Typst carries; where they lack a letter, also with those that were installed for
    it, then with those of the machine; where these lack it too, the last page names it."""
    lacking: list[str] = []
    more = font_folders()
    for folders, machine_fonts in (([], False), *([(more, False)] if more else []), (more, True)):
        try:
            return _compiled(document, (), folders, machine_fonts=machine_fonts, to_keep=True)
        except typst.TypstError as error:
            lacking = sorted(set(LACKING.findall(error.diagnostic)))
            if not lacking:
                raise
    return _compiled(document, _lost(lacking), more, machine_fonts=True, to_keep=False)


def _lost(letters: list[str]) -> tuple[str, ...]:
    named = ", ".join(f"U+{ord(letter):04X}" for text in letters for letter in text)
    return (
        f"Characters that no font at hand has, shown as empty boxes: {named}. The HTML file of this "
        "report has them.",
    )


def _compiled(
    document: Document,
    lost: tuple[str, ...],
    folders: list[str],
    *,
    machine_fonts: bool,
    to_keep: bool,
) -> bytes:
    with tempfile.TemporaryDirectory(prefix="jurybox-report-") as name:
        folder = Path(name)
        main = folder / "report.typ"
        main.write_bytes(TEMPLATE.read_bytes())
        for figure in document.figures:
            (folder / f"figure-{figure.number}.svg").write_text(figure.svg, encoding="utf-8")
        told = {**_plain(document), "lost": lost}
        (folder / "document.json").write_text(json.dumps(told), encoding="utf-8")
        nothing = folder / "no-packages"
        nothing.mkdir()
        compiler = typst.Compiler(
            str(main),
            root=str(folder),
            ignore_system_fonts=not machine_fonts,
            font_paths=folders,
            package_path=str(nothing),
            package_cache_path=str(nothing),
        )
        # A moment of the clock would make every file another one.
        made = compiler.compile(
            format="pdf", timestamp=0, pdf_standards=[STANDARD] if to_keep else None
        )
        return cast(bytes, made)


def _plain(document: Document) -> dict[str, Any]:
    plain = _broken(asdict(document))
    for section, made in zip(plain["sections"], document.sections, strict=True):
        section["blocks"] = [_block(block) for block in made.blocks]
    # As they are in the file's own title; breaks are for columns.
    plain |= {"title": document.title, "study": document.study, "made": document.made}
    # A footer of four lines is none.
    footer = _broken(document.short_signature)
    return {**plain, "line": line(document), "footer": footer, "digits": DIGITS}


def _block(block: Table | Figure) -> dict[str, Any]:
    plain = _broken(asdict(block))
    if isinstance(block, Figure):
        del plain["svg"]
        return {**plain, "kind": "figure", "file": f"figure-{block.number}.svg"}
    rows, notes = printed_rows(block)
    cells = [
        [_broken({**asdict(cell), "interval": cell.interval}) for cell in shown]
        for _, shown in rows
    ]
    plain["rows"] = [{**row, "cells": own} for row, own in zip(plain["rows"], cells, strict=True)]
    return {**plain, "notes": _broken(notes), "kind": "table"}


def _broken(value: Any) -> Any:
    """The same value, its long words with places to break."""
    if isinstance(value, str):
        value = value.replace(" %", "\u00a0%")
        return LONG.sub(lambda word: _at_places(word[0]), value)
    if isinstance(value, dict):
        return {key: part if key == "svg" else _broken(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_broken(part) for part in value]
    return value


def _at_places(word: str) -> str:
    """After what ends a part of a name; within a part that is too long, every few letters."""
    parts = PART.findall(word)
    return BREAK.join(
        BREAK.join(part[start : start + HERE] for start in range(0, len(part), HERE))
        for part in parts
    )
