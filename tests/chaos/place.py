"""A whole installation of its own: database, broker, web server and worker, under a supervisor."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.request import urlopen

from tests.bench.sizes import sized
from tests.chaos import servers
from tests.chaos.crowd import Patient
from tests.waiting import reserve_port


class Place:
    """`with Place("sqlite", people=8, …) as place:` – and nothing is left of it after."""

    def __init__(self, database: str, *, people: int, prompts: int, seed: int) -> None:
        self.database = database
        self.plan = {
            "prompts": prompts,
            "generators": 6,
            "people": people,
            "overlap": max(people - 2, 1),
            "seed": seed,
        }

    def __enter__(self) -> Place:
        self.folder = Path(tempfile.mkdtemp(prefix="jurybox-chaos-"))
        self._left = contextlib.ExitStack()
        self._left.callback(shutil.rmtree, self.folder, ignore_errors=True)
        try:
            self._start()
        except BaseException:
            self._left.close()
            raise
        return self

    def __exit__(self, *_) -> None:
        self._left.close()

    def _start(self) -> None:
        self.port, redis_port, base_port = (reserve_port() for _ in range(3))
        var = self.folder / "var"
        var.mkdir()
        self.prepare(var)
        url, base = f"sqlite:///{var / 'chaos.sqlite3'}", []
        if self.database == "postgres":
            url = f"postgres://postgres@{self.address('base')}:{base_port}/postgres"
            base = [self.settled(servers.postgres(self.folder, base_port, network=self.network))]
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "CELERY_BROKER_URL": f"redis://{self.address('broker')}:{redis_port}/0",
            "JURYBOX_VAR": str(var),
            "DJANGO_SETTINGS_MODULE": "audit.settings",
        }
        self._left.enter_context(servers.Supervisor(base))
        self.before_the_study()
        self.cookies = self.patiently("make", json.dumps(self.plan))["cookies"]
        bind = ["0.0.0.0"] if self.network else []  # in a namespace of its own
        self.broker = self.settled(servers.redis(self.folder, redis_port, *bind))
        hosts = self.parts_of_hosts()
        self.moving = contextlib.ExitStack()
        self._left.enter_context(self.moving)
        self.moving.enter_context(servers.Supervisor([self.broker, *hosts]))
        self.parts = [*base, self.broker, *hosts]
        if servers.seconds_until(self.answers, sized(60, 300)) is None:
            print((self.folder / "web.log").read_text()[-2000:])
            raise SystemExit("The web server did not start.")

    def before_the_study(self) -> None:
        """What only some places have besides a database."""

    def parts_of_hosts(self) -> list[servers.Part]:
        """What serves people and works for them."""
        self.ports = [self.port]
        web = servers.web(self.environment, self.folder, self.port)
        return [self.settled(web), self.settled(servers.worker(self.environment, self.folder))]

    # The network of the machines, where each part has one of its own.
    network = ""

    def address(self, name: str) -> str:
        """Where the others reach this part."""
        return "127.0.0.1"

    def settled(self, part: servers.Part) -> servers.Part:
        """The part on its machine."""
        return part

    def as_a_visitor(self) -> contextlib.AbstractContextManager[None]:
        """Connections that this thread opens reach the web server."""
        return contextlib.nullcontext()

    def prepare(self, var: Path) -> None:
        """What a fault needs of the folder that everything is written to."""

    # What a command of ours begins with, to reach the database whatever link is cut.
    near_the_database: tuple[str, ...] = ()

    def answers(self) -> bool:
        return all(self._answers_at(port) for port in self.ports)

    def _answers_at(self, port: int) -> bool:
        try:
            with (
                self.as_a_visitor(),
                urlopen(f"http://127.0.0.1:{port}/readyz", timeout=2) as answer,
            ):
                return answer.status == 200
        except OSError:
            return False

    @contextlib.contextmanager
    def people(self):
        """They label until the block ends."""
        over = threading.Event()
        crowd = [
            Patient(self.ports[n % len(self.ports)], cookie, n)
            for n, cookie in enumerate(self.cookies)
        ]
        threads = [threading.Thread(target=self._visit, args=[one, over]) for one in crowd]
        for thread in threads:
            thread.start()
        try:
            yield crowd
        finally:
            over.set()
            for thread in threads:
                thread.join()

    def _visit(self, one: Patient, over: threading.Event) -> None:
        with self.as_a_visitor():
            one.work_until(over)

    def wait_for_the_end_of(self, judge: str, seconds: float = 400) -> dict:
        deadline = time.monotonic() + seconds
        while True:
            state = self.patiently("state", judge)
            if state["state"] != "running" or time.monotonic() > deadline:
                return state
            time.sleep(1)

    def patiently(self, *words: str) -> dict:
        """The database may just have been killed."""
        for attempt in range(20):
            try:
                return self.ask(*words)
            except subprocess.CalledProcessError as error:
                if attempt == 19:
                    raise SystemExit(error.stderr[-3000:]) from None
                time.sleep(0.5)
        raise AssertionError

    def ask(self, *words: str) -> dict:
        done = subprocess.run(
            [*self.near_the_database, sys.executable, "-m", "tests.chaos.study", *words],
            cwd=servers.ROOT,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=900,
        )
        return json.loads(done.stdout)

    def recount(self, crowd: list[Patient]) -> list[tuple[bool, str]]:
        """Everything that was promised against everything that is there; nothing moves any more."""
        self.moving.close()
        told = self.ask("check")
        kept = {s: said for one in crowd for s, said in one.kept.items()}
        there = told["answers"]
        lost = [s for s in kept if s not in there]
        changed = [s for s, said in kept.items() if s in there and not _same(said, there[s])]
        found = [
            (not lost, f"acknowledged answers lost: {len(lost)} of {len(kept)}"),
            (not changed, f"acknowledged answers changed: {len(changed)}"),
            (not told["doubled"], f"answers doubled: {told['doubled']}"),
            (not told["over"], f"images with one person too many: {told['over']}"),
            (not told["progress_wrong"], f"progress counters wrong: {told['progress_wrong']}"),
            (not told["places_wrong"], f"places counted wrong: {told['places_wrong']}"),
        ]
        for run in told["runs"]:
            good = run["state"] == "finished" and run["scores"] == run["expected"]
            good = good and not run["different"] and not run["doubled"]
            words = (
                f"{run['judge']}: {run['state']}, {run['scores']} of {run['expected']} scored, "
                f"{run['different']} different from an undisturbed run, {run['doubled']} doubled"
            )
            found.append((good, words))
        self.unsaid = len(there) - len(kept)
        return found


def _same(said: dict[str, str], stored: dict[str, float]) -> bool:
    sent = {k.removeprefix("answer-"): float(v) for k, v in said.items() if k[:7] == "answer-"}
    return sent == stored
