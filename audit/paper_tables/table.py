"""A table as a paper prints it: names, numbers with so many decimals, and what to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from annotations.exports.labels import csv_text
from audit.words.numbers import align_columns
from jurybox_stats.estimate import Estimate, Result, Undefined

NONE = "–"


@dataclass(frozen=True, slots=True)
class Row:
    """`numbers` in the order of the table's columns; what is undefined keeps its reason."""

    label: str
    numbers: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    title: str
    first: str  # heading of the names
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    places: int
    notes: tuple[str, ...] = field(default=())

    @property
    def reasons(self) -> list[str]:
        """Why cells are empty, each once."""
        return list(
            dict.fromkeys(
                f"{row.label}, {column}: {number.reason}"
                for row in self.rows
                for column, number in zip(self.columns, row.numbers, strict=True)
                if isinstance(number, Undefined)
            )
        )

    def format_number(self, number: Result) -> str:
        return NONE if isinstance(number, Undefined) else self._format(number.value)

    def with_interval(self, number: Result) -> str:
        """As the paper prints it, and behind it what the paper lacks."""
        if isinstance(number, Undefined) or number.low is None or number.high is None:
            return self.format_number(number)
        low, high = self._format(number.low), self._format(number.high)
        return f"{self.format_number(number)} ({low} to {high})"

    def _format(self, value: float) -> str:
        text = f"{value:.{self.places}f}"
        return text.removeprefix("-") if float(text) == 0 else text.replace("-", "−")


def mean(values: Iterable[float], nothing: str, *, scale: float = 1.0) -> Result:
    listed = list(values)
    if not listed:
        return Undefined(nothing, 0)
    return Estimate(sum(listed) / len(listed) * scale, None, None, len(listed))


def scaled(number: Result, scale: float) -> Result:
    if isinstance(number, Undefined):
        return number
    low, high = (None if end is None else end * scale for end in (number.low, number.high))
    return Estimate(number.value * scale, low, high, number.n)


def as_text(tables: Sequence[PaperTable]) -> str:
    return "\n\n".join(_text(table) for table in tables)


def as_json(tables: Sequence[PaperTable]) -> list[dict[str, Any]]:
    return [
        {
            "title": table.title,
            "columns": [table.first, *table.columns],
            "rows": [
                {"label": row.label, "numbers": [_number(number) for number in row.numbers]}
                for row in table.rows
            ],
            "notes": list(table.notes),
        }
        for table in tables
    ]


def as_csv(tables: Sequence[PaperTable]) -> str:
    """One row for each number."""
    parts = ("value", "low", "high", "n", "undefined")
    lines = [
        [table.title, row.label, column, *map(_number(number).get, parts)]
        for table in tables
        for row in table.rows
        for column, number in zip(table.columns, row.numbers, strict=True)
    ]
    return csv_text(["table", "row", "column", *parts], *lines)


def _number(number: Result) -> dict[str, Any]:
    if isinstance(number, Undefined):
        return {"undefined": number.reason, "n": number.n}
    if number.low is None or number.high is None:
        return {"value": number.value, "n": number.n}
    return {"value": number.value, "low": number.low, "high": number.high, "n": number.n}


def _text(table: PaperTable) -> str:
    cells = [[table.first, *table.columns]]
    cells += [
        [row.label, *(table.with_interval(number) for number in row.numbers)] for row in table.rows
    ]
    lines = align_columns(cells, right=True)
    return "\n".join([table.title, "", *lines, *(f"  {n}" for n in (*table.notes, *table.reasons))])
