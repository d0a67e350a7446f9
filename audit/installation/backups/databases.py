"""The kind of database that this installation uses, as a backup needs it."""

from __future__ import annotations

from types import ModuleType

from django.conf import settings
from django.db import connection

from annotations.errors import Refused
from audit.installation.backups import postgresql_database, sqlite_database

KINDS = {"sqlite": sqlite_database, "postgresql": postgresql_database}


def kind_here() -> str:
    if settings.MEDIA_BUCKET:
        raise Refused(
            "The images of this installation are in a bucket: back up the bucket and the database "
            "with their own tools."
        )
    return connection.vendor


def database(kind: str) -> ModuleType:
    if kind != connection.vendor:
        names = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
        raise Refused(
            f"This backup is of {names[kind]}, and this installation uses {names[connection.vendor]}: "
            "set DATABASE_URL to a database of the backup's kind."
        )
    return KINDS[kind]
