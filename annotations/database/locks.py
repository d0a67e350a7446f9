"""Locks of the whole installation, by name: many hold one together, or one holds it alone.

PostgreSQL keeps them with the connection, SQLite in a file beside the database; either gives them
back when the process dies. Behind a pooler a connection is another server's after each transaction:
there a transaction beside the work keeps the lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from django.conf import settings
from django.db import DatabaseError, connection


def together(name: str) -> AbstractContextManager[None]:
    return _hold_lock(name, alone=False)


def hold_alone(name: str, *, patiently: bool = False) -> AbstractContextManager[None]:
    """`patiently`: however long another one holds it."""
    return _hold_lock(name, alone=True, patiently=patiently)


@contextmanager
def _hold_lock(name: str, *, alone: bool, patiently: bool = False) -> Iterator[None]:
    if connection.vendor == "postgresql" and settings.DATABASE_POOLED:
        with _in_transaction_beside(name, alone, patiently):
            yield
    elif connection.vendor == "postgresql":
        with _on_postgres(name, alone, patiently):
            yield
    else:
        with _beside_sqlite(name, alone):
            yield


@contextmanager
def _on_postgres(name: str, alone: bool, patiently: bool) -> Iterator[None]:
    key, kind = zlib.crc32(name.encode()), "" if alone else "_shared"
    with connection.cursor() as cursor:
        if patiently:
            cursor.execute("SET lock_timeout = 0")
        cursor.execute(f"SELECT pg_advisory_lock{kind}(%s)", [key])
        if patiently:
            cursor.execute("RESET lock_timeout")
    try:
        yield
    finally:
        # In a transaction that has failed no query runs; the connection gives it back.
        with contextlib.suppress(DatabaseError), connection.cursor() as cursor:
            cursor.execute(f"SELECT pg_advisory_unlock{kind}(%s)", [key])


@contextmanager
def _in_transaction_beside(name: str, alone: bool, patiently: bool) -> Iterator[None]:
    key, kind = zlib.crc32(name.encode()), "" if alone else "_shared"
    beside = connection.copy()
    try:
        beside.set_autocommit(False)
        with beside.cursor() as cursor:
            # It idles as long as the work beside it takes.
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            if patiently:
                cursor.execute("SET LOCAL lock_timeout = 0")
            cursor.execute(f"SELECT pg_advisory_xact_lock{kind}(%s)", [key])
        yield
    finally:
        beside.close()


@contextmanager
def _beside_sqlite(name: str, alone: bool) -> Iterator[None]:
    if connection.is_in_memory_db():  # type: ignore[attr-defined]  # SQLite's own
        yield
        return
    path = f"{connection.settings_dict['NAME']}-{name}"
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield
    finally:
        os.close(file)
