"""Rows straight into a table, by the fastest way that each database has.

The ORM builds an object and a statement for every few hundred rows; a million labels want neither.
Whoever writes here has checked the rows before.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.db import connection, models


def next_ids(model: type[models.Model], count: int) -> list[int]:
    """Keys for rows that are about to be inserted, taken from the table's own sequence.

    On SQLite the caller's transaction holds the write lock, so nobody takes them in between.
    """
    table = model._meta.db_table
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                [table, count],
            )
            return [row[0] for row in cursor.fetchall()]
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        found = cursor.fetchone()
        first = (found[0] if found else 0) + 1
        return list(range(first, first + count))


def insert(model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows whose values are those of the columns: keys, numbers, texts, adapted moments."""
    columns = [model._meta.get_field(name).column for name in fields]
    names = ", ".join(connection.ops.quote_name(column) for column in columns)
    table = connection.ops.quote_name(model._meta.db_table)
    connection.ensure_connection()
    raw = connection.connection
    if connection.vendor == "postgresql":
        # Made first: a row that asks the database something would wait for the COPY for ever.
        rows = list(rows)
        with raw.cursor() as cursor, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return
    marks = ", ".join("?" * len(columns))
    raw.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Rows hold no circles, and looking for some after every few hundred of them takes a third of
    an import's time: while many rows go by, the collector looks less often."""
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], 250_000), *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@cache
def keep_buffers() -> None:
    """Let glibc keep the buffers of megabytes that each picture needs.

    Otherwise it gives them back to the system after every picture and takes them anew page by
    page: 3,400 page faults and 9 ms each, measured. Elsewhere there is no such switch, and nothing
    happens.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    trim, pad, mmap = -1, -2, -3
    for switch, size in ((mmap, 32 * 2**20), (trim, 256 * 2**20), (pad, 64 * 2**20)):
        mallopt(switch, size)
