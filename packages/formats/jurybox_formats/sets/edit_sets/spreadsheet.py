"""Rows of the first sheet of a spreadsheet (.xlsx), as objects by the names in its first row.

Only what tables of results hold: texts and numbers. Formulas are taken by the value that was stored with
them. Nothing is unpacked beyond a limit, and a document type, which could name other files, is refused.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree
from zlib import error as ZlibError

from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.rows import Line

LARGEST_PART = 64 * 2**20
MOST_CELLS = 2_000_000
_SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_TEXTS = "xl/sharedStrings.xml"
_CELL = re.compile(r"([A-Z]{1,3})\d+")
_MOST_COLUMNS = 16_384


def read_rows(path: Path) -> Iterator[Line[dict[str, Any]]]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            sheets = sorted(filter(_SHEET.fullmatch, names), key=lambda name: (len(name), name))
            if not sheets:
                raise Unreadable(f"{path.name} is no spreadsheet: it holds no sheet.")
            texts = _texts(_part(archive, _TEXTS, path)) if _TEXTS in names else []
            sheet = _part(archive, sheets[0], path)
        rows = _cells(sheet, texts)
    except (zipfile.BadZipFile, ZlibError, OSError, RuntimeError, NotImplementedError) as error:
        raise Unreadable(f"{path.name} is no spreadsheet that can be read.") from error
    except (ElementTree.ParseError, ValueError, IndexError, LookupError) as error:
        raise Unreadable(f"{path.name} is damaged: its sheet cannot be read.") from error
    if not rows:
        raise Unreadable(f"{path.name} has no header row that can be read.")
    header = {place: str(name).strip() for place, name in rows[0][1].items() if name is not None}
    for line, cells in rows[1:]:
        if cells:
            yield Line(line, {name: cells.get(place) for place, name in header.items()})


def _part(archive: zipfile.ZipFile, name: str, path: Path) -> ElementTree.Element:
    with archive.open(name) as file:
        content = file.read(LARGEST_PART + 1)
    if len(content) > LARGEST_PART:
        raise Unreadable(f"{path.name} is too large; save it as CSV.")
    # As text: no other encoding can hide a document type from us.
    text = content.decode()
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Unreadable(f"{path.name} holds what no table needs; save it as CSV.")
    return ElementTree.fromstring(text)  # noqa: S314 (no document type, so no entities)


def _texts(tree: ElementTree.Element) -> list[str]:
    return ["".join(part.text or "" for part in item.iter(f"{_SPACE}t")) for item in tree]


def _cells(sheet: ElementTree.Element, texts: list[str]) -> list[tuple[int, dict[int, Any]]]:
    """Each row with its number, and its cells by their column."""
    rows: list[tuple[int, dict[int, Any]]] = []
    taken = 0
    for number, row in enumerate(sheet.iter(f"{_SPACE}row"), 1):
        found: dict[int, Any] = {}
        for place, cell in enumerate(row.iter(f"{_SPACE}c")):
            taken += 1
            if taken > MOST_CELLS:
                raise Unreadable(f"There are more than {MOST_CELLS:,} cells; save it as CSV.")
            value = _value(cell, texts)
            if value is not None:
                found[_column(cell.get("r"), place)] = value
        rows.append((number, found))
    return rows


def _value(cell: ElementTree.Element, texts: list[str]) -> Any:
    kind, stored = cell.get("t", "n"), cell.findtext(f"{_SPACE}v")
    if kind == "inlineStr":
        return "".join(part.text or "" for part in cell.iter(f"{_SPACE}t"))
    if stored is None or kind == "e":
        return None
    if kind == "s":
        place = int(stored)
        if place < 0:
            raise ValueError(stored)
        return texts[place]
    if kind == "b":
        return stored == "1"
    return stored if kind == "str" else float(stored)


def _column(name: str | None, place: int) -> int:
    """AB7 stands in column 27, counted from 0; cells without a name follow each other."""
    match = _CELL.fullmatch(name or "")
    if match is None:
        return place
    number = 0
    for letter in match[1]:
        number = number * 26 + ord(letter) - 64
    if number > _MOST_COLUMNS:
        raise ValueError(name)
    return number - 1
