"""Faults other than death: each with people labelling and a judge running, each survived."""

from __future__ import annotations

import contextlib
import random
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from tests.chaos.networks import NAMES, Networks, Untried
from tests.chaos.place import Place
from tests.chaos.servers import Part, seconds_until

JUDGE = "geneval-builtin"
# A connection notices a cut after `tcp_user_timeout` at the latest.
MENDED_WITHIN = 25.0
Found = list[tuple[bool, str]]


def broker_gone(place: Place, *, seconds: float = 60) -> Found:
    """People go on; the judge waits or works on what it holds; afterwards it comes to its end."""
    with place.people() as crowd:
        place.patiently("judge", JUDGE)
        place.broker.held_down = True
        place.broker.sweep()
        before = sum(len(one.kept) for one in crowd)
        time.sleep(seconds)
        during = sum(len(one.kept) for one in crowd) - before
        place.broker.held_down = False
    state = place.wait_for_the_end_of(JUDGE)
    return [
        (during > seconds, f"{during} answers were taken in {seconds:.0f} s without a broker"),
        (state["state"] == "finished", f"after it came back the run is {state['state']}"),
        *place.recount(crowd),
    ]


def every_task_twice(place: Place) -> Found:
    with place.people() as crowd:
        place.patiently("judge", JUDGE)
        for _ in range(5):
            place.patiently("twice")
            time.sleep(0.5)
        place.wait_for_the_end_of(JUDGE)
    return place.recount(crowd)


def disk_full(place: Place, *, seconds: float = 8) -> Found:
    """Nothing can be written for a while: nothing is acknowledged, and nothing is half written."""
    filler = place.folder / "var" / "filler"
    with place.people() as crowd:
        place.patiently("judge", JUDGE)
        time.sleep(2)
        with filler.open("wb") as file, contextlib.suppress(OSError):
            while True:
                file.write(b"\0" * 65536)
                file.flush()
        time.sleep(1)
        before = sum(len(one.kept) for one in crowd)
        time.sleep(seconds)
        during = sum(len(one.kept) for one in crowd) - before
        filler.unlink()
        time.sleep(4)
        after = sum(len(one.kept) for one in crowd) - before - during
    state = place.wait_for_the_end_of(JUDGE)
    said = state["reason"] or "it went on by itself"
    if state["state"] == "stopped":
        place.patiently("judge", JUDGE)
        state = place.wait_for_the_end_of(JUDGE)
    return [
        (True, f"{during} answers were taken while the disk was full, {after} right after"),
        (after > 0, f"the judge said: {said}"),
        *place.recount(crowd),
    ]


def images_read_only(place: Place) -> Found:
    """The folder of the images cannot be written: labelling and judging go on, importing says why."""
    media = place.folder / "var" / "media"
    subprocess.run(["mount", "--bind", media, media], check=True)
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", media], check=True)
        with place.people() as crowd:
            place.patiently("judge", JUDGE)
            state = place.wait_for_the_end_of(JUDGE)
            refused = place.ask("import_one")
    finally:
        subprocess.run(["umount", media], check=True)
    return [
        (state["state"] == "finished", f"the run is {state['state']}"),
        (bool(refused["refusal"]), f"importing says: {refused['refusal']}"),
        *place.recount(crowd),
    ]


