"""An SQLite database in a backup. SQLite itself makes the copy, so people can keep labelling meanwhile."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from django.conf import settings
from django.db import connection


def dump(target: Path) -> dict[str, int]:
    """A copy as of one moment, checked, and the rows of each table in it."""
    source = f"file:{_place()}?mode=ro"
    with (
        closing(sqlite3.connect(source, uri=True)) as live,
        closing(sqlite3.connect(target)) as copy,
    ):
        live.backup(copy, pages=2000)
        copy.execute("PRAGMA journal_mode=DELETE")
    with target.open("rb") as file:
        os.fsync(file.fileno())
    return check(target)


def check(dump: Path) -> dict[str, int]:
    """Its rows; raises if the database is damaged."""
    with closing(sqlite3.connect(dump)) as copy:
        verdict = copy.execute("PRAGMA integrity_check").fetchone()[0]
        if verdict != "ok":
            raise sqlite3.DatabaseError(f"the database is damaged: {verdict}")
        copy.execute("SELECT 1 FROM annotations_image LIMIT 1")
    return tried(dump)


def tried(dump: Path) -> dict[str, int]:
    """Table -> rows. A dump that has been unpacked is a database already."""
    with closing(sqlite3.connect(dump)) as copy:
        tables = copy.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
        )
        return {
            name: copy.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0]  # noqa: S608
            for (name,) in sorted(tables.fetchall())
        }


def pictures(database: Path) -> set[str]:
    """The files that its images name."""
    with closing(sqlite3.connect(database)) as copy:
        found = copy.execute("SELECT DISTINCT file FROM annotations_image WHERE file <> ''")
        return {file for (file,) in found}


def rows() -> dict[str, int]:
    """Of the installation's own database."""
    return tried(_place())


def holds_data() -> bool:
    if not _place().exists():
        return False
    with closing(sqlite3.connect(_place())) as there:
        try:
            return bool(there.execute("SELECT 1 FROM annotations_study LIMIT 1").fetchone())
        except sqlite3.OperationalError:
            # No tables yet.
            return False


def put(dump: Path) -> None:
    place = _place()
    connection.close()
    for leftover in ("-wal", "-shm"):
        Path(f"{place}{leftover}").unlink(missing_ok=True)
    os.replace(dump, place)


def where() -> str:
    return f"The database at {_place()}"


def _place() -> Path:
    return Path(settings.DATABASES["default"]["NAME"])
