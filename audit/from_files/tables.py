"""The tables of a database that is there for one report."""

from __future__ import annotations

from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.test.utils import override_settings


def make_tables() -> None:
    """At once, not by their history; a database that has tables keeps them."""
    if connection.introspection.table_names():
        return
    none = {app.label: None for app in apps.get_app_configs()}
    with override_settings(MIGRATION_MODULES=none):
        call_command("migrate", run_syncdb=True, verbosity=0, interactive=False)
