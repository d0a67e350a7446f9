"""A migration and the note that it was done are one transaction."""

from __future__ import annotations

import pytest
from django.db import connection, migrations, models
from django.db.migrations.state import ProjectState

from audit.management.commands.migrate import Executor

THING = migrations.CreateModel(
    "Thing",
    fields=[("id", models.AutoField(primary_key=True)), ("name", models.TextField(db_index=True))],
)


@pytest.mark.django_db(transaction=True)
def test_a_migration_that_makes_an_index_is_noted_before_its_commit():
    class Makes(migrations.Migration):
        operations = [THING]

    noted = []
    executor = Executor(connection)
    executor.record_migration = lambda done: noted.append((done.name, connection.in_atomic_block))
    try:
        executor.apply_migration(ProjectState(), Makes("0001_thing", "annotations"))
        with connection.cursor() as cursor:
            made = connection.introspection.get_constraints(cursor, "annotations_thing")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TABLE annotations_thing")
    assert noted == [("0001_thing", True)]
    assert any(one["index"] for one in made.values())
