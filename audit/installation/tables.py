"""Which version the tables of this database have."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig
from django.core.management import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models.signals import pre_migrate

APPS = {"annotations", "judges", "audit"}
# What every database since 0.2.0 has.
FIRST = ("annotations", "0001_initial")


def are_there() -> bool:
    return "annotations_study" in connection.introspection.table_names()


def pending() -> list[str]:
    """The migrations that have not been applied."""
    executor = MigrationExecutor(connection)
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [f"{step.app_label}.{step.name}" for step, _ in plan]


def refusal() -> str:
    """Why this version cannot work with this database, if it cannot."""
    loader = MigrationExecutor(connection).loader
    applied = {key for key in loader.applied_migrations if key[0] in APPS}
    if applied and FIRST not in applied:
        return (
            "This database is from before version 0.2.0, and cannot be migrated. With the version that "
            "made it, write each study out (`manage.py export_study STUDY FOLDER --images`). Then give this "
            "version a new database and import them (`manage.py import_study STUDY --format tidy FOLDER`)."
        )
    if applied - set(loader.disk_migrations):
        return (
            "This database is from a newer version of Jurybox. Install that version, or restore the "
            "backup from before it."
        )
    return ""


def listen(app: AppConfig) -> None:
    pre_migrate.connect(_refuse, sender=app, dispatch_uid="audit.installation.tables")


def _refuse(**kwargs: Any) -> None:
    """Whoever migrates by Django's own command."""
    if words := refusal():
        raise CommandError(words)
