"""Strangers hold connections open and try passwords; how long others wait for their label page.

    python -m tests.bench.bench_siege [--bodies 1500] [--idle 2500] [--log-ins 200] [--seconds 30]

The web server is started as the demo starts it. A process of its own plays the strangers, from
hundreds of addresses of this machine (all of 127.0.0.0/8 is): some announce a body and trickle it, some
say nothing, and whoever is let go comes back; some send wrong passwords one after the other. Ten people
open their label page meanwhile, each on a connection of their own. Exit status 1 when one in twenty
waits longer than a second, when somebody gets no page, or when a web process dies.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import http.client
import json
import resource
import subprocess
import sys
import threading
import time
from statistics import median

from tests.bench.labelling_crowd import PATH
from tests.bench.labelling_server import Installation
from tests.bench.sizes import reached, sized

PEOPLE = 10
STUDY = {"images": 200, "overlap": PEOPLE, "people": PEOPLE}
P95 = 1.0
BODY = (
    b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Content-Length: 60000\r\n\r\n" + b"x" * 30_000
)
GUESS = (
    b"POST /api/v1/token/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%b"
)


# --- The strangers, in a process of their own ---------------------------------------------------


async def besiege(port: int, bodies: int, idle: int, log_ins: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    crowd = [_hold(port, number, BODY, 1.0) for number in range(bodies)]
    crowd += [_hold(port, bodies + number, b"", 1.0) for number in range(idle)]
    crowd += [_guess(port, number) for number in range(log_ins)]
    held = asyncio.gather(*crowd)
    await asyncio.sleep(3)
    print("here", flush=True)
    await held


def _address(number: int) -> str:
    """One for ten connections each."""
    return f"127.1.{number // 10 // 250}.{1 + number // 10 % 250}"


async def _hold(port: int, number: int, said: bytes, pause: float) -> None:
    await asyncio.sleep(number % 100 / 50)
    while True:
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            read, write = await _open(port, _address(number))
            try:
                write.write(said)
                while True:
                    # A byte now and then, so that it is never silent for long.
                    with contextlib.suppress(asyncio.TimeoutError):
                        if not await asyncio.wait_for(read.read(1000), 5):
                            break
                    if said:
                        write.write(b"x")
            finally:
                write.close()
        await asyncio.sleep(pause)


async def _guess(port: int, number: int) -> None:
    while True:
        body = json.dumps({"username": f"person-{number % 10}", "password": f"wrong {number}"})
        with contextlib.suppress(OSError, asyncio.TimeoutError):
            read, write = await _open(port, f"127.2.0.{1 + number}")
            try:
                write.write(GUESS % (len(body), body.encode()))
                await asyncio.wait_for(read.read(), 60)
            finally:
                write.close()
        await asyncio.sleep(0.5)


async def _open(port: int, source: str):
    opening = asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    return await asyncio.wait_for(opening, 30)


# --- The people --------------------------------------------------------------------------------


class People:
    """Each opens the label page again and again."""

    def __init__(self, port: int, cookies: list[str]) -> None:
        self.port, self.cookies = port, cookies
        self.waits: list[float] = []
        self.without: list[str] = []
        self.over = threading.Event()

    def run(self, *, seconds: float = 0, pages: int = 0) -> None:
        """For so long, or until each has opened so many."""
        people = [threading.Thread(target=self._work, args=(c, pages)) for c in self.cookies]
        for one in people:
            one.start()
        if not pages:
            time.sleep(seconds)
            self.over.set()
        for one in people:
            one.join()

    def _work(self, cookie: str, pages: int) -> None:
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        opened = 0
        while not self.over.is_set() and (not pages or opened < pages):
            began = time.perf_counter()
            try:
                text = _page(link, cookie)
            except (OSError, http.client.HTTPException):
                # Let go while it was idle: a browser opens another connection, and so does this.
                link.close()
                try:
                    text = _page(link, cookie)
                except (OSError, http.client.HTTPException) as error:
                    self.without.append(repr(error))
                    link.close()
                    opened += 1
                    continue
            self.waits.append(time.perf_counter() - began)
            opened += 1
            if b'id="answers"' not in text:
                self.without.append(text[:200].decode(errors="replace"))
            if not pages:
                self.over.wait(0.3)
        link.close()


def _page(link: http.client.HTTPConnection, cookie: str) -> bytes:
    link.request("GET", PATH, headers={"Cookie": f"sessionid={cookie}"})
    return link.getresponse().read()


@contextlib.contextmanager
def strangers(port: int, bodies: int, idle: int, log_ins: int):
    words = json.dumps({"port": port, "bodies": bodies, "idle": idle, "log_ins": log_ins})
    command = [sys.executable, "-m", "tests.bench.bench_siege", "--strangers", words]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "here\n"
        yield
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def p95(values: list[float]) -> float:
    ordered = sorted(values)
    return ordered[len(ordered) * 95 // 100] if ordered else float("inf")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--bodies", type=int, default=sized(1500, 20))
    parser.add_argument("--idle", type=int, default=sized(2500, 20))
    parser.add_argument("--log-ins", type=int, default=sized(200, 4))
    parser.add_argument("--seconds", type=float, default=sized(30, 2))
    parser.add_argument("--strangers", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.strangers:
        asyncio.run(besiege(**json.loads(asked.strangers)))
        return 0
    with Installation("sqlite", {"LOG_LEVEL": "ERROR"}, **STUDY) as there:
        before = sorted(there.processes())
        alone = People(there.port, there.cookies)
        alone.run(seconds=min(asked.seconds, 10))
        with strangers(there.port, asked.bodies, asked.idle, asked.log_ins):
            people = People(there.port, there.cookies)
            people.run(seconds=asked.seconds)
        died = len(set(before) - set(there.processes()))
    print(f"{asked.bodies} bodies, {asked.idle} idle, {asked.log_ins} logging in; {PEOPLE} people")
    print(f"label page, alone:   median {median(alone.waits):.3f} s, p95 {p95(alone.waits):.3f} s")
    waited = p95(people.waits)
    verdict = "met" if waited <= P95 else "MISSED"
    middle = median(people.waits) if people.waits else float("inf")
    print(
        f"label page, besieged: median {middle:.3f} s, p95 {waited:.3f} s  goal {P95:g} s  {verdict}"
    )
    print(
        f"pages {len(people.waits)}, without one {len(people.without)}, processes that died {died}"
    )
    for words in people.without[:3]:
        print("   ", words)
    return 1 if not reached(waited <= P95) or died or people.without else 0


if __name__ == "__main__":
    raise SystemExit(main())
