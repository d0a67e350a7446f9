"""How migrations carry the job tables of 0.2.0 over into the one table of jobs."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db import migrations

LEASE = ("holder", "leased_until", "tries", "reason")
TABLES = (
    *("annotations_deletion", "judges_weightcheck", "judges_selfcheck", "judges_anchorscoring"),
    *("judges_upload", "judges_delivery", "audit_making", "audit_webhookmessage"),
)


def carry_over(
    table: tuple[str, str],
    kind: str,
    *,
    same: Sequence[str] = (),
    payload: Sequence[str] = (),
    outcome: Sequence[str] = (),
    columns: Callable[[Any], dict[str, Any]] = lambda row: {},
    keep_id: bool = False,
) -> migrations.RunPython:
    """Each row as a job: its columns that keep their names, those that go into JSON, and the rest."""

    def move(apps: Any, editor: Any) -> None:
        jobs = apps.get_model("annotations", "Job").objects
        for row in apps.get_model(*table).objects.order_by("pk").iterator(chunk_size=100):
            values = {name: getattr(row, name) for name in (*LEASE, *same)}
            values["payload"] = {name: getattr(row, name) for name in payload}
            values["outcome"] = {name: getattr(row, name) for name in outcome}
            more = {"pk": row.pk} if keep_id and not jobs.filter(pk=row.pk).exists() else {}
            jobs.create(kind=kind, **values | columns(row) | more)

    return migrations.RunPython(move, migrations.RunPython.noop)


def begin_above_old_ids(apps: Any, editor: Any) -> None:
    """An address or a number that somebody still has never means another job."""
    connection = editor.connection
    there = set(connection.introspection.table_names())
    with connection.cursor() as cursor:
        last = 0
        for table in sorted(there.intersection(TABLES)):
            cursor.execute(f"SELECT max(id) FROM {table}")  # noqa: S608
            last = max(last, cursor.fetchone()[0] or 0)
        if not last:
            return
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence('annotations_job', 'id'), %s)", [last]
            )
        else:
            cursor.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES ('annotations_job', %s)", [last]
            )
