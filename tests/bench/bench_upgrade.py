"""From the first version of the tables to the newest: `make bench-upgrade`.

A database of the first migration of each app is filled with answers by SQL, ten people to an image
and two questions to a person; then a process of its own migrates it, and its time, its processor
time and its peak memory are measured (of PostgreSQL's own processes nothing but the time). Whatever
the size, no row may be lost, and the newest code must read the answers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from urllib.parse import urlsplit, urlunsplit

from tests.needs import POSTGRES_URL, answers

DATABASE = "jurybox_upgrade"
FIRST = (
    ("annotations", "0001_studies_people_labels"),
    ("judges", "0001_judges_runs_scores"),
    ("audit", "0001_reports"),
)
PEOPLE, QUESTIONS, GENERATORS = 10, ("aligned", "quality"), 5
COUNTED = ("Study", "Image", "Membership", "Annotation", "Answer", "Assignment")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--fill", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.fill:
        fill(given.answers)
        return
    print(f"{given.answers:,} answers", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        measure("SQLite", f"sqlite:///{folder}/upgrade.sqlite3", folder, given.answers)
        if answers(POSTGRES_URL):
            url = fresh_database()
            try:
                measure("PostgreSQL", url, folder, given.answers)
            finally:
                ask(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        else:
            print(f"PostgreSQL: left out, none answers at {POSTGRES_URL}.")


def measure(name: str, url: str, folder: str, answers: int) -> None:
    environment = {**os.environ, "DATABASE_URL": url, "JURYBOX_VAR": folder}
    fill = [sys.executable, "-m", "tests.bench.bench_upgrade", "--fill", "--answers", str(answers)]
    before = subprocess.run(fill, env=environment, check=True, capture_output=True, text=True)
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "manage.py", "migrate", "-v", "0"], env=environment
    ) as p:
        _, status, used = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    took = time.monotonic() - began
    if p.returncode:
        raise SystemExit(f"{name}: the migration failed.")
    after = subprocess.run(
        [sys.executable, "manage.py", "shell", "-v", "0", "-c", READ],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    same = before.stdout == after.stdout
    cpu = used.ru_utime + used.ru_stime
    print(
        f"{name:<11} {took:7.1f} s  {cpu:6.1f} s of processor time  peak "
        f"{used.ru_maxrss / 1024:5.0f} MB  rows before and after: {'the same' if same else 'OTHER'}",
        flush=True,
    )
    if not same:
        raise SystemExit(f"before: {before.stdout}after: {after.stdout}")


READ = (
    "from django.apps import apps\n"
    "for name in ('Study', 'Image', 'Membership', 'Annotation', 'Answer', 'Assignment'):\n"
    "    print(name, apps.get_model('annotations', name).objects.count())\n"
    "one = apps.get_model('annotations', 'Answer').objects.latest('pk')\n"
    "print(one.annotation.annotator.name, one.question, one.value)\n"
)


def fresh_database() -> str:
    ask(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
    ask(f"CREATE DATABASE {DATABASE}")
    return urlunsplit(urlsplit(POSTGRES_URL)._replace(path=f"/{DATABASE}"))


def ask(sql: str) -> None:
    import psycopg

    with psycopg.connect(POSTGRES_URL, autocommit=True) as connection:
        connection.execute(sql)


def fill(wanted: int) -> None:
    """The tables as they were at first, filled by SQL alone: today's code cannot write them."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "audit.settings"
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    for app in ("contenttypes", "auth", "sessions", "admin", "authtoken"):
        call_command("migrate", app, verbosity=0)
    MigrationExecutor(connection).migrate(list(FIRST))
    tables = MigrationExecutor(connection).loader.project_state(list(FIRST)).apps
    for name, rows, columns in contents(wanted, connection.vendor):
        insert(connection, tables.get_model("annotations", name), rows, columns)
    with connection.cursor() as cursor:
        for name in COUNTED:
            table = tables.get_model("annotations", name)._meta.db_table
            cursor.execute(f"SELECT count(*) FROM {table}")  # noqa: S608
            print(name, cursor.fetchone()[0])
    print(f"person {PEOPLE - 1}", QUESTIONS[-1], 1.0)


def contents(wanted: int, vendor: str) -> list[tuple[str, int, dict[str, str]]]:
    """(table, rows, column -> SQL over the row's number i); what is not named is empty."""
    images = -(-wanted // (PEOPLE * len(QUESTIONS)))
    prompts = -(-images // GENERATORS)
    uuid = "lpad(to_hex(i), 32, '0')::uuid" if vendor == "postgresql" else "printf('%032x', i)"
    answers = len(QUESTIONS)
    pair = {"study_id": "1", "image_id": f"i / {PEOPLE} + 1", "annotator_id": f"i % {PEOPLE} + 1"}
    question = " ".join(f"WHEN {n} THEN '{name}'" for n, name in enumerate(QUESTIONS))
    return [
        ("FormVersion", 1, {"slug": "'audit'", "version": "1", "digest": "'x'"}),
        ("Study", 1, {"slug": "'upgraded'", "form_id": "1", "overlap": str(PEOPLE)}
         | {"lease_minutes": "10", "status": "'open'"}),
        ("Generator", GENERATORS, {"study_id": "1", "name": "'generator ' || i"}),
        ("Prompt", prompts, {"study_id": "1", "key": "'p' || i", "text": "'a prompt ' || i"}),
        ("Image", images, {"study_id": "1", "key": "'i' || i", "public_id": "'p' || i"}
         | {"prompt_id": f"i / {GENERATORS} + 1", "generator_id": f"i % {GENERATORS} + 1"}
         | {"variant": "'original'", "taken": str(PEOPLE)}),
        ("Membership", PEOPLE, {"study_id": "1", "name": "'person ' || i"}
         | {"role": "'annotator'"}),
        ("Assignment", images * PEOPLE, pair | {"state": "'answered'"}),
        ("Annotation", images * PEOPLE, pair | {"form_id": "1", "state": "'counted'"}
         | {"submission": uuid, "revision": "1", "seconds": "i % 60"}),
        ("Answer", images * PEOPLE * answers, {"annotation_id": f"i / {answers} + 1"}
         | {"question": f"CASE i % {answers} {question} END", "value": "1"}),
    ]  # fmt: skip


def insert(connection, model, rows: int, columns: dict[str, str]) -> None:
    fields = {field.column: field for field in model._meta.concrete_fields if not field.primary_key}
    unknown = columns.keys() - fields.keys()
    if unknown:
        raise SystemExit(f"{model.__name__} had no {', '.join(sorted(unknown))} at first.")
    values = [columns.get(name) or empty(field) for name, field in fields.items()]
    names = ", ".join(f'"{name}"' for name in fields)
    sql = (
        f"INSERT INTO {model._meta.db_table} ({names}) "  # noqa: S608
        "WITH RECURSIVE number(i) AS "
        f"(SELECT 0 UNION ALL SELECT i + 1 FROM number WHERE i + 1 < {rows}) "
        f"SELECT {', '.join(values)} FROM number ORDER BY i"
    )
    with connection.cursor() as cursor:
        cursor.execute(sql)


def empty(field) -> str:
    if field.null:
        return "NULL"
    kind = field.get_internal_type()
    if kind == "DateTimeField":
        return "CURRENT_TIMESTAMP"
    if kind == "JSONField":
        return "'[]'" if field.get_default() == [] else "'{}'"
    if kind == "BooleanField":
        return "FALSE"
    return "''" if kind in {"CharField", "TextField", "SlugField", "URLField"} else "0"


if __name__ == "__main__":
    main()
