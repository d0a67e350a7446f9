"""Do the tests notice? One line of every room is broken, in a copy, and the tests near it are run.

    python -m tests.mutations [--per-room 1] [--seed 11] [--near 4] [--minutes 10] [--jobs 1]
    python -m tests.mutations --only audit/why/sides.py:30 [--only …]
    python -m tests.mutations --list

A room is a top folder of an app, or the files that stand beside these. Lines are taken from the last
commit; the same commit and seed give the same lines, and a change in one room no others elsewhere.
Tests that need a browser are left out. A test that fails on the whole line, too, does not count.
Prints a row for each line: where, what was changed, and the first test that saw it, or UNSEEN.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from queue import Queue

from tests.mutations.breaks import Break, breaks_of
from tests.mutations.nearness import APPS, Nearness
from tests.mutations.place import QUICK, ROOT, Place, Ran, changed


def rooms() -> dict[str, list[str]]:
    made: dict[str, list[str]] = {}
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            file = path.relative_to(ROOT)
            folders = file.parts[1:-1] if app != "jurybox" else ()
            if "migrations" not in folders:
                room = "/".join([app, *folders[:1]]) if folders else app
                made.setdefault(room, []).append(str(file))
    return made


def picked(seed: int, per_room: int) -> Iterator[tuple[str, Break]]:
    """First a kind of break, then a line: else most would be returns."""
    for room, files in rooms().items():
        chance = random.Random(f"{seed} {room}")
        there = [(file, broken) for file in files for broken in breaks_of(read(file))]
        for _ in range(per_room):
            kind = chance.choice(sorted({broken.kind for _, broken in there}))
            file, broken = chance.choice([pair for pair in there if pair[1].kind == kind])
            there = [(f, b) for f, b in there if (f, b.line) != (file, broken.line)]
            yield file, broken


def at(where: str) -> Iterator[tuple[str, Break]]:
    """All breaks of one line."""
    file, _, line = where.rpartition(":")
    for broken in breaks_of(read(file)):
        if broken.line == int(line):
            yield file, broken


@cache
def read(file: str) -> bytes:
    return (ROOT / file).read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations")
    parser.add_argument("--per-room", type=int, default=1)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--near", type=int, default=4, help="so many batches of tests near a line")
    parser.add_argument("--minutes", type=float, default=10, help="at most so long for each line")
    parser.add_argument(
        "--jobs", type=int, default=1, help="copies in which lines are broken at once"
    )
    parser.add_argument("--tests", default=QUICK, help="which tests, as for pytest -m")
    parser.add_argument("--only", action="append", default=[], metavar="FILE:LINE")
    parser.add_argument("--list", action="store_true", help="print the lines, run nothing")
    options = parser.parse_args()
    if options.only:
        chosen = [pair for where in options.only for pair in at(where)]
    else:
        chosen = list(picked(options.seed, options.per_room))
    if options.list:
        for file, broken in chosen:
            print(row(file, broken, None))
        return 0
    if changed(APPS):
        print("Commit your changes first: lines of the last commit are broken.", file=sys.stderr)
        return 2
    # The copies go, too, where somebody ends this.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    folder = Path(tempfile.mkdtemp(prefix="mutations-"))
    places: list[Place] = []
    free: Queue[Place] = Queue()
    pool = ThreadPoolExecutor(options.jobs)

    def tried(number: int) -> Ran:
        file, broken = chosen[number]
        place, begun = free.get(), time.monotonic()
        try:
            batches = near.batches(Path(file))[: options.near]
            ran = place.watched(file, broken, batches, 60 * options.minutes)
        finally:
            free.put(place)
        print(
            row(file, broken, ran), f"{time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True
        )
        return ran

    try:
        for number in range(options.jobs):
            place = Place(folder / str(number), options.tests)
            places.append(place)
            free.put(place.__enter__())
        near = Nearness(places[0].tree)
        results: dict[int, Ran] = {}
        unsound: set[str] = set()
        while left := [n for n in range(len(chosen)) if n not in results]:
            results |= zip(left, pool.map(tried, left), strict=True)
            # A test that fails anyway has seen nothing.
            unsound |= places[0].fail_unbroken({ran.seen for ran in results.values() if ran.seen})
            for place in places:
                place.unsound = unsound
            results = {n: ran for n, ran in results.items() if ran.seen not in unsound}
    finally:
        pool.shutdown(cancel_futures=True)
        for place in places:
            place.__exit__()
        shutil.rmtree(folder, ignore_errors=True)
    print("| line | break | before → after | seen by |\n|---|---|---|---|")
    for number, (file, broken) in enumerate(chosen):
        print(row(file, broken, results[number]))
    print(f"\n{sum(bool(ran.seen) for ran in results.values())} of {len(chosen)} breaks were seen.")
    return 0


def row(file: str, broken: Break, ran: Ran | None) -> str:
    before, after = (f"`{text[:100]}`" for text in broken.words(read(file)))
    seen = "" if ran is None else ran.seen or ("UNSEEN in this time" if ran.over else "UNSEEN")
    return f"| {file}:{broken.line} | {broken.operator} | {before} → {after} | {seen} |"


if __name__ == "__main__":
    sys.exit(main())
