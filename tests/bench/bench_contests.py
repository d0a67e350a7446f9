"""Which of the two, at full size: 1,000,000 votes between 50 generators with errors by prompts.

    python -m tests.bench.bench_contests [--worlds 1000]

Prints seconds and memory of the fit, the share of worlds whose intervals hold the truth, and a side
effect of ten points that is planted and found. Exit status 1 when a goal is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import tracemalloc

from jurybox_stats.contests.fit import fit
from tests.bench.sizes import reached, sized
from tests.stats.contests.worlds import World, share_covered

GOAL_S, GOAL_BYTES_A_VOTE = 10.0, 1000


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--worlds", type=int, default=sized(1000, 4))
    worlds = parser.parse_args().worlds
    votes = World(systems=50, prompts=sized(20_000, 200), votes_of_a_prompt=50, side=0.2).votes(1)
    missed = 0
    for clusters in ("prompts", "both"):
        start = time.perf_counter()
        found = fit(votes, side=True, clusters=clusters)
        seconds = time.perf_counter() - start
        missed += seconds > GOAL_S
        print(f"{found.n:,} votes, {len(found.systems)} systems, by {clusters}: {seconds:.2f} s")
    tracemalloc.start()
    fit(votes, side=True)
    a_vote = tracemalloc.get_traced_memory()[1] / votes.n
    tracemalloc.stop()
    missed += a_vote > GOAL_BYTES_A_VOTE
    print(f"memory at its most: {a_vote:.0f} bytes a vote")
    for effect in (0.0, 0.7, 1.2):
        share = share_covered(World(prompt_effect=effect), worlds)
        missed += not 0.93 <= share <= 0.97
        print(
            f"{worlds} worlds, prompt effects of {effect}: intervals hold the truth in {share:.1%}"
        )
    planted = math.log(55 / 45)
    world = World(nu=0.0, prompts=300, side=planted, prompt_effect=0.0)
    left = fit(world.votes(2), ties="none", side=True).left
    missed += not 0 < left.low <= planted <= left.high
    told = ", ".join(f"{end:.3f}" for end in (left.value, left.low, left.high))
    print(f"ten points for the left side are {planted:.3f}; found {told}")
    return 0 if reached(not missed) else 1


if __name__ == "__main__":
    sys.exit(main())
