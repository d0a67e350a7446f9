"""One command brings an installation to its version, step by step, and stops at the first that fails."""

from __future__ import annotations

import json
import re
import sqlite3
import tarfile
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from urllib.parse import urlsplit

import pytest
from django.core import management
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection

from audit.installation import backups, health, tables, upgrade
from jurybox.command import main
from tests import needs, ready_database
from tests.audit.test_settings import KEY, start

UPGRADE = "from django.core.management import call_command as c; "
DO = UPGRADE + "c('upgrade');"
PUBLIC = {"ALLOWED_HOSTS": "jury.example", "SECRET_KEY": KEY, "TRUSTED_PROXIES": "127.0.0.1"}


def lines(ended) -> dict[str, str]:
    assert ended.returncode == 0, ended.stderr
    rows = (line.split("  ", 1) for line in ended.stdout.splitlines())
    return {name.strip(): words.strip() for name, words in rows}


def test_a_first_installation_takes_the_same_command_and_a_second_time_changes_nothing(tmp_path):
    first = lines(start(tmp_path, DO))
    assert list(first) == ["database", "backup", "tables", "static files", "health"]
    assert first["backup"] == "Nothing to save yet."
    assert first["tables"].endswith("migrations applied.")
    assert first["static files"].endswith("nothing to collect.")
    assert first["health"] == "database, migrations, images, static files: well."
    again = lines(start(tmp_path, DO))
    assert again["backup"] == "Not needed: the tables stay as they are."
    assert again["tables"] == "Up to date."
    assert not (tmp_path / "backups").exists()
    ready_database.copy_sqlite(tmp_path / "copy.sqlite3")
    assert content(tmp_path / "copy.sqlite3") == content(tmp_path / "jurybox.sqlite3")


def content(file) -> list[str]:
    """Its tables, and what migrations write, but the time at which they did."""
    with closing(sqlite3.connect(file)) as database:
        return [re.sub(r"'[\d-]+ [\d:.]+'", "", line) for line in database.iterdump()]


@pytest.mark.nightly("the same with a database of a release: released/test_forward.py")
@pytest.mark.parametrize("flags", ["", "no_backup=True"])
def test_the_tables_are_saved_before_they_change_unless_there_is_a_backup(tmp_path, flags):
    half = UPGRADE + "c('migrate', 'annotations', '0001', verbosity=0);"
    told = lines(start(tmp_path, f"{half} c('upgrade', {flags});"))
    assert told["tables"].endswith("migrations applied.")
    kept = list((tmp_path / "backups").glob("before-*.tar"))
    if flags:
        assert "backup" not in told
        assert kept == []
    else:
        assert told["backup"].startswith("Saved 0 annotations, 0 images")
        (file,) = kept
        assert str(file) in told["backup"]
        with tarfile.open(file) as tar:
            assert backups.NOTE in tar.getnames()


def test_where_pages_have_hashed_files_those_of_another_version_are_replaced(tmp_path):
    ready_database.copy_sqlite(tmp_path / "jurybox.sqlite3")
    first = lines(start(tmp_path, DO, **PUBLIC))
    assert first["static files"] == "Collected."
    copy, manifest = tmp_path / "static" / "base.css", tmp_path / "static" / "staticfiles.json"
    right = copy.read_bytes()
    paths = json.loads(manifest.read_text())["paths"]
    # Newer than the source, as after an older image has run: `collectstatic` alone would keep it.
    copy.write_text("/* of another version */")
    manifest.write_text(json.dumps({"version": "1.1", "paths": {"base.css": "base.1234.css"}}))
    again = lines(start(tmp_path, DO, **PUBLIC))
    assert again["static files"].startswith("Collected; ")
    assert copy.read_bytes() == right
    assert json.loads(manifest.read_text())["paths"] == paths


def note(*applied: tuple[str, str]) -> None:
    with connection.cursor() as cursor:
        for app, name in applied:
            cursor.execute(
                "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s)",
                [app, name, "2026-11-20 12:00:00+00:00"],
            )


@pytest.mark.django_db
@pytest.mark.parametrize("command", ["upgrade", "migrate"])
def test_a_database_from_before_the_first_release_is_refused_with_what_to_do(command):
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE app IN ('annotations', 'judges', 'audit')"
        )
    note(
        ("annotations", "0001_studies_people_labels"),
        ("judges", "0001_judges_runs_scores"),
        ("audit", "0001_reports"),
    )
    with pytest.raises(CommandError, match="from before version 0.2.0") as refused:
        call_command(command, verbosity=0)
    assert "export_study STUDY FOLDER --images" in str(refused.value)
    assert "import_study STUDY --format tidy FOLDER" in str(refused.value)
    assert refused.value.returncode == 1
    assert health.migrations().state == "broken"


@pytest.mark.django_db
def test_a_database_of_a_newer_version_is_refused():
    note(("annotations", "0999_of_tomorrow"))
    with pytest.raises(CommandError, match="from a newer version"):
        call_command("upgrade")


@pytest.mark.django_db
def test_this_database_is_of_this_version():
    assert tables.are_there()
    assert tables.pending() == []
    assert tables.refusal() == ""


