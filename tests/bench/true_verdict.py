"""How often what is said of a judge is true: `python -m tests.bench.true_verdict`.

Worlds of which it is known what each judge does, first those of `true_worlds`, then those of
`bent_worlds`; what each must show stands beside its shares, and shares without a goal are there to read.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from jurybox_stats.instrument.cuts import CutReading
from jurybox_stats.instrument.latent import step_answers
from jurybox_stats.instrument.moments import answers_of
from jurybox_stats.instrument.readings import Voices, read_twice
from jurybox_stats.instrument.stability import (
    CANNOT_BE_TOLD,
    DRIFTS,
    GAIN,
    HOLDS,
    Steps,
    state_of,
    steps_of,
)
from jurybox_stats.multiplicity import holm
from tests.bench.bent_worlds import BentWorld, bent_study
from tests.bench.sizes import reached, sized
from tests.bench.true_worlds import EMPTY, Study, World, study

AnyWorld = World | BentWorld


@dataclass(frozen=True)
class Told:
    """What is said of a judge. `since`: the first and the last place, among the dates, of the set of those
    since when it may have drifted; `apart`: the generator that it reads otherwise than all others."""

    state: str
    since: tuple[int, int] | None = None
    gain_fell: bool = False
    apart: int | None = None


def verdicts(made: Study, scale: float) -> dict[str, Told]:
    voices = Voices(answers_of(made.ratings), step_answers(made.ratings), made.ratings)
    found = {name: _steps(made, voices, name, scale) for name in made.scores}
    told = {name: steps for name, (steps, _) in found.items() if steps is not None}
    adjusted = holm([steps.p() for steps in told.values()]).tolist()
    p_holm = dict(zip(told, adjusted, strict=True))
    return {
        name: Told(CANNOT_BE_TOLD) if steps is None or not compared else _told(steps, p_holm[name])
        for name, (steps, compared) in found.items()
    }


def _steps(made: Study, voices: Voices, judge: str, scale: float) -> tuple[Steps | None, bool]:
    """With whether the people of newer generators can be compared with those of older ones."""
    scores = made.scores[judge]
    there = ~np.isnan(scores)
    read = scores[there]
    clusters = made.prompts if made.families is None else made.families
    found = read_twice(
        read,
        voices.where(there),
        made.generators[there],
        np.unique(clusters[there], return_inverse=True)[1],
        made.dates,
        as_ranks=bool(read.min() < 0 or read.max() > 1),
        span=scale,
    )
    if not isinstance(found.cuts, CutReading):
        return None, True
    steps = steps_of(found.line, made.dates.tolist(), found.cuts, points=100 / scale)
    compared = found.others is None or found.others.compared
    return (steps if isinstance(steps, Steps) else None), compared


def _told(steps: Steps, p_holm: float) -> Told:
    claims = steps.moved_claims
    dates = steps.dates[claims[0]] if claims else []
    return Told(
        state_of(beyond=bool(claims), inside=steps.lies_inside(), p_holm=p_holm),
        (min(dates), max(dates)) if dates else None,
        GAIN in claims,
        steps.apart,
    )


@dataclass
class Counts:
    """Over some worlds: those in which any judge is said to drift, or one that does not follow people to
    hold; and of the judges that follow people how many are said to hold or drift, by their gain, since
    a date near the right one or in a set with it, of how many dates, or named with the generator."""

    worlds: int = 0
    any_drifts: int = 0
    empty_hold: int = 0
    judges: int = 0
    hold: int = 0
    drift: int = 0
    gain_fell: int = 0
    near: int = 0
    within: int = 0
    dates: int = 0
    named: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


@dataclass(frozen=True)
class Share:
    what: str
    of: Callable[[Counts], float]
    at_least: float | None = None
    at_most: float | None = None

    def met(self, share: float) -> bool:
        return (self.at_least is None or share >= self.at_least) and (
            self.at_most is None or share <= self.at_most
        )

    @property
    def goal(self) -> str:
        if self.at_least is None and self.at_most is None:
            return ""
        return (
            f"goal ≥ {self.at_least:g}" if self.at_least is not None else f"goal ≤ {self.at_most:g}"
        )


ANY_DRIFTS = Share("some judge drifts", lambda c: c.any_drifts / c.worlds, at_most=0.05)
EMPTY_HOLDS = Share("an empty judge holds", lambda c: c.empty_hold / c.worlds, at_most=0.0)
STABLE_HOLD = Share("stable judges hold", lambda c: c.hold / c.judges)
STABLE_DRIFT = Share("stable judges drift", lambda c: c.drift / c.judges, at_most=0.05)
FOUND = Share("found", lambda c: c.drift / c.judges)
GAIN_FOUND = Share("found, by its gain", lambda c: c.gain_fell / c.judges)
HELD = Share("said to hold", lambda c: c.hold / c.judges, at_most=0.03)
NEAR = Share(
    "the date is right, ±1", lambda c: c.near / c.drift if c.drift else math.nan, at_least=0.8
)
WITHIN = Share("set holds the true date", lambda c: c.within / c.drift if c.drift else math.nan)
WIDTH = Share("dates in the set, mean", lambda c: c.dates / c.drift if c.drift else math.nan)
NAMED = Share("named as that generator", lambda c: c.named / c.judges, at_least=0.8)


@dataclass(frozen=True)
class Row:
    """A world, and what it must show."""

    world: AnyWorld
    shares: tuple[Share, ...]
    prompts: int = 300


STABLE = (ANY_DRIFTS, replace(STABLE_HOLD, at_least=0.8), EMPTY_HOLDS)
RISING = World("people .35 to .85", (0.35, 0.85))
FIRST = (
    Row(World("people .60, flat", (0.6, 0.6)), STABLE),
    Row(RISING, STABLE),
    Row(World("people .85 to .35", (0.85, 0.35)), STABLE),
    Row(World("people .35 to .97", (0.35, 0.97)), STABLE),
    Row(
        replace(RISING, name="people err 2 %, two answers", noise=0.02, answers=2),
        STABLE,
    ),
    Row(
        replace(RISING, name="people err 15 %, half alone", noise=0.15, half_alone=True),
        STABLE,
    ),
    *(
        Row(World(name, (2.2, 4.1), noise=noise, ratings=True), STABLE)
        for name, noise in (
            ("ratings 2.2 to 4.1, noise .8", 0.8),
            ("ratings 2.2 to 4.1, noise 1.2", 1.2),
        )
    ),
    *(Row(RISING, (ANY_DRIFTS,), prompts) for prompts in (60, 100, 1200)),
    *(
        Row(world, shares, prompts)
        for world in (
            replace(RISING, name="+12 points", level=12),
            replace(RISING, name="AUROC −.15", auroc=0.15),
        )
        for prompts, shares in (
            (300, (replace(FOUND, at_least=0.95), NEAR, HELD)),
            (100, (replace(FOUND, at_least=0.75), NEAR, HELD)),
            (60, (HELD,)),
            (1200, (HELD,)),
        )
    ),
    *(
        Row(world, (replace(FOUND, at_least=0.6), replace(HELD, at_most=0.05)))
        for world in (
            replace(RISING, name="+6 points", level=6),
            replace(RISING, name="AUROC −.08", auroc=0.08),
        )
    ),
    Row(
        replace(RISING, name="one generator by itself", own_gain=True),
        (NAMED, replace(STABLE_DRIFT, what="said to drift")),
    ),
)

NEVER = (STABLE_DRIFT, STABLE_HOLD, EMPTY_HOLDS)
HOLDING = (STABLE_DRIFT, replace(STABLE_HOLD, at_least=0.7), EMPTY_HOLDS)
BETTER = BentWorld("bent, people .35 to .85", (0.35, 0.85))
EQUAL = BentWorld("bent, people .60, flat", (0.6, 0.6))
WORSE_GAIN = replace(BETTER, mistaken=0.4)
# A stricter newcomer that nobody links to the others leaves nothing to hold by.
UNLINKED = (STABLE_DRIFT, replace(STABLE_HOLD, at_most=0.0))
PEOPLE: tuple[tuple[str, dict[str, Any], tuple[Share, ...]], ...] = (
    ("newest by one old, two stricter", {"old_people": 1}, NEVER),
    ("newest by stricter people alone", {"old_people": 0}, UNLINKED),
    ("12 families", {"families": 12}, NEVER),
    ("one person 55 %", {"busy": 0.55, "severity": 0.4}, NEVER),
    ("people unlike each other", {"severity": 0.4, "slips": 0.4}, NEVER),
)
SECOND = (
    Row(EQUAL, HOLDING),
    Row(BETTER, HOLDING),
    Row(BentWorld("bent, people .35 to .97", (0.35, 0.97)), NEVER),
    Row(BentWorld("bent, people .85 to .35", (0.85, 0.35)), NEVER),
    Row(BentWorld("bent, people .03, flat", (0.03, 0.03)), NEVER),
    Row(
        BentWorld("bent, people .97, flat", (0.97, 0.97)),
        (replace(STABLE_DRIFT, at_most=0.1), *NEVER[1:]),
    ),
    Row(replace(BETTER, name="bent, two answers", answers=2), HOLDING),
    Row(replace(BETTER, name="bent, five answers", answers=5), HOLDING),
    Row(replace(BETTER, name="bent, half alone", half_alone=True), HOLDING),
    *(
        Row(BentWorld(f"bent, ratings {low} to {high}", (low, high), ratings=True), NEVER)
        for low, high in ((1.4, 2.6), (2.4, 3.6), (3.4, 4.6))
    ),
    *(
        Row(
            replace(BETTER, name=f"bent, {level:+} points".replace("-", "−"), level=level),
            (replace(FOUND, at_least=found), replace(HELD, at_most=hold), WITHIN, WIDTH),
            prompts,
        )
        for level, prompts, found, hold in (
            (12, 300, 0.95, 0.03),
            (-12, 300, 0.95, 0.03),
            (12, 100, 0.75, 0.03),
            (6, 300, 0.6, 0.15),
        )
    ),
    *(
        Row(
            world, (replace(GAIN_FOUND, at_least=found), HELD, replace(WITHIN, at_least=0.9), WIDTH)
        )
        for world, found in (
            (replace(WORSE_GAIN, name="bent, gain −40 % since 6 of 8"), 0.9),
            (replace(WORSE_GAIN, name="bent, gain −40 % on the newest", late=1), 0.5),
            (replace(WORSE_GAIN, name="bent, gain −40 % on 3 of 3", late=1, generators=3), 0.5),
        )
    ),
    *(
        Row(replace(world, name=f"bent, {name}{flat}", **more), shares)
        for name, more, shares in PEOPLE
        for world, flat in ((BETTER, ""), (EQUAL, ", flat"))
    ),
)


def one_world(world: AnyWorld, prompts: int, number: int) -> Counts:
    random = np.random.default_rng([0, prompts, number])
    made = (
        study(world, prompts, random)
        if isinstance(world, World)
        else bent_study(world, prompts, random)
    )
    found = verdicts(made, 4.0 if world.ratings else 1.0)
    counts = Counts(
        worlds=1,
        any_drifts=any(told.state == DRIFTS for told in found.values()),
        empty_hold=any(found[name].state == HOLDS for name in EMPTY if name in found),
    )
    for name, told in found.items():
        if name in EMPTY:
            continue
        counts.judges += 1
        counts.hold += told.state == HOLDS
        counts.drift += told.state == DRIFTS
        counts.named += told.apart == 3 and told.state != DRIFTS
        if told.state == DRIFTS:
            counts.gain_fell += told.gain_fell
            if told.since is not None:
                first, last = told.since
                counts.near += first - 1 <= world.since <= last + 1
                counts.within += first <= world.since <= last
                counts.dates += last - first + 1
    return counts


def lines(
    row: Row, worlds: int, many: Callable[..., Iterator[Counts]]
) -> Iterator[tuple[str, bool]]:
    """Each with whether its goal is met."""
    prompts = sized(row.prompts, 60)
    each = many(partial(one_world, row.world, prompts), range(worlds))
    found = sum(each, start=Counts())
    new = "new" if row in SECOND else ""
    for share in row.shares:
        value = share.of(found)
        line = f"{row.world.name:<45}{new:<4}{row.prompts:>5}  {share.what:<26}{value:>6.3f}  "
        met = share.met(value)
        if share.goal:
            line += f"{share.goal:<11} {'met' if met else 'MISSED'}"
        yield line.rstrip(), met


def main(show: Callable[[str], None] = print) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--row", default="", help="those rows alone whose name contains this text")
    parser.add_argument("--worlds", type=int, default=sized(60, 1), help="of each row")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given = parser.parse_args()
    rows = [row for row in (*FIRST, *SECOND) if given.row in row.world.name]
    if not rows or given.worlds < 1 or given.jobs < 1:
        parser.error("There is no such row, or there are fewer than one world or process.")
    show(f"{given.worlds} worlds each of {len(rows)} rows; new: of the second edition")
    missed = 0
    with ProcessPoolExecutor(given.jobs) as pool:
        for row in rows:
            for line, met in lines(row, given.worlds, pool.map if given.jobs > 1 else map):
                show(line)
                missed += not met
    show(f"{missed} missed")
    return 0 if reached(not missed) else 1


if __name__ == "__main__":
    sys.exit(main())
