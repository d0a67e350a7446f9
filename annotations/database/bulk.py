"""Inserts many rows by each database's fastest way: COPY, or statements of many rows each.

The ORM would build an object for each row and a statement for every few hundred, which is too slow
for a million labels. Callers check their rows before.
"""

from __future__ import annotations

import ctypes
import gc
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import chain, islice
from typing import Any

from django.db import connection, models

# Rows of one statement on SQLite: a statement for each takes half as long again.
AT_ONCE = 200
# The switches of glibc's `mallopt`.
TRIM, PAD, MMAP = -1, -2, -3


def next_ids(model: type[models.Model], count: int) -> list[int]:
    """Keys for new rows, from the table's own sequence.

    On SQLite the caller must be in a transaction: its write lock keeps others from the same keys.
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
        row = cursor.fetchone()
        first = (row[0] if row else 0) + 1
        return list(range(first, first + count))


def insert(model: type[models.Model], fields: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of column values: keys for relations, times as the database stores them."""
    column_of = {field.name: field.column or "" for field in model._meta.concrete_fields}
    columns = [column_of[name] for name in fields]
    names = ", ".join(connection.ops.quote_name(column) for column in columns)
    table = connection.ops.quote_name(model._meta.db_table)
    connection.ensure_connection()
    raw = connection.connection
    if connection.vendor == "postgresql":
        # Evaluated before the COPY: a row that queries the database would wait for it forever.
        rows = list(rows)
        with raw.cursor() as cursor, cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return
    marks = f"({', '.join('?' * len(columns))})"
    size = min(AT_ONCE, raw.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) // len(columns))
    left = iter(rows)
    insert_one = f"INSERT INTO {table} ({names}) VALUES {marks}"  # noqa: S608
    insert_many = insert_one + f", {marks}" * (size - 1)
    while len(block := list(islice(left, size))) == size:
        raw.execute(insert_many, list(chain.from_iterable(block)))
    raw.executemany(insert_one, block)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Run Python's garbage collector less often. Rows have no reference cycles, and looking for
    some after every few hundred rows takes a third of an import's time."""
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], 250_000), *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@cache
def keep_buffers() -> None:
    """Let glibc keep the buffers of several megabytes that decoding a picture needs.

    Otherwise it returns them to the system after every picture: 3,400 page faults and 9 ms each,
    measured. Does nothing without glibc.
    """
    _tell_glibc({MMAP: 32 * 2**20, TRIM: 256 * 2**20, PAD: 64 * 2**20})


@cache
def return_arrays() -> None:
    """Let glibc return arrays of a megabyte as soon as they go. Otherwise what a report of millions of
    images has done with stays as holes that the next array may not fit into. Does nothing without glibc.
    """
    _tell_glibc({MMAP: 2**20})


def _tell_glibc(switches: Mapping[int, int]) -> None:
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError, TypeError):
        return
    for switch, size in switches.items():
        mallopt(switch, size)
