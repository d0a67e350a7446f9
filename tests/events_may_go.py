"""Tests wipe their tables, which the trigger of events refuses: it is taken out of the tests' database,
and stands there again for the tests that are about it."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

from django.db import connection

migration = import_module("annotations.migrations.0007_an_event_goes_with_its_study")


def _editor() -> SimpleNamespace:
    def execute(statement: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(statement)

    return SimpleNamespace(connection=connection, execute=execute)


def take_the_trigger_out() -> None:
    migration.open_up(None, _editor())


def put_the_trigger_in() -> None:
    take_the_trigger_out()
    migration.protect(None, _editor())
