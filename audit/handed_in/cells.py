"""Numbers of a report as cells of a printed table, and the notes that say why one is not there."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from audit.words import numbers
from audit.words.notes import letter
from audit.words.numbers import Cell
from audit.words.report import FEW
from jurybox_stats import enough

NONE = "–"
TOO_FEW = enough.too_few(0).reason.partition(":")[0]


class Notes:
    """The notes below one table: each reason once, with a letter."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        self._few = False
        self._said: list[str] = []

    def cell(self, name: str, estimate: dict[str, Any], *, bold: bool = False) -> Cell:
        """A number from fewer images than a number needs is not shown, whatever the report holds."""
        reason = estimate.get("undefined", "")
        if reason.startswith(TOO_FEW) or (not reason and estimate["n"] < enough.IMAGES):
            self._few = True
            return Cell(FEW)
        return self.add_mark(replace(numbers.cell(name, estimate), bold=bold))

    def add_mark(self, cell: Cell) -> Cell:
        no_interval = f"No interval, {cell.no_interval}" if cell.no_interval else ""
        reason = cell.undefined or no_interval or cell.remark
        if not reason:
            return cell
        mark = self._reasons.setdefault(reason, letter(len(self._reasons)))
        return replace(cell, value=cell.value or NONE, mark=mark)

    def say(self, words: str) -> None:
        self._said.append(words)

    def lines(self) -> tuple[tuple[str, str], ...]:
        """Each with the mark of the cells that it is about."""
        said = [*self._said]
        if self._few:
            said.append(f"{FEW}: fewer than {enough.IMAGES} images.")
        reasons = ((mark, f"{reason}.") for reason, mark in self._reasons.items())
        return (*(("", words) for words in said), *reasons)
