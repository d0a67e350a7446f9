"""Rows of a file on their way to records: readers yield rows, and notes where a row is unreadable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Generic, NamedTuple, TypeVar

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    Missing,
    Record,
    Rejected,
    Remark,
)

V = TypeVar("V")

Note = Rejected | Missing | Remark


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
        try:
            for record in read(row):
                yield from _send(record, row.line, source, seen)
        except Unfit as unfit:
            yield unfit.reject(row.line, source)


def _send(record: Record | Unfit, line: int, source: str, seen: Images | None) -> Iterator[Record]:
    if isinstance(record, Unfit):
        yield record.reject(line, source)
        return
    if not isinstance(record, Missing | Remark) and not record.source:
        if isinstance(record, tuple):
            record = record._replace(line=line, source=source)
        else:
            record = replace(record, line=line, source=source)
    if seen is not None and isinstance(record, ImageRecord):
        yield from seen.send(record)
    else:
        yield record


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