def slow_clients(place: Place, *, slow: int = 24) -> Found:
    """Some send one byte a second, some ask for a large page and never read it."""
    hanging = []
    for number in range(slow):
        link = socket.create_connection(("127.0.0.1", place.port))
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        if number % 2:
            link.sendall(b"GET /charts/vega-embed.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        hanging.append(link)
    waits = []
    with place.people() as crowd:
        began = time.monotonic()
        while time.monotonic() - began < 15:
            for link in hanging[::2]:
                with contextlib.suppress(OSError):
                    link.send(b"G")
            asked = time.monotonic()
            with (
                contextlib.suppress(OSError),
                urlopen(f"http://127.0.0.1:{place.port}/healthz", timeout=15),
            ):
                pass
            waits.append(time.monotonic() - asked)
            time.sleep(1)
    for link in hanging:
        link.close()
    answers = sum(len(one.kept) for one in crowd)
    return [
        (max(waits) < 10, f"{slow} slow clients; others waited at most {max(waits):.1f} s"),
        (answers > 0, f"{answers} answers were taken meanwhile"),
        *place.recount(crowd),
    ]


def thirty_two_writers(place: Place) -> Found:
    """As many people as threads that write: nobody sees "database is locked"."""
    with place.people() as crowd:
        time.sleep(15)
    errors = sum(one.sent_again for one in crowd)
    return [(errors == 0, f"{errors} answers had to be sent again"), *place.recount(crowd)]


class Machines(Place):
    """Web, worker, database and broker on machines of their own, as far as the network goes."""

    def prepare(self, var: Path) -> None:
        self.networks = self._left.enter_context(Networks())
        self.network = f"{self.networks.net}.0/24"
        near = self.networks.namespace("base")
        self.near_the_database = ("ip", "netns", "exec", near)

    def address(self, name: str) -> str:
        return self.networks.address(name)

    def settled(self, part: Part) -> Part:
        part.namespace = self.networks.namespace(MACHINES[part.name])
        return part

    def as_a_visitor(self) -> contextlib.AbstractContextManager[None]:
        return self.networks.inside("web")


MACHINES = {"web": "web", "worker": "worker", "database": "base", "broker": "broker"}


def cut_slow_and_killed(place: Place, *, rounds: int = 40) -> Found:
    """Links are cut and made slow, and now and then somebody dies: all are there again, nothing is
    lost."""
    assert isinstance(place, Machines)
    chance = random.Random(1)
    done: Counter[str] = Counter()
    silences = []
    waiting = [JUDGE, "soft-tifa-gm-builtin", "soft-tifa-am-builtin"]
    judges = list(waiting)
    with place.people() as crowd:
        for number in range(rounds):
            if waiting and number >= rounds * (1 - len(waiting) / len(judges)):
                place.patiently("judge", waiting.pop(0))
            name = chance.choice(NAMES)
            what = chance.choice(["cut", "cut", "slow", "kill"])
            done[f"{what} {name}"] += 1
            if what == "kill":
                part = next(part for part in place.parts if MACHINES[part.name] == name)
                part.kill_something(chance)
            else:
                getattr(place.networks, what)(name)
                time.sleep(chance.uniform(1, 8))
                place.networks.mend(name)
            silence = seconds_until(place.answers, 60)
            silences.append(60.0 if silence is None else silence)
            time.sleep(chance.uniform(0.2, 1.5))
    ends = [place.wait_for_the_end_of(judge) for judge in judges]
    answers, slow = sum(len(one.kept) for one in crowd), max(silences)
    listed = ", ".join(f"{count} × {what}" for what, count in sorted(done.items()))
    words = f"answers again after {median(silences):.2f} s (median), {slow:.1f} s (worst)"
    return [
        (answers > rounds, f"{listed}; {answers} answers were taken"),
        (slow <= MENDED_WITHIN, f"{words}; at most {MENDED_WITHIN:.0f} s after the link is mended"),
        (all(end["state"] == "finished" for end in ends), "every run came to its end"),
        *place.recount(crowd),
    ]


class SmallDisk(Place):
    """Everything is written to a disk of its own, of a few megabytes."""

    def prepare(self, var: Path) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48m", "tmpfs", var], check=True)
        self._left.callback(subprocess.run, ["umount", "--lazy", var], check=False)


Fault = tuple[str, Callable[[Place], Found], dict[str, object]]
FAULTS: dict[str, Fault] = {
    "broker-gone": ("the broker is gone for a minute", broker_gone, {}),
    "twice": ("every task is delivered twice and more", every_task_twice, {}),
    "disk-full": ("the disk is full for a while", disk_full, {"kind": SmallDisk, "only": "sqlite"}),
    "read-only": ("the images cannot be written", images_read_only, {}),
    "slow-clients": ("slow clients, and clients that never read", slow_clients, {}),
    "networks": (
        "web, worker, database and broker on networks of their own, cut, slowed and killed",
        cut_slow_and_killed,
        {"kind": Machines, "prompts": 80, "only": "postgres"},
    ),
    "writers": ("32 people write at once", thirty_two_writers, {"people": 32}),
}


def suffer(name: str, *, database: str, seed: int) -> tuple[str, Found]:
    words, fault, own = FAULTS[name]
    kind = own.get("kind", Place)
    try:
        people, prompts = own.get("people", 8), own.get("prompts", 40)
        with kind(database, people=people, prompts=prompts, seed=seed) as place:
            return words, fault(place)
    except Untried as lacking:
        return words, [(True, f"NOT TRIED: {lacking}")]
    except subprocess.CalledProcessError as error:
        if error.cmd[0] != "mount":
            raise
        return words, [(True, "NOT TRIED: this needs the right to mount file systems")]
