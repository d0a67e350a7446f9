"""A PostgreSQL database in a backup, by its own `pg_dump` and `pg_restore`."""

from __future__ import annotations

import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import Error, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg.conninfo import make_conninfo

from annotations.errors import Refused

# How the names of databases begin in which a backup is tried.
TRIED_IN = "jurybox_check"


def dump(target: Path) -> dict[str, int]:
    """A dump as of one moment, and the rows of each table at that moment."""
    with _another_connection() as reader:
        # The dump sees what this transaction sees.
        reader.set_autocommit(False)
        with reader.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            cursor.execute("SELECT pg_export_snapshot()")
            (snapshot,) = cursor.fetchone()
            with _address() as address:
                _run("pg_dump", "--format=custom", "--no-owner", "--no-password",
                     f"--snapshot={snapshot}", f"--file={target}", "--dbname", address)  # fmt: skip
            return _rows(cursor)


def pictures(dump: Path) -> set[str]:
    """The files that images name now: a dump is not read so easily."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT file FROM annotations_image WHERE file <> ''")
        return {file for (file,) in cursor.fetchall()}


def check(dump: Path) -> dict[str, int]:
    """Raises if it is no dump that `pg_restore` can read; its rows are not known yet."""
    try:
        _run("pg_restore", "--list", str(dump))
    except Refused as refusal:
        raise ValueError(refusal.message) from None
    return {}


def rows() -> dict[str, int]:
    """Of the installation's own database."""
    with connection.cursor() as cursor:
        return _rows(cursor)


def tried(dump: Path) -> dict[str, int]:
    """The rows of a dump, restored into a database of its own that is dropped at once."""
    name = f"{TRIED_IN}_{secrets.token_hex(6)}"
    try:
        with connection.cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}"')
    except Error as error:
        raise Refused(
            f"No database could be made to try the backup in: {str(error).strip()}. The role of "
            "DATABASE_URL needs the right to create databases (ALTER ROLE … CREATEDB)."
        ) from error
    try:
        with _address(name) as address:
            _run("pg_restore", "--no-owner", "--no-password", "--exit-on-error",
                 "--dbname", address, str(dump))  # fmt: skip
        with _another_connection(name) as reader, reader.cursor() as cursor:
            return _rows(cursor)
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')


def holds_data() -> bool:
    if "annotations_study" not in connection.introspection.table_names():
        return False
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM annotations_study LIMIT 1")
        return cursor.fetchone() is not None


def put(dump: Path) -> None:
    """All of it or nothing: in one transaction."""
    connection.close()
    with _address() as address:
        _run("pg_restore", "--clean", "--if-exists", "--no-owner", "--no-password",
             "--single-transaction", "--exit-on-error", "--dbname", address, str(dump))  # fmt: skip


def where() -> str:
    return f"The database “{connection.settings_dict['NAME']}”"


def _rows(cursor: Any) -> dict[str, int]:
    # However many they are; behind a pooler the role has the limits.
    if not settings.DATABASE_POOLED:
        cursor.execute("SET statement_timeout = 0")
    cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1")
    counted = {}
    for (name,) in cursor.fetchall():
        cursor.execute(f'SELECT count(*) FROM "{name}"')  # noqa: S608
        counted[name] = cursor.fetchone()[0]
    return counted


@contextmanager
def _another_connection(name: str = "") -> Iterator[BaseDatabaseWrapper]:
    other = connection.copy()
    if name:
        other.settings_dict["NAME"] = name
    try:
        yield other
    finally:
        other.close()


@contextmanager
def _address(name: str = "") -> Iterator[str]:
    """Where the database is, as its programs read it. The password is in a file of its own, since
    everybody on this machine can read what a program was started with."""
    given = connection.settings_dict
    parts = {"dbname": name or given["NAME"], "host": given.get("HOST"), "port": given.get("PORT")}
    parts["user"] = given.get("USER")
    parts |= {
        w: given.get("OPTIONS", {}).get(w) for w in ("sslmode", "sslrootcert", "sslcert", "sslkey")
    }
    with tempfile.NamedTemporaryFile("w", prefix="jurybox-") as file:
        if given.get("PASSWORD"):
            password = str(given["PASSWORD"]).replace("\\", "\\\\").replace(":", "\\:")
            file.write(f"*:*:*:*:{password}\n")
            file.flush()
            parts["passfile"] = file.name
        yield make_conninfo(**{word: part for word, part in parts.items() if part})


def _run(program: str, *options: str) -> None:
    try:
        subprocess.run([program, *options], check=True, capture_output=True, text=True)  # noqa: S603
    except FileNotFoundError:
        raise Refused(
            f"{program} is not here: install PostgreSQL's client programs, of the server's version "
            "or a newer one."
        ) from None
    except subprocess.CalledProcessError as error:
        words = (error.stderr.strip().splitlines() or ["no word why"])[0]
        raise Refused(f"{program} failed: {words}") from error
