"""The database that tests begin with; `test_upgrade.py` compares a copy with one that was migrated."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.db.migrations.loader import MigrationLoader

from tests import making, ready_database
from tests.starts import ROOT


def test_a_migration_or_a_model_that_changes_makes_another_one():
    files = set(ready_database.list_files())
    loader = MigrationLoader(None)
    modules = {*loader.disk_migrations.values(), *apps.get_models(include_auto_created=True)}
    named = {ROOT / Path(*one.__module__.split(".")).with_suffix(".py") for one in modules}
    own = {file for file in named if file.exists()}
    assert len(own) > 40
    assert own - files == set()


@pytest.mark.django_db(transaction=True)
def test_after_a_test_that_commits_there_is_what_migrations_write_and_nothing_else():
    written = (ContentType.objects.count(), Permission.objects.count())
    making.person(making.study(), "bob")
    ready_database.empty_tables()
    rows = {
        model: model._base_manager.count() for model in apps.get_models(include_auto_created=True)
    }
    filled = {model: count for model, count in rows.items() if count}
    assert filled == dict(zip((ContentType, Permission), written, strict=True))
    assert all(written)
