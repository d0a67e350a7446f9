"""The tables of a database that is there for one report."""

from __future__ import annotations

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import connection


def make_tables() -> None:
    """At once, not by their history; a database that has tables keeps them."""
    if connection.introspection.table_names():
        return
    usual = settings.MIGRATION_MODULES
    settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
    try:
        call_command("migrate", run_syncdb=True, verbosity=0, interactive=False)
    finally:
        settings.MIGRATION_MODULES = usual
