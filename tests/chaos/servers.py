"""Everything that can be killed: web, worker, broker and database, each started again when it dies.

What starts them again here is what does it in earnest: `restart: always` of a container, or
systemd. It ends what is left of the dead one first, as those do.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POSTGRES = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@dataclass
class Part:
    name: str
    command: list[str]
    environment: Mapping[str, str]
    log: Path
    user: str | None = None
    # The network namespace that it runs in; its own machine, as far as the network goes.
    namespace: str = ""
    starts: int = 0
    process: subprocess.Popen | None = None
    # While a fault lasts, it is not started again.
    held_down: bool = field(default=False)

    def start(self) -> None:
        words, user = self.command, self.user
        if self.namespace:
            # Entering it needs root; after that the process becomes whom it should be.
            become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
            words = ["ip", "netns", "exec", self.namespace, *(become if user else []), *words]
            user = None
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                words,
                cwd=ROOT,
                env=dict(self.environment),
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                user=user,
                group=user,
                extra_groups=[] if user else None,
            )
        self.starts += 1

    def kill_something(self, chance: random.Random) -> str:
        """The whole of it, or one of its children; kill -9 either way."""
        pids = [self.process.pid, *_children(self.process.pid)]
        victim = chance.choice(pids)
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        return self.name if victim == self.process.pid else f"{self.name}, a child"

    def sweep(self) -> None:
        if self.process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    @property
    def is_dead(self) -> bool:
        return self.process is not None and self.process.poll() is not None


class Supervisor:
    """Starts a dead part again, every tenth of a second, until it is told to stop."""

    def __init__(self, parts: list[Part]) -> None:
        self.parts = parts
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Supervisor:
        for part in self.parts:
            part.start()
        self._thread.start()
        return self

    def __exit__(self, *_) -> None:
        self._over.set()
        self._thread.join()
        for part in reversed(self.parts):
            part.sweep()

    def _watch(self) -> None:
        while not self._over.wait(0.1):
            for part in self.parts:
                if part.is_dead and not part.held_down:
                    part.sweep()
                    part.start()


def redis(folder: Path, port: int, *bind: str) -> Part:
    """It keeps nothing on disk: what it held is gone with it."""
    program = shutil.which("redis-server")
    if program is None:
        raise SystemExit("There is no redis-server here; install it, the chaos kills one.")
    place = folder / "redis"
    place.mkdir()
    words = [program, "--port", str(port), "--save", "", "--appendonly", "no", "--dir", str(place)]
    if bind:
        words += ["--bind", *bind, "--protected-mode", "no"]
    return Part("broker", words, os.environ, folder / "redis.log")


def postgres(folder: Path, port: int, *, network: str = "") -> Part:
    """A cluster of its own: nobody else's database is ever killed."""
    if not POSTGRES:
        raise SystemExit("There is no PostgreSQL server here; install it, the chaos kills one.")
    user = "postgres" if os.geteuid() == 0 else None
    place = folder / "postgres"
    place.mkdir(mode=0o700)
    folder.chmod(0o755)
    if user:
        shutil.chown(place, user, user)
    subprocess.run(
        [POSTGRES[-1] / "initdb", "--auth=trust", "--username=postgres", "-D", place],
        check=True,
        capture_output=True,
        user=user,
        cwd="/",
    )
    if network:
        with (place / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {network} trust\n")
    words = [
        *(str(POSTGRES[-1] / "postgres"), "-D", str(place), "-p", str(port)),
        *(
            "-c",
            f"listen_addresses={'*' if network else '127.0.0.1'}",
            "-c",
            f"unix_socket_directories={place}",
        ),
    ]
    return Part("database", words, os.environ, folder / "postgres.log", user)


def web(environment: Mapping[str, str], folder: Path, port: int) -> Part:
    words = [
        *(sys.executable, "manage.py", "serve", "--port", str(port)),
        *("--processes", "2", "--threads", "4"),
    ]
    return Part("web", words, environment, folder / "web.log")


def worker(environment: Mapping[str, str], folder: Path) -> Part:
    words = [
        *(sys.executable, "-W", "ignore", "-m", "celery", "--app", "audit", "--quiet", "worker"),
        *("--queues", "jurybox,judges", "--concurrency", "2"),
        *("--without-gossip", "--without-mingle", "--loglevel", "ERROR"),
    ]
    return Part("worker", words, environment, folder / "worker.log")


def seconds_until(true: Callable[[], bool], limit: float) -> float | None:
    began = time.monotonic()
    while time.monotonic() - began < limit:
        if true():
            return time.monotonic() - began
        time.sleep(0.05)
    return None


def _children(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