@pytest.fixture
def done(monkeypatch, settings, tmp_path):
    """What the steps did, none of which does anything here."""
    settings.VAR_DIR = tmp_path
    found: list[str] = []
    monkeypatch.setattr(tables, "pending", lambda: ["audit.0002"])
    monkeypatch.setattr(upgrade, "call_command", lambda name, **options: found.append(name))
    monkeypatch.setattr(upgrade.static_files, "are_hashed", lambda: True)
    monkeypatch.setattr(upgrade.static_files, "collect", lambda: found.append("collect"))
    return found


@pytest.mark.django_db
def test_without_the_backup_nothing_is_changed(done, monkeypatch):
    def full(file):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backups, "back_up", full)
    with pytest.raises(CommandError, match="stopped at backup: .*No space left.*Nothing after"):
        call_command("upgrade")
    assert done == []


@pytest.mark.django_db
def test_pictures_in_a_bucket_are_backed_up_by_its_own_tools_and_the_way_on_is_named(
    done, settings
):
    settings.MEDIA_BUCKET = {"bucket_name": "pictures"}
    with pytest.raises(CommandError, match="own tools.*`--no-backup`"):
        call_command("upgrade")
    assert done == []


@pytest.mark.django_db
def test_a_migration_that_fails_is_a_sentence_and_no_file_is_collected(done, monkeypatch):
    def fails(name, **options):
        raise DatabaseError("disk I/O error")

    monkeypatch.setattr(upgrade, "call_command", fails)
    with pytest.raises(CommandError, match="stopped at tables: DatabaseError: disk I/O error. No"):
        call_command("upgrade", no_backup=True)
    assert done == []


@pytest.mark.django_db
def test_what_is_broken_at_the_end_is_the_last_step_that_fails(done):
    with pytest.raises(CommandError, match="stopped at health: migrations: 1 migrations"):
        call_command("upgrade", no_backup=True)
    assert done == ["migrate", "collect"]


def test_a_database_that_does_not_answer_is_said_in_words(tmp_path):
    nobody = "postgres://postgres@127.0.0.1:1/none"
    ended = start(
        tmp_path,
        "from django.core.management import execute_from_command_line as run; run(['m', 'upgrade'])",
        DATABASE_URL=nobody,
    )
    assert ended.returncode == 1
    assert "stopped at database: The database does not answer" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.nightly("five processes; Django makes them after each migration")
def test_permissions_that_a_killed_upgrade_left_out_come_with_the_next(tmp_path):
    count = "from django.contrib.auth.models import Permission as P; print(P.objects.count());"
    lines(start(tmp_path, DO))
    before = start(tmp_path, count).stdout
    start(tmp_path, count + "P.objects.filter(codename__endswith='job').delete();")
    assert start(tmp_path, count).stdout != before
    assert lines(start(tmp_path, DO))["tables"] == "Up to date."
    assert start(tmp_path, count).stdout == before


def test_tables_are_changed_by_one_at_a_time(monkeypatch):
    held, seen = [], []

    @contextmanager
    def alone(name, **more):
        held.append(name)
        yield
        held.remove(name)

    monkeypatch.setattr(upgrade.locks, "hold_alone", alone)
    for step in ("_look_at_database", "_migrate", "_collect", "_check"):
        monkeypatch.setattr(upgrade, step, lambda step=step: seen.append((step, *held)) or "")
    list(upgrade.steps(backup=False))
    assert seen == [
        ("_look_at_database",),
        *((step, "upgrade") for step in ("_migrate", "_collect", "_check")),
    ]
    assert held == []


@contextmanager
def empty_database(tmp_path, vendor):
    """The address of one of the test's own."""
    if vendor == "sqlite":
        yield f"sqlite:///{tmp_path / 'own.sqlite3'}"
        return
    import psycopg

    url, name = needs.postgres(), f"upgrade_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(url, autocommit=True) as link:
        link.execute(f"CREATE DATABASE {name}")
        try:
            yield urlsplit(url)._replace(path=f"/{name}").geturl()
        finally:
            link.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.mark.nightly(
    "two processes that make all tables; the test above sees what is held meanwhile"
)
@pytest.mark.parametrize("vendor", ["sqlite", "postgresql"])
def test_of_two_upgrades_at_once_one_makes_the_tables_and_both_end_well(tmp_path, vendor):
    with empty_database(tmp_path, vendor) as url, ThreadPoolExecutor(2) as both:
        code = UPGRADE + "c('upgrade', '--no-backup');"
        folders = [tmp_path / "one", tmp_path / "two"]
        ended = list(both.map(lambda folder: start(folder, code, DATABASE_URL=url), folders))
    told = sorted(lines(one)["tables"] for one in ended)
    assert told[0].endswith("migrations applied.") and told[1] == "Up to date.", told


@pytest.mark.django_db
def test_whatever_fails_on_a_newer_database_is_a_sentence_and_exit_status_2(monkeypatch, capsys):
    def fails(arguments):
        raise DatabaseError("no such column: annotations_study.colour")

    monkeypatch.setattr(management, "execute_from_command_line", fails)
    with pytest.raises(DatabaseError):
        main(["study"])
    note(("annotations", "0999_of_tomorrow"))
    with pytest.raises(SystemExit) as ended:
        main(["study"])
    assert ended.value.code == 2
    words = capsys.readouterr().err
    assert "from a newer version of Jurybox. Install that version" in words
    assert "Traceback" not in words
