"""A throw-away installation on this machine: a database, a study, and the web server of the demo."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import psycopg

from tests.needs import POSTGRES_URL
from tests.waiting import reserve_port, wait_until

ROOT = Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


class Installation:
    """`with Installation("sqlite", images=1000, …) as there:` – and nothing is left of it after."""

    def __init__(self, database: str, settings: dict[str, str] | None = None, **study) -> None:
        self.database = database
        self.settings = settings or {}
        self.study = study
        self.web: dict[int, float] = {}
        self.base: dict[int, float] = {}

    def __enter__(self) -> Installation:
        self.folder = Path(tempfile.mkdtemp(prefix="jurybox-bench-"))
        self.name = f"jurybox_bench_{os.getpid()}_{self.folder.name[-6:].lower()}"
        url = f"sqlite:///{self.folder / 'bench.sqlite3'}"
        if self.database == "postgres":
            _on_postgres(f'CREATE DATABASE "{self.name}"')
            url = self.database_url()
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "JURYBOX_VAR": str(self.folder),
            "CELERY_BROKER_URL": "memory://",
            "DJANGO_SETTINGS_MODULE": "audit.settings",
            **self.settings,
        }
        self.server = None
        try:
            made = self.run("make", json.dumps(self.study))
            self.cookies: list[str] = made["cookies"]
            self.serve()
        except BaseException:
            self.__exit__()
            raise
        return self

    def database_url(self) -> str:
        return urlsplit(POSTGRES_URL)._replace(path=f"/{self.name}").geturl()

    def __exit__(self, *_) -> None:
        if self.server is not None:
            self.server.terminate()
            try:
                self.server.wait(timeout=20)
            except subprocess.TimeoutExpired:
                self.server.kill()
                self.server.wait()
        if self.database == "postgres":
            _on_postgres(f'DROP DATABASE IF EXISTS "{self.name}" WITH (FORCE)')
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *words: str) -> dict:
        command = [sys.executable, "-m", "tests.bench.labelling_study", *words]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=900
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)

    def manage(self, *words: str) -> subprocess.CompletedProcess:
        command = [sys.executable, "manage.py", *words]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, timeout=900
        )

    def processes(self) -> list[int]:
        """The web processes that live now."""
        return children_of(self.server.pid)

    def cpu(self) -> tuple[float, float]:
        """Seconds of processor time so far: of the web server, and of the database's own processes."""
        for pid in (self.server.pid, *children_of(self.server.pid)):
            self.web[pid] = max(_cpu(pid), self.web.get(pid, 0.0))
        # Its processes come and go with the connections: what each had when last seen counts.
        for pid in _backends(self.name) if self.database == "postgres" else ():
            self.base[pid] = max(_cpu(pid), self.base.get(pid, 0.0))
        return sum(self.web.values()), sum(self.base.values())

    def serve(self) -> None:
        self.port = reserve_port()
        # As `manage.py demo` starts it.
        self.server = subprocess.Popen(
            [
                *(sys.executable, "manage.py", "serve", "--port", str(self.port)),
                *("--processes", "2", "--threads", "4"),
            ],
            cwd=ROOT,
            env=self.environment,
        )
        wait_until(self.answers, "the web server's first answer")

    def answers(self) -> bool:
        assert self.server.poll() is None, "the web server ended"
        try:
            with urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=5):
                return True
        except OSError:
            return False


def _cpu(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICKS


def children_of(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _backends(database: str) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (
                database in (folder / "cmdline").read_text()
                and "postgres:" in (folder / "cmdline").read_text()
            ):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def _on_postgres(statement: str) -> None:
    with psycopg.connect(POSTGRES_URL, autocommit=True) as connection:
        connection.execute(statement)
