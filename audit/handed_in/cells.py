"""The cells of a printed table, and the notes that say why a number is not there."""

from __future__ import annotations

from dataclasses import replace

from audit.exhibits import Number, Row, Table
from audit.words.notes import letter
from audit.words.numbers import Cell
from audit.words.report import FEW
from jurybox_stats import enough

NONE = "–"
TOO_FEW = enough.too_few(0).reason.partition(":")[0]


def printed_number(estimate: Number) -> Number:
    """A number from fewer images than a number needs is not shown, whatever the report holds."""
    reason = estimate.get("undefined", "")
    few = reason.startswith(TOO_FEW) or (not reason and estimate["n"] < enough.IMAGES)
    return {"text": FEW} if few else estimate


def printed_rows(table: Table) -> tuple[list[tuple[Row, list[Cell]]], list[tuple[str, str]]]:
    """Each row with its cells; and the notes, each with the mark of the cells that it is about."""
    marks: dict[str, str] = {}
    rows = [
        (row, [_add_mark(cell, marks) for cell in cells]) for row, cells in table.rows_with_cells
    ]
    notes = [("", words) for words in table.notes]
    if any({"text": FEW} in row.numbers for row in table.rows):
        notes.append(("", f"{FEW}: fewer than {enough.IMAGES} images."))
    return rows, [*notes, *((mark, f"{reason}.") for reason, mark in marks.items())]


def _add_mark(cell: Cell, marks: dict[str, str]) -> Cell:
    no_interval = f"No interval, {cell.no_interval}" if cell.no_interval else ""
    reason = cell.undefined or no_interval or cell.remark
    if not reason:
        return cell
    mark = marks.setdefault(reason, letter(len(marks)))
    return replace(cell, value=cell.value or NONE, mark=mark)
