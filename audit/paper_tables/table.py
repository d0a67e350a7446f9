"""A table as a paper prints it: names, numbers with so many decimals, and what to know of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from annotations.exports.labels import csv_text
from audit.exhibits import Column, Number, Row, Table
from audit.words.numbers import align_columns
from jurybox_stats.estimate import Estimate, Result, Undefined

NONE = "–"
PARTS = ("value", "low", "high", "n", "undefined")


def make_row(label: str, numbers: Iterable[Result]) -> Row:
    """What is undefined keeps its reason."""
    return Row(label, tuple(number.as_dict() for number in numbers))


def make_table(
    title: str,
    first: str,
    columns: Iterable[str],
    rows: Iterable[Row],
    decimals: int,
    notes: tuple[str, ...] = (),
) -> Table:
    made = tuple(Column(name, name, decimals, fixed=True) for name in columns)
    return Table(title, title, first, made, tuple(rows), notes=notes)


def _reasons(table: Table) -> list[str]:
    """Why cells are empty, each once."""
    return list(
        dict.fromkeys(
            f"{row.label}, {column.heading}: {number['undefined']}"
            for row in table.rows
            for column, number in zip(table.columns, row.numbers, strict=True)
            if "undefined" in number
        )
    )


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


def as_text(tables: Sequence[Table]) -> str:
    return "\n\n".join(_text(table) for table in tables)


def as_json(tables: Sequence[Table]) -> list[dict[str, Any]]:
    return [
        {
            "title": table.title,
            "columns": [table.first, *(column.heading for column in table.columns)],
            "rows": [
                {"label": row.label, "numbers": [_known_parts(number) for number in row.numbers]}
                for row in table.rows
            ],
            "notes": list(table.notes),
        }
        for table in tables
    ]


def _known_parts(number: Number) -> Number:
    parts = ("undefined", *PARTS[:-1])
    return {part: number[part] for part in parts if number.get(part) is not None}


def as_csv(tables: Sequence[Table]) -> str:
    """One row for each number."""
    lines = [
        [table.title, row.label, column.heading, *map(number.get, PARTS)]
        for table in tables
        for row in table.rows
        for column, number in zip(table.columns, row.numbers, strict=True)
    ]
    return csv_text(["table", "row", "column", *PARTS], *lines)


def _text(table: Table) -> str:
    """Each number as the paper prints it, and behind it the interval that the paper lacks."""
    cells = [[table.first, *(column.heading for column in table.columns)]]
    cells += [
        [row.label, *(cell.in_words() or NONE for cell in shown)]
        for row, shown in table.rows_with_cells
    ]
    lines = align_columns(cells, right=True)
    notes = (f"  {note}" for note in (*table.notes, *_reasons(table)))
    return "\n".join([table.title, "", *lines, *notes])
