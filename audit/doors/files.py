"""An answer as text and as CSV."""

from __future__ import annotations

from audit.exhibits import Body, Column, Exhibits, Number, Table
from audit.words.numbers import align_columns


def as_text(exhibits: Exhibits, body: Body) -> str:
    lines = [*exhibits.sentences(body)]
    for table in exhibits.tables(body):
        if table.rows:
            lines += ["", table.title, *_text_table(table), *table.notes]
    return "\n".join([*lines, "", *exhibits.describe_method(body), *exhibits.signed(body)])


def _text_table(table: Table) -> list[str]:
    noted = any(row.note for row in table.rows)
    rows = [[table.first, *(column.heading for column in table.columns), *([""] if noted else [])]]
    for row in table.rows:
        pairs = zip(table.columns, row.numbers, strict=True)
        note = [row.note] if noted else []
        rows.append([row.label, *(_cell_words(*pair) for pair in pairs), *note])
    return align_columns(rows)


def _cell_words(column: Column, number: Number) -> str:
    cell = column.cell(number)
    if cell.undefined:
        return f"– ({cell.undefined})"
    if cell.no_interval:
        return f"{cell.value} (no interval, {cell.no_interval})"
    return cell.in_words()
