"""`manage.py migrate`: Django's own, but a migration is noted in the transaction that does it.

Django notes one that makes indexes after its commit. A process that was killed between the two left tables
that every later try wanted to make again.
"""

from typing import Any

from django.core.management.commands import migrate
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import ProjectState


class Executor(MigrationExecutor):
    def apply_migration(
        self,
        state: ProjectState,
        migration: Migration,
        fake: bool = False,
        fake_initial: bool = False,
    ) -> ProjectState:
        if fake or fake_initial or not migration.atomic:
            return super().apply_migration(state, migration, fake, fake_initial)
        if self.progress_callback:
            self.progress_callback("apply_start", migration, fake)
        with self.connection.schema_editor(atomic=True) as editor:
            state = migration.apply(state, editor)
            for statement in editor.deferred_sql:
                editor.execute(statement, None)
            editor.deferred_sql.clear()
            self.record_migration(migration)  # type: ignore[arg-type, call-arg]  # the stubs know an older one
        if self.progress_callback:
            self.progress_callback("apply_success", migration, fake)
        return state


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        # The command takes it from its own module.
        migrate.MigrationExecutor = Executor  # type: ignore[attr-defined]
        super().handle(*args, **options)
