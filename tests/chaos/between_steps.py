"""Kills in the middle of what must be whole: repairs, retention, erasing, restoring, migrations.

    python -m tests.chaos.between_steps [--database sqlite|postgres] [--kills 12]

Each is killed with -9 at steps spread over the whole of it, begun again, and must end as it does undisturbed:
the same rows, answers and files, and nobody named who was taken out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from tests.needs import POSTGRES_URL

ROOT = Path(__file__).resolve().parents[2]
RELEASED = ROOT / "tests" / "released"
OPERATIONS = ("enforce", "retention", "erase", "restore", "upgrade")


class Installation:
    """A folder and a database of its own."""

    def __init__(self, kind: str, folder: Path, name: str = "", template: str = "") -> None:
        self.kind, self.folder = kind, folder
        self.name = name or f"killed_{uuid.uuid4().hex[:10]}"
        folder.mkdir(parents=True, exist_ok=True)
        if kind == "postgres":
            _on_server(f"CREATE DATABASE {self.name}" + (f" TEMPLATE {template}" * bool(template)))

    @property
    def url(self) -> str:
        if self.kind == "sqlite":
            return f"sqlite:///{self.folder / 'jurybox.sqlite3'}"
        return urlsplit(POSTGRES_URL)._replace(path=f"/{self.name}").geturl()

    def copy(self, folder: Path) -> Installation:
        shutil.copytree(self.folder, folder)
        return Installation(self.kind, folder, template=self.name)

    def run(self, operation: str, at: int = 0) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "tests.chaos.killed", operation, str(at)],
            cwd=ROOT,
            env={
                "PATH": os.environ["PATH"],
                "JURYBOX_VAR": str(self.folder),
                "DATABASE_URL": self.url,
                "SECRET_KEY": "k" * 64,
                "BACKUP": str(self.folder.parent / f"{self.kind}.tar"),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    def steps(self, operation: str) -> int:
        ended = self.run(operation)
        assert ended.returncode == 0, ended.stderr[-2000:]
        return int(ended.stdout.split()[-1])

    def look(self) -> dict:
        ended = self.run("look")
        assert ended.returncode == 0, ended.stderr[-2000:]
        return json.loads(ended.stdout)

    def load(self, file: Path) -> None:
        text = gzip.decompress(file.read_bytes()).decode()
        if self.kind == "sqlite":
            import sqlite3

            with sqlite3.connect(self.folder / "jurybox.sqlite3") as base:
                base.executescript(text)
            base.close()
            return
        command = ["psql", "--quiet", "--no-psqlrc", "--set=ON_ERROR_STOP=1", self.url]
        subprocess.run(command, input=text, text=True, check=True, capture_output=True)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if self.kind == "postgres":
            _on_server(f"DROP DATABASE IF EXISTS {self.name} WITH (FORCE)")


def _on_server(statement: str) -> None:
    import psycopg

    with psycopg.connect(POSTGRES_URL, autocommit=True) as link:
        link.execute(statement)


@contextmanager
def bases(kind: str, folder: Path) -> Iterator[dict[str, Installation]]:
    """What each operation begins with."""
    built = Installation(kind, folder / "built")
    empty = Installation(kind, folder / "empty")
    old = Installation(kind, folder / "old")
    try:
        ended = built.run("build")
        assert ended.returncode == 0, ended.stderr[-2000:]
        old.load(RELEASED / f"0.2.0.{'sqlite' if kind == 'sqlite' else 'postgresql'}.sql.gz")
        yield dict.fromkeys(("enforce", "retention", "erase"), built) | {
            "restore": empty,
            "upgrade": old,
        }
    finally:
        for one in (built, empty, old):
            one.remove()


def kills(kind: str, operation: str, base: Installation, folder: Path, wanted: int) -> list[str]:
    """What went wrong; nothing, where each ended as the undisturbed one did."""
    undisturbed = base.copy(folder / "undisturbed")
    try:
        steps, expected = undisturbed.steps(operation), undisturbed.look()
    finally:
        undisturbed.remove()
    wrong = []
    points = sorted({1 + number * (steps - 1) // max(1, wanted - 1) for number in range(wanted)})
    for at in points:
        trial = base.copy(folder / f"at-{at}")
        try:
            killed = trial.run(operation, at)
            if killed.returncode != -9:
                wrong.append(f"step {at}: not killed, {killed.stderr[-300:]}")
                continue
            ended = trial.run(operation)
            found = trial.look()
            if ended.returncode != 0:
                wrong.append(f"step {at}: {ended.stderr.strip().splitlines()[-1]}")
            wrong += [
                f"step {at}: {part} is {found[part]}, not {expected[part]}"[:600]
                for part in expected
                if found[part] != expected[part]
            ]
        finally:
            trial.remove()
    words = f"{kind:<9} {operation:<10} {len(points):>3} kills in {steps} steps"
    print(f"{words}: {'as undisturbed' if not wrong else 'WRONG'}", flush=True)
    for line in wrong:
        print(f"  {line}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", choices=["sqlite", "postgres"])
    parser.add_argument("--kills", type=int, default=12, help="of each operation")
    parser.add_argument("--operation", choices=OPERATIONS)
    given = parser.parse_args()
    wrong: list[str] = []
    for kind in [given.database] if given.database else ["sqlite", "postgres"]:
        with (
            tempfile.TemporaryDirectory(prefix="killed-") as place,
            bases(kind, Path(place)) as there,
        ):
            for operation in [given.operation] if given.operation else OPERATIONS:
                wrong += kills(kind, operation, there[operation], Path(place), given.kills)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
