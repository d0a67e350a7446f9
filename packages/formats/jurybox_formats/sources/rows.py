"""Rows of a file on their way to records: readers yield rows, and notes where a row is unreadable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import Missing, Record, Rejected, Remark

V = TypeVar("V")
R = TypeVar("R")

Note = Rejected | Missing | Remark


class Line(NamedTuple, Generic[V]):
    """What stands on a line: cells, a JSON value, a text."""

    line: int
    value: V


def records(
    rows: Iterable[Line[V] | Note], read: Callable[[Line[V]], Iterable[Record]], source: str
) -> Iterator[Record]:
    """The records that `read` makes of each row; a row in which something is Unfit is
    rejected, and the others are read all the same."""
    for row in rows:
        if isinstance(row, Line):
            try:
                yield from read(row)
            except Unfit as unfit:
                yield unfit.reject(row.line, source)
        else:
            yield row


def group_records(
    rows: Iterable[Line[V] | Note],
    key: Callable[[V], object],
    read: Callable[[list[Line[V]]], Iterable[R]],
) -> Iterator[R | Note]:
    """What `read` makes of rows that follow one another and have the same key."""
    group: list[Line[V]] = []
    for row in rows:
        if group and not (isinstance(row, Line) and key(row.value) == key(group[0].value)):
            yield from read(group)
            group = []
        if isinstance(row, Line):
            group.append(row)
        else:
            yield row
    if group:
        yield from read(group)
