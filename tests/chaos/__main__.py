"""`make chaos`: kill -9 at random while people label and judges run; then recount everything.

    python -m tests.chaos [--kills 200] [--database sqlite|postgres] [--seed 1]
    python -m tests.chaos --fault disk-full
    python -m tests.chaos --hosts       two webs and two workers that share no disk

Prints what was killed, how long nobody was answered, and what was survived; exit status 1 when an
acknowledged answer was lost or doubled, an image scored twice or not at all, a counter wrong, or
the service was silent for more than ten seconds.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from statistics import median

from tests.bench.sizes import sized
from tests.chaos import servers
from tests.chaos.faults import FAULTS, Found, suffer
from tests.chaos.hosts import HOSTS, Hosts
from tests.chaos.place import Place

# Seconds within which the service answers again; a run at its smallest sizes measures no time.
SILENCE = sized(10.0, 300.0)
JUDGES = ("geneval-builtin", "soft-tifa-gm-builtin", "soft-tifa-am-builtin")


def kill_at_random(
    database: str, *, kills: int, people: int, prompts: int, seed: int, kind: type[Place] = Place
) -> Found:
    chance = random.Random(seed)
    killed: Counter[str] = Counter()
    silences: list[float] = []
    with kind(database, people=people, prompts=prompts, seed=seed) as place:
        with place.people() as crowd:
            waiting = list(JUDGES)
            place.patiently("judge", waiting.pop(0))
            for number in range(kills):
                time.sleep(chance.uniform(0.1, 1.0))
                killed[chance.choice(place.parts).kill_something(chance)] += 1
                silence = servers.seconds_until(place.answers, 6 * SILENCE)
                silences.append(6 * SILENCE if silence is None else silence)
                if waiting and number >= kills * (1 - len(waiting) / len(JUDGES)):
                    place.patiently("judge", waiting.pop(0))
                if sys.stderr.isatty():
                    print(f"\r{number + 1} of {kills} killed", end="", file=sys.stderr)
        ends = [(name, place.wait_for_the_end_of(name)) for name in JUDGES]
        found = place.recount(crowd)
        print(f"\n{database}: {sum(killed.values())} kills -9, seed {seed}")
        for name, count in sorted(killed.items()):
            print(f"  {count:4} × {name}")
        again, away = sum(o.sent_again for o in crowd), sum(len(o.turned_away) for o in crowd)
        print(
            f"  {len(crowd)} people; answers sent again {again} times, refused with a sentence "
            f"{away} times; {place.unsaid} stored whose acknowledgement was cut off"
        )
    slow = max(silences, default=0.0)
    words = f"answers again after {median(silences):.2f} s (median), {slow:.1f} s (worst)"
    found += [(False, f"{n} is {s['state']}") for n, s in ends if s["state"] != "finished"]
    return [*found, (slow <= SILENCE, f"{words}; at most {SILENCE:.0f} s")]


def told(found: Found) -> bool:
    for good, words in found:
        print(f"  {'ok    ' if good else 'FAILED'} {words}", flush=True)
    return all(good for good, _ in found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=sized(200, 3), help="on each database")
    parser.add_argument("--people", type=int, default=sized(8, 2))
    parser.add_argument("--prompts", type=int, default=sized(200, 10))
    parser.add_argument("--database", choices=["sqlite", "postgres"])
    parser.add_argument("--hosts", action="store_true", help="kills on several hosts; PostgreSQL")
    parser.add_argument("--fault", choices=[*FAULTS, "none"], help="only this one, no kills")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    size = {"kills": given.kills, "people": given.people, "prompts": given.prompts}
    survived = []
    if given.hosts:
        print(f"{HOSTS} hosts: killing {given.kills} times …", flush=True)
        survived.append(told(kill_at_random("postgres", **size, seed=given.seed, kind=Hosts)))
        given.database, given.fault = "postgres", "none"
    for database in [given.database] if given.database else ["sqlite", "postgres"]:
        if given.fault is None:
            print(f"{database}: killing {given.kills} times …", flush=True)
            survived.append(told(kill_at_random(database, **size, seed=given.seed)))
        # At the smallest sizes the kills alone: a fault takes a minute or two.
        for name in [given.fault] if given.fault else sized([*FAULTS], []):
            if name == "none" or FAULTS[name][2].get("only", database) != database:
                continue
            words, found = suffer(name, database=database, seed=given.seed)
            print(f"\n{database}: {words}")
            survived.append(told(found))
    print(f"\n{'Survived.' if all(survived) else 'NOT SURVIVED.'}")
    return 0 if all(survived) else 1


if __name__ == "__main__":
    sys.exit(main())
