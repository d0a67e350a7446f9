"""Rows of a file on their way to records: readers yield rows, and notes where a row is unreadable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Generic, NamedTuple, TypeVar

from annotations.sources.checks import Unfit
from annotations.sources.records import Missing, Record, Rejected, Remark

V = TypeVar("V")
R = TypeVar("R")

Note = Rejected | Missing | Remark


class Row(NamedTuple, Generic[V]):
    """What stands on a line: cells, a JSON value, a text."""

    line: int
    value: V


def records(
    rows: Iterable[Row[V] | Note], read: Callable[[Row[V]], Iterable[Record]], source: str
) -> Iterator[Record]:
    """The records that `read` makes of each row; a row in which something is Unfit is
    rejected, and the others are read all the same."""
    for row in rows:
        if isinstance(row, Row):
            try:
                yield from read(row)
            except Unfit as unfit:
                yield unfit.reject(row.line, source)
        else:
            yield row


def group_records(
    rows: Iterable[Row[V] | Note],
    key: Callable[[V], object],
    read: Callable[[list[Row[V]]], Iterable[R]],
) -> Iterator[R | Note]:
    """What `read` makes of rows that follow one another and have the same key."""
    group: list[Row[V]] = []
    for row in rows:
        if group and not (isinstance(row, Row) and key(row.value) == key(group[0].value)):
            yield from read(group)
            group = []
        if isinstance(row, Row):
            group.append(row)
        else:
            yield row
    if group:
        yield from read(group)
