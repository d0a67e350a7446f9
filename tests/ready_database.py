"""A database with all tables, made once and copied by each process and each start that needs one.

All migrations take five seconds of processor. What they leave is kept under a name made of everything
that they rest on: where that changes, another one is made. Whoever takes a copy may migrate it, as a
later version does to an installation: nothing is left to do.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

from django.db import connection, transaction

from tests.starts import ROOT, run_program

KEPT_IN = ROOT / ".pytest_cache" / "ready_database"
RESTS_ON = (
    *("*/migrations/*.py", "*/models.py", "*/models/*.py", "annotations/database/*.py"),
    *("annotations/random_keys.py", "audit/settings.py", "requirements-core.lock"),
)
MIGRATE = (
    "import django; django.setup(); from django.core.management import call_command;"
    "call_command('migrate', verbosity=0)"
)
WRITTEN_BY_MIGRATIONS = {"auth_permission", "django_content_type", "django_migrations"}


def list_files() -> list[Path]:
    """All that say what tables there are, and what is in them at first."""
    return sorted(path for pattern in RESTS_ON for path in ROOT.glob(pattern))


@cache
def name_of_state() -> str:
    digest = sha256()
    for path in list_files():
        digest.update(f"{path.relative_to(ROOT)}\n".encode())
        digest.update(path.read_bytes())
    return f"ready_{digest.hexdigest()[:16]}"


def copy_sqlite(to: Path | str) -> None:
    """A file as `manage.py migrate` leaves it."""
    KEPT_IN.mkdir(parents=True, exist_ok=True)
    with (KEPT_IN / "lock").open("w") as line:
        fcntl.flock(line, fcntl.LOCK_EX)
        kept = KEPT_IN / f"{name_of_state()}.sqlite3"
        if not kept.exists():
            for earlier in KEPT_IN.glob("*.sqlite3"):
                earlier.unlink()
            _make_sqlite(kept)
        shutil.copyfile(kept, to)


def _make_sqlite(kept: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "jurybox.sqlite3"
        _migrate(f"sqlite:///{made}", folder)
        # What is in a log beside it would be lost.
        assert not Path(f"{made}-wal").exists()
        # Whole or not at all.
        shutil.move(made, f"{kept}.new")
        os.replace(f"{kept}.new", kept)


@contextmanager
def postgres_template() -> Iterator[str]:
    """The name of a database of this server that others are made from, while nobody else makes one."""
    name = f"jurybox_{name_of_state()}"
    with connection.creation._nodb_cursor() as server:
        server.execute("SELECT pg_advisory_lock(hashtext('jurybox_ready'))")
        server.execute(r"SELECT datname FROM pg_database WHERE datname LIKE 'jurybox\_ready\_%'")
        there = {row[0] for row in server.fetchall()}
        if name not in there:
            for earlier in there:
                server.execute(f'DROP DATABASE IF EXISTS "{earlier}" WITH (FORCE)')
            server.execute(f'CREATE DATABASE "{name}_new"')
            with tempfile.TemporaryDirectory() as folder:
                _migrate(_postgres_url(f"{name}_new"), folder)
            server.execute(f'ALTER DATABASE "{name}_new" RENAME TO "{name}"')
        yield name


def _postgres_url(name: str) -> str:
    """Of another database on the server of this one."""
    return urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}").geturl()


def _migrate(url: str, folder: str) -> None:
    ended = run_program(
        MIGRATE,
        {
            "PATH": os.environ["PATH"],
            "JURYBOX_VAR": folder,
            "DATABASE_URL": url,
            "DJANGO_SETTINGS_MODULE": "audit.settings",
        },
    )
    assert ended.returncode == 0, ended.stderr


def begin_with_copy() -> None:
    """Django's own making of the tests' database, which then finds all migrations done."""
    create = connection.creation._create_test_db

    def copied(*given, **more) -> str:
        if connection.vendor == "sqlite":
            name = create(*given, **more)
            copy_sqlite(name)
            return name
        with postgres_template() as template:
            connection.settings_dict["TEST"]["TEMPLATE"] = template
            return create(*given, **more)

    connection.creation._create_test_db = copied


def empty_tables() -> None:
    """After a test that commits. `flush` empties all seventy tables, which takes PostgreSQL up to a second,
    and then writes again what migrations had written."""
    names = set(
        connection.introspection.django_table_names(only_existing=True, include_views=False)
    )
    quoted = [connection.ops.quote_name(name) for name in sorted(names - WRITTEN_BY_MIGRATIONS)]
    with transaction.atomic(), connection.cursor() as cursor:
        looks = (f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM {name})" for name in quoted)  # noqa: S608
        cursor.execute(" UNION ALL ".join(looks))
        for (name,) in cursor.fetchall():
            cursor.execute(f"DELETE FROM {name}")  # noqa: S608
