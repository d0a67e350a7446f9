"""A process that kills itself with -9 at a chosen step: a statement, a commit, a file that gets its name.

`python -m tests.chaos.killed OPERATION STEP` (0: at none) prints how many steps there were. Its environment
names the database and the folder, as any process of an installation has them.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

MARK = "zebedee"
steps = 0
kill_at = 0


def step() -> None:
    global steps
    steps += 1
    if steps == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)


def count_steps() -> None:
    from django.db import connection

    def statement(execute: Callable, sql: str, params: Any, many: bool, context: Any) -> Any:
        step()
        return execute(sql, params, many, context)

    connection.execute_wrappers.append(statement)
    for owner, name in ((connection, "commit"), (os, "replace"), (os, "unlink")):
        _around(owner, name)


def _around(owner: Any, name: str) -> None:
    real = getattr(owner, name)

    def around(*given: Any, **more: Any) -> Any:
        step()
        done = real(*given, **more)
        step()
        return done

    setattr(owner, name, around)


def enforce() -> None:
    from django.core.management import call_command

    call_command("enforce", "bench", pipeline="builtin")


def retention() -> None:
    from annotations.studies import retention

    retention.carry_out_due()


def erase() -> None:
    from django.core.management import CommandError, call_command

    try:
        call_command("person", "erase", MARK)
    except CommandError as error:
        print(error, file=sys.stderr)


def restore() -> None:
    from django.core.management import CommandError, call_command

    try:
        call_command("restore", os.environ["BACKUP"])
    except CommandError as error:
        if "already holds data" not in str(error):
            raise


def upgrade() -> None:
    from django.core.management import call_command

    call_command("upgrade", no_backup=True)


def build() -> None:
    """A study with findings to repair, a person to erase, and a rule that is due."""
    from datetime import timedelta

    from django.core.management import call_command
    from django.utils import timezone

    from annotations.models import Retention, Study
    from annotations.studies import retention
    from audit.installation import backups
    from audit.models import Finding
    from audit.reports import make as reports
    from tests import making
    from tests.judges.self_checks.bench import bench

    call_command("migrate", verbosity=0)
    drawn = bench(4)
    making.person(drawn, "alice", role="owner")
    for image in drawn.images.select_related("prompt"):
        Finding.objects.create(
            study=drawn,
            image=image,
            judge="people",
            atom=0,
            wanted=image.prompt.atoms.first().text,
            found="no such thing",
            state="real",
        )
    labelled, closed = making.study("labelled", prompts=2), making.study("closed", prompts=2)
    for study in (labelled, closed):
        making.person(study, "alice", role="owner")
    member = making.person(labelled, MARK)
    member.user.email = f"{MARK}@example.org"
    member.user.save()
    making.label(member)
    for study in (labelled, closed):
        values = {image.key: {"ann": 1, f"{MARK} the rater": 0} for image in study.images.all()}
        making.labels(study, values)
        making.scores(study, {image.key: 0.5 for image in study.images.all()})
    reports.make_report(study=labelled)
    retention.set_rule(study=closed, rule=Retention.Rule.FORGET, days=1)
    past = timezone.now() - timedelta(days=9)
    Study.objects.filter(pk=closed.pk).update(status="closed")
    Retention.objects.update(closed_at=past, decided_at=past)
    backups.back_up(Path(os.environ["BACKUP"]))


def look() -> None:
    """What there is: rows of each table, answers, files, and where the name stands."""
    from django.apps import apps
    from django.conf import settings
    from django.db import connection

    from annotations.models import Answer
    from annotations.storage.folder import DRAFTS

    rows = {
        model._meta.db_table: model._base_manager.count()
        for model in apps.get_models(include_auto_created=True)
    }
    named: dict[str, int] = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608
            held = sum(MARK in str(row) for row in cursor.fetchall())
            if held:
                named[table] = held
    media = Path(settings.MEDIA_ROOT)
    # Half a file of the killed process is gone after a day.
    files = [path for path in media.rglob("*") if path.is_file() and path.parent.name != DRAFTS]
    answers = sorted(
        Answer.objects.values_list("annotation__image__key", "question", "value", "text"), key=str
    )
    print(json.dumps({"rows": rows, "named": named, "files": len(files), "answers": answers}))


OPERATIONS = {
    act.__name__: act for act in (enforce, retention, erase, restore, upgrade, build, look)
}


def main(operation: str, at: str = "0") -> None:
    global kill_at
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
    import django

    django.setup()
    kill_at = int(at)
    if operation not in ("build", "look"):
        count_steps()
    OPERATIONS[operation]()
    if operation not in ("build", "look"):
        print(steps)


if __name__ == "__main__":
    main(*sys.argv[1:])
