"""The small databases of each release, kept as SQL in this folder, which every later version brings
forward. `python -m tests.released.make` writes those of the version that it is run in."""

from __future__ import annotations

import gzip
import os
import re
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tests.needs import POSTGRES_URL
from tests.starts import run_program

HERE = Path(__file__).resolve().parent
KINDS = ("sqlite", "postgresql")
# Newer programs write these lines, which an older server does not know.
NOT_SQL = re.compile(r"^(\\(un)?restrict .*|SET transaction_timeout = .*)$", re.MULTILINE)


def kept(kind: str) -> list[Path]:
    return sorted(HERE.glob(f"*.{kind}.sql.gz"))


@contextmanager
def database(kind: str, folder: Path) -> Iterator[str]:
    """The address of an empty one, which is gone after."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'released.sqlite3'}"
        return
    name = f"jurybox_released_{os.getpid()}"
    with psycopg.connect(POSTGRES_URL, autocommit=True) as server:
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        server.execute(drop)
        server.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield urlsplit(POSTGRES_URL)._replace(path=f"/{name}").geturl()
        finally:
            server.execute(drop)


def fill(url: str, file: Path) -> None:
    execute(url, gzip.decompress(file.read_bytes()).decode())


def execute(url: str, text: str) -> None:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as there:
            there.executescript(text)
        return
    with psycopg.connect(url) as server:
        server.execute(text.encode())


def write(url: str, file: Path) -> None:
    if url.startswith("sqlite"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as there:
            text = "\n".join(there.iterdump())
    else:
        dump = ["pg_dump", "--inserts", "--no-owner", "--no-privileges", url]
        text = subprocess.run(dump, capture_output=True, text=True, check=True).stdout
        text = NOT_SQL.sub("", text)
    # Without the time of writing the same rows make the same file.
    file.write_bytes(gzip.compress(text.encode(), mtime=0))


def run(url: str, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A program on this database, with nothing else of this machine's installation: `python WORDS`."""
    name, *more = words[words[0] == "-m" :]
    how = "run_path" if name.endswith(".py") else "run_module"
    return run_program(
        f"import runpy, sys; sys.argv = {[name, *more]}; runpy.{how}({name!r}, run_name='__main__')",
        {
            "PATH": os.environ["PATH"],
            "JURYBOX_VAR": str(folder),
            "DATABASE_URL": url,
            "CELERY_BROKER_URL": "memory://",
            "SECRET_KEY": "the key under which the small databases of each release were made",
            "DJANGO_SETTINGS_MODULE": "audit.settings",
        },
    )
