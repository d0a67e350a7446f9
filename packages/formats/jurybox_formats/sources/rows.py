"""Rows of a file on their way to records: readers yield rows, and notes where a row is unreadable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Generic, NamedTuple, TypeVar

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    Missing,
    Record,
    Rejected,
    Remark,
    ScoreRecord,
)

V = TypeVar("V")

Note = Rejected | Missing | Remark
# Of these a table has one or more in each row; their line and file stand last.
ROWS = {LabelRecord, ScoreRecord}


class Line(NamedTuple, Generic[V]):
    """What stands on a line: cells, a JSON value, a text."""

    line: int
    value: V


class Images:
    """Which images and generators were sent: each once, a generator before its first image."""

    def __init__(self) -> None:
        self.generators: set[str] = set()
        self.keys: set[str] = set()

    def send(self, image: ImageRecord) -> Iterator[GeneratorRecord | ImageRecord]:
        if image.generator not in self.generators:
            self.generators.add(image.generator)
            yield GeneratorRecord(image.generator, line=image.line, source=image.source)
        if image.key not in self.keys:
            self.keys.add(image.key)
            yield image


def records(
    rows: Iterable[Line[V] | Note],
    read: Callable[[Line[V]], Iterable[Record | Unfit]],
    source: str,
    seen: Images | None = None,
) -> Iterator[Record]:
    """The records that `read` makes of each row, with the row's line and its file, where they name none.

    A row that raises Unfit is rejected, and the others are read all the same; an Unfit that `read` yields is a
    part of a row. With `seen` an image comes once, its generator before it."""
    for row in rows:
        if not isinstance(row, Line):
            yield row
            continue
        line = row.line
        try:
            made: Iterable[Any] = read(row)
            for record in made:
                if type(record) in ROWS:
                    yield record if record[-1] else _place(record, line, source)
                elif isinstance(record, Unfit):
                    yield record.reject(line, source)
                elif isinstance(record, ImageRecord) and seen is not None:
                    yield from seen.send(_place(record, line, source))
                else:
                    yield _place(record, line, source)
        except Unfit as unfit:
            yield unfit.reject(line, source)


def _place(record: Any, line: int, source: str) -> Any:
    if type(record) in ROWS:
        # As `_replace` does, which takes three times as long.
        return tuple.__new__(type(record), (*record[:-2], line, source))
    if isinstance(record, Missing | Remark) or record.source:
        return record
    if isinstance(record, tuple):
        return record._replace(line=line, source=source)  # type: ignore[attr-defined]
    return replace(record, line=line, source=source)


def group_rows(
    rows: Iterable[Line[V] | Note], key: Callable[[V], object]
) -> Iterator[Line[list[Line[V]]] | Note]:
    """Rows that follow one another and have the same key, as one row on the line of the first."""
    group: list[Line[V]] = []
    for row in rows:
        if group and not (isinstance(row, Line) and key(row.value) == key(group[0].value)):
            yield Line(group[0].line, group)
            group = []
        if isinstance(row, Line):
            group.append(row)
        else:
            yield row
    if group:
        yield Line(group[0].line, group)
