"""An answer as text and as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from annotations.exports.labels import csv_text
from audit.exhibits import Body, Column, Exhibits, Number, Table, signature_lines
from audit.words.numbers import align_columns

PARTS = ("value", "low", "high", "n", "undefined", "no_interval")


def as_text(exhibits: Exhibits, body: Body) -> str:
    lines = [*exhibits.sentences(body)]
    for table in exhibits.tables(body):
        lines += ["", table.title, *_text_table(table)]
    return "\n".join([*lines, "", exhibits.method, *signature_lines(body)])


def _text_table(table: Table) -> list[str]:
    rows = [[table.first, *(column.heading for column in table.columns)]]
    for row in table.rows:
        pairs = zip(table.columns, row.numbers, strict=True)
        rows.append([row.label, *(_cell_words(*pair) for pair in pairs)])
    return align_columns(rows)


def _cell_words(column: Column, number: Number) -> str:
    cell = column.cell(number)
    if cell.undefined:
        return f"– ({cell.undefined})"
    if cell.no_interval:
        return f"{cell.value} (no interval, {cell.no_interval})"
    return cell.in_words()


def as_csv(body: Body, tables: Iterable[Table]) -> str:
    """One row for each number, so that any tool can plot it."""
    signed = body["study"], body["signature"]["data"]
    lines = [
        [*signed, table.key, row.label, column.name, *(number.get(part) for part in PARTS)]
        for table in tables
        for row in table.rows
        for column, number in zip(table.columns, row.numbers, strict=True)
    ]
    return csv_text(["study", "data", "table", "row", "column", *PARTS], *lines)
