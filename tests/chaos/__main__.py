"""`make chaos`: kill -9 at random while people label and judges run; then recount everything.

    python -m tests.chaos [--kills 200] [--database sqlite|postgres] [--seed 1]

Prints what was killed, how long nobody was answered, and what was survived; exit status 1 when an
acknowledged answer was lost or doubled, an image scored twice or not at all, a counter wrong, or
the service was silent for more than ten seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from tests.chaos import servers
from tests.chaos.crowd import Patient

SILENCE = 10.0  # seconds within which the service answers again
JUDGES = ("geneval-builtin", "soft-tifa-gm-builtin", "soft-tifa-am-builtin")


class Chaos:
    def __init__(self, *, database: str, kills: int, people: int, prompts: int, seed: int) -> None:
        self.database, self.kills, self.people, self.prompts = database, kills, people, prompts
        self.seed, self.chance = seed, random.Random(seed)
        self.killed: Counter[str] = Counter()
        self.silences: list[float] = []
        self.failures: list[str] = []

    def __call__(self) -> bool:
        self.folder = Path(tempfile.mkdtemp(prefix="jurybox-chaos-"))
        try:
            return self._run()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self) -> bool:
        web_port, redis_port, base_port = (servers.free_port() for _ in range(3))
        self.address = f"http://127.0.0.1:{web_port}/readyz"
        url = f"sqlite:///{self.folder / 'chaos.sqlite3'}"
        base = []
        if self.database == "postgres":
            url = f"postgres://postgres@127.0.0.1:{base_port}/postgres"
            base = [servers.postgres(self.folder, base_port)]
        self.environment = {
            **os.environ,
            "DATABASE_URL": url,
            "CELERY_BROKER_URL": f"redis://127.0.0.1:{redis_port}/0",
            "JURYBOX_VAR": str(self.folder / "var"),
            "DJANGO_SETTINGS_MODULE": "audit.settings",
        }
        with servers.Supervisor(base):
            self._patiently("make", json.dumps(self._plan()))
            made = self.made
            web = servers.web(self.environment, self.folder, web_port)
            parts = [
                servers.redis(self.folder, redis_port),
                web,
                servers.worker(self.environment, self.folder),
            ]
            with servers.Supervisor(parts):
                if servers.seconds_until(self._answers, 60) is None:
                    print((self.folder / "web.log").read_text()[-2000:])
                    raise SystemExit("The web server did not start.")
                crowd = self._let_people_label(web_port, made["cookies"], [*base, *parts])
            # Recounted with the database alone: nothing moves any more.
            told = self._ask("check")
        return self._judged(crowd, told)

    def _plan(self) -> dict:
        return {
            "prompts": self.prompts,
            "generators": 6,
            "people": self.people,
            "overlap": max(self.people - 2, 1),
            "seed": self.seed,
        }

    def _let_people_label(self, port: int, cookies: list[str], parts) -> list[Patient]:
        over = threading.Event()
        crowd = [Patient(port, cookie, n) for n, cookie in enumerate(cookies)]
        threads = [threading.Thread(target=one.work_until, args=[over]) for one in crowd]
        for thread in threads:
            thread.start()
        waiting = list(JUDGES)
        self._patiently("judge", waiting.pop(0))
        for number in range(self.kills):
            time.sleep(self.chance.uniform(0.1, 1.0))
            self.killed[self.chance.choice(parts).kill_something(self.chance)] += 1
            silence = servers.seconds_until(self._answers, 60)
            self.silences.append(60.0 if silence is None else silence)
            if waiting and number >= self.kills * (1 - len(waiting) / len(JUDGES)):
                self._patiently("judge", waiting.pop(0))
            if sys.stderr.isatty():
                print(f"\r{number + 1} of {self.kills} killed", end="", file=sys.stderr)
        over.set()
        for thread in threads:
            thread.join()
        for name in JUDGES:
            self._wait_for_the_end_of(name)
        return crowd

    def _wait_for_the_end_of(self, name: str) -> None:
        deadline = time.monotonic() + 400
        while time.monotonic() < deadline:
            self._patiently("state", name)
            if self.made["state"] != "running":
                return
            time.sleep(1)
        self.failures.append(f"{name} did not come to an end: {self.made}")

    def _answers(self) -> bool:
        try:
            with urlopen(self.address, timeout=2) as answer:
                return answer.status == 200
        except OSError:
            return False

    def _patiently(self, *words: str) -> None:
        """The database may just have been killed."""
        for attempt in range(20):
            try:
                self.made = self._ask(*words)
                return
            except subprocess.CalledProcessError as error:
                if attempt == 19:
                    raise SystemExit(error.stderr[-3000:]) from None
                time.sleep(0.5)

    def _ask(self, *words: str) -> dict:
        done = subprocess.run(
            [sys.executable, "-m", "tests.chaos.study", *words],
            cwd=servers.ROOT,
            env=self.environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=900,
        )
        return json.loads(done.stdout)

    def _judged(self, crowd: list[Patient], told: dict) -> bool:
        kept = {s: said for one in crowd for s, said in one.kept.items()}
        there = {uuid.UUID(s): answers for s, answers in told["answers"].items()}
        lost = [s for s in kept if uuid.UUID(s) not in there]
        changed = [
            s
            for s, said in kept.items()
            if uuid.UUID(s) in there and not _same(said, there[uuid.UUID(s)])
        ]
        unsaid = len(there) - len(kept)
        print(f"\n{self.database}: {sum(self.killed.values())} kills, seed {self.seed}")
        for name, count in sorted(self.killed.items()):
            print(f"  {count:4} × {name}")
        again, away = sum(o.sent_again for o in crowd), sum(len(o.turned_away) for o in crowd)
        print(
            f"  {len(kept)} answers acknowledged to {len(crowd)} people; sent again {again} times, "
            f"refused with a sentence {away} times; {unsaid} stored whose acknowledgement was cut off"
        )
        slow = max(self.silences)
        print(f"  answers again after {median(self.silences):.2f} s (median), {slow:.1f} s (worst)")
        self._must(not lost, f"acknowledged answers lost: {len(lost)}")
        self._must(not changed, f"acknowledged answers changed: {len(changed)}")
        self._must(not told["doubled"], f"answers doubled: {told['doubled']}")
        self._must(not told["over"], f"images with one person too many: {told['over']}")
        self._must(not told["progress_wrong"], f"progress counters wrong: {told['progress_wrong']}")
        self._must(not told["places_wrong"], f"places counted wrong: {told['places_wrong']}")
        for run in told["runs"]:
            good = run["state"] == "finished" and run["scores"] == run["expected"]
            good = good and not run["different"] and not run["doubled"]
            self._must(
                good,
                f"{run['judge']}: {run['state']}, {run['scores']} of {run['expected']} scored, "
                f"{run['different']} different from an undisturbed run, {run['doubled']} doubled",
            )
        self._must(slow <= SILENCE, f"longest silence {slow:.1f} s (at most {SILENCE:.0f})")
        for failure in self.failures:
            self._must(False, failure)
        return not self.failures

    def _must(self, good: bool, words: str) -> None:
        print(f"  {'ok    ' if good else 'FAILED'} {words}")
        if not good and words not in self.failures:
            self.failures.append(words)


def _same(said: dict[str, str], stored: dict[str, float]) -> bool:
    sent = {k.removeprefix("answer-"): float(v) for k, v in said.items() if k[:7] == "answer-"}
    return sent == stored


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--database", choices=["sqlite", "postgres"])
    parser.add_argument("--seed", type=int, default=1)
    given = vars(parser.parse_args())
    chosen = given.pop("database")
    survived = [
        Chaos(database=one, **given)() for one in ([chosen] if chosen else ["sqlite", "postgres"])
    ]
    return 0 if all(survived) else 1


if __name__ == "__main__":
    sys.exit(main())
