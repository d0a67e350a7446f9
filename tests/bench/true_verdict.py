"""How often what is said of a judge is true: `python -m tests.bench.true_verdict`.

Eight generators with dates and twelve judges, nine of which follow people; what each world must show
stands beside its shares. Beside the stable judges that hold stands how many would if people's average
answer to every image were known without noise: more answers cannot reach more, only more images can.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from audit.stats.instrument.moments import answers_of, mid_ranks, moments
from audit.stats.instrument.sides import generators_of
from audit.stats.instrument.stability import (
    CANNOT_BE_TOLD,
    DRIFTS,
    HOLDS,
    Steps,
    state_of,
    steps_of,
)
from audit.stats.multiplicity import holm
from tests.bench.sizes import reached, sized
from tests.bench.true_worlds import EMPTY, GENERATORS, STABLE, Study, World, study


def verdicts(made: Study, scale: float) -> dict[str, tuple[str, Steps | None]]:
    found = {}
    for name, scores in made.scores.items():
        there = ~np.isnan(scores)
        read = scores[there]
        if read.min() < 0 or read.max() > 1:
            read = mid_ranks(read)
        answers = answers_of(made.ratings[:, there])
        sums = moments(read, answers, made.generators[there], made.prompts[there], GENERATORS)
        found[name] = steps_of(
            generators_of(sums, noise_together=True), range(GENERATORS), points=100 / scale
        )
    told = {name: steps for name, steps in found.items() if isinstance(steps, Steps)}
    p = {name: steps.p() for name, steps in told.items()}
    adjusted = dict(zip(p, holm([*p.values()]).tolist(), strict=True))
    return {
        name: (_state(told[name], p[name], adjusted[name]), told[name])
        if name in told
        else (CANNOT_BE_TOLD, None)
        for name in found
    }


def _state(steps: Steps, p: float, p_holm: float) -> str:
    return state_of(
        beyond=bool(steps.moved_claims()), inside=steps.lies_inside(), p=p, p_holm=p_holm
    )


@dataclass(frozen=True)
class Row:
    """What a world must show, as shares: the least or the most of it."""

    world: World
    prompts: int
    what: str
    share: float
    goal: float
    at_least: bool
    at_most: float | None = None  # what could be reached with people's answers known exactly

    @property
    def met(self) -> bool:
        return self.share >= self.goal if self.at_least else self.share <= self.goal


@dataclass
class Counts:
    """Over some worlds: those in which any judge that has not drifted is said to, and of the judges that
    follow people how many are said to hold or drift, from the right date, or named with the generator."""

    worlds: int = 0
    false: int = 0
    empty_hold: int = 0
    judges: int = 0
    hold: int = 0
    drift: int = 0
    dated: int = 0
    named: int = 0


NULL = (
    World("people .60, flat", (0.6, 0.6)),
    World("people .35 to .85", (0.35, 0.85)),
    World("people .85 to .35", (0.85, 0.35)),
    World("people .35 to .97", (0.35, 0.97)),
    World("people err 2 %, two answers", (0.35, 0.85), noise=0.02, answers=2),
    World("people err 15 %, half alone", (0.35, 0.85), noise=0.15, half_alone=True),
    World("ratings 2.2 to 4.1, noise .8", (2.2, 4.1), noise=0.8, ratings=True),
    World("ratings 2.2 to 4.1, noise 1.2", (2.2, 4.1), noise=1.2, ratings=True),
)
RISING = World("", (0.35, 0.85))
LARGE = (
    replace(RISING, name="+12 points", level=12),
    replace(RISING, name="AUROC −.15", auroc=0.15),
)
MIDDLE = (
    replace(RISING, name="+6 points", level=6),
    replace(RISING, name="AUROC −.08", auroc=0.08),
)
OWN = replace(RISING, name="one generator by itself", own_gain=True)


def counted(
    world: World, prompts: int, worlds: int, seed: int = 0, *, people_known: bool = False
) -> Counts:
    counts = Counts()
    for number in range(worlds):
        random = np.random.default_rng([seed, prompts, number])
        made = study(world, prompts, random)
        if people_known:
            made = replace(made, ratings=np.stack([made.known, made.known]))
        found = verdicts(made, 4.0 if world.ratings else 1.0)
        counts.worlds += 1
        counts.false += any(state == DRIFTS for state, _ in found.values())
        counts.empty_hold += any(found[name][0] == HOLDS for name in EMPTY)
        for name in STABLE:
            state, steps = found[name]
            counts.judges += 1
            counts.hold += state == HOLDS
            counts.drift += state == DRIFTS
            if state == DRIFTS and steps is not None:
                counts.dated += abs(steps.likeliest.since - (GENERATORS - 3)) <= 1
            counts.named += steps is not None and steps.apart == 3 and state != DRIFTS
    return counts


def rows(worlds: int) -> Iterator[Row]:
    for world in NULL:
        found = counted(world, sized(300, 60), worlds)
        yield Row(world, 300, "some judge drifts", found.false / worlds, 0.05, False)
        known = counted(world, sized(300, 60), worlds, people_known=True)
        most = known.hold / known.judges
        hold = found.hold / found.judges
        yield Row(world, 300, "stable judges hold", hold, 0.8, True, at_most=most)
        yield Row(world, 300, "an empty judge holds", found.empty_hold / worlds, 0.0, False)
    for prompts in sized((60, 100, 1200), (60,)):
        found = counted(NULL[1], prompts, worlds)
        yield Row(NULL[1], prompts, "some judge drifts", found.false / worlds, 0.05, False)
    for world in LARGE:
        for prompts, goal in sized(((300, 0.95), (100, 0.75)), ((60, 0.75),)):
            found = counted(world, prompts, worlds)
            yield Row(world, prompts, "found", found.drift / found.judges, goal, True)
            dated = found.dated / max(found.drift, 1)
            yield Row(world, prompts, "the date is right, ±1", dated, 0.8, True)
            yield Row(world, prompts, "said to hold", found.hold / found.judges, 0.03, False)
    for world in MIDDLE:
        found = counted(world, sized(300, 60), worlds)
        yield Row(world, 300, "found", found.drift / found.judges, 0.6, True)
        yield Row(world, 300, "said to hold", found.hold / found.judges, 0.05, False)
    found = counted(OWN, sized(300, 60), worlds)
    yield Row(OWN, 300, "named as that generator", found.named / found.judges, 0.8, True)
    yield Row(OWN, 300, "said to drift", found.drift / found.judges, 0.05, False)


def main(show: Callable[[str], None] = print) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--worlds", type=int, default=sized(100, 1))
    worlds = arguments.parse_args().worlds
    show(f"{worlds} worlds each: {GENERATORS} generators, {len(STABLE) + len(EMPTY)} judges")
    missed = 0
    for row in rows(worlds):
        missed += not row.met
        sign = "≥" if row.at_least else "≤"
        show(
            f"{row.world.name:<32}{row.prompts:>6}  {row.what:<26}{row.share:>7.3f}  "
            f"goal {sign} {row.goal:<5g} {'met' if row.met else 'MISSED'}"
            + ("" if row.at_most is None else f"  ({row.at_most:.3f} if people were known exactly)")
        )
    show(f"{missed} missed")
    return 0 if reached(not missed) else 1


if __name__ == "__main__":
    sys.exit(main())
