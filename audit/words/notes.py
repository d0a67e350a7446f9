"""The notes below a table: each reason why a number is not there stands once, under a letter."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from string import ascii_lowercase

from audit.words.numbers import Cell

# As `stats.enough.too_few` writes it: of many rows that differ in the count alone, one note.
FEW = re.compile(r"too few to judge: (\d+) (.+), at least (\d+) needed")


@dataclass(frozen=True, slots=True)
class Notes:
    """`marks`: the letter of each reason. `lines`: letters and words, in the order of the cells."""

    marks: dict[str, str]
    lines: list[tuple[str, str]]

    def add_mark(self, cell: Cell) -> Cell:
        return replace(cell, mark=self.marks.get(_reason(cell), ""))


def notes_of(cells: Iterable[Cell]) -> Notes:
    """The cells by rows."""
    groups: dict[object, list[str]] = {}
    for cell in cells:
        if reason := _reason(cell):
            few = FEW.fullmatch(reason)
            group = groups.setdefault(few.group(2, 3) if few else reason, [])
            if reason not in group:
                group.append(reason)
    letters = [letter(place) for place in range(len(groups))]
    marks = {
        reason: mark
        for mark, reasons in zip(letters, groups.values(), strict=True)
        for reason in reasons
    }
    return Notes(marks, [*zip(letters, map(_as_one, groups.values()), strict=True)])


def letter(place: int) -> str:
    """a to z, then aa to zz, and so on."""
    return ascii_lowercase[place % 26] * (place // 26 + 1)


def _reason(cell: Cell) -> str:
    why = f"no interval, {cell.no_interval}" if cell.no_interval else cell.remark
    return cell.undefined or why


def _as_one(reasons: list[str]) -> str:
    found = FEW.fullmatch(reasons[0])
    if len(reasons) == 1 or found is None:
        return reasons[0]
    counts = [int(few[1]) for few in map(FEW.fullmatch, reasons) if few]
    what, at_least = found.group(2, 3)
    return f"too few to judge: {min(counts)} to {max(counts)} {what}, at least {at_least} needed"
