"""How often a judge's card holds what was planted, and what it costs: `python -m tests.bench.card_worlds`.

150 images of a judge with a known fault, in worlds drawn anew: the share of intervals that hold it, and how
often a fault is found where none was planted. Then a whole card of a rule judge on 200 images, and a site of
40 cards.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from jurybox_stats.cards.changes import mean_of, read_ladder, shift, side_preference
from jurybox_stats.cards.family import favour
from jurybox_stats.estimate import Estimate, Result
from jurybox_stats.instrument.moments import answers_of
from tests.bench.sizes import reached, sized
from tests.bench.whole_report import database_of_its_own

IMAGES, PROMPTS, STEPS = 150, 50, 5
BETWEEN, CHANCE = (0.93, 0.97), 0.05
SECONDS, AGAIN = 60.0, 5.0  # of a card beyond the judge, and of a second one
SITE_SECONDS, SITE_MB = 20.0, 3.0

Random = np.random.Generator


@dataclass(frozen=True)
class World:
    """`draw` makes one world with the fault planted; `told` is what a card would call one."""

    part: str
    planted: float
    draw: Callable[[Random, float], Result]
    told: Callable[[Estimate], bool] = lambda found: (found.low or 0) > 0


def draw_dark(rng: Random, share: float) -> Result:
    """One empty picture for each prompt: 150 prompts."""
    return mean_of((rng.random(IMAGES) < share).astype(float), np.arange(IMAGES))


def draw_position(rng: Random, points: float) -> Result:
    """One pair for each prompt, of which the first is better to some degree."""
    better = rng.uniform(0.2, 0.8, IMAGES)
    once = rng.random(IMAGES) < better + points / 100
    again = rng.random(IMAGES) < 1 - better + points / 100
    return side_preference((once + again.astype(float)) / 2, np.arange(IMAGES))


def _prompts() -> np.ndarray:
    return np.arange(IMAGES) % PROMPTS


def draw_overlay(rng: Random, gain: float) -> Result:
    """Marks move the score of every image, more in some prompts than in others."""
    prompts = _prompts()
    moves = gain + 0.1 * rng.normal(size=PROMPTS)[prompts] + 0.1 * rng.normal(size=IMAGES)
    return shift(moves, prompts)


def _ladder(rng: Random, gain: float) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    prompts = _prompts()
    own = gain + 0.15 * rng.normal(size=PROMPTS)[prompts]
    before = rng.uniform(0.5, 1, IMAGES)
    after = [
        before - own * step / STEPS + 0.1 * rng.normal(size=IMAGES) for step in range(1, STEPS + 1)
    ]
    return before, after, prompts


def draw_ladder(rng: Random, gain: float) -> Result:
    return read_ladder(*_ladder(rng, gain)).gain


def draw_family(rng: Random, gamma: float) -> Result:
    """Six generators of rising quality, the last two of the judge's family; three people err."""
    generators, prompts = np.arange(IMAGES) % 6, np.arange(IMAGES) // 6
    truth = rng.random(IMAGES) < 0.35 + 0.08 * generators
    people = np.where(rng.random((3, IMAGES)) < 0.1, ~truth, truth).astype(float)
    own = generators >= 4
    noise = 0.1 * rng.normal(size=IMAGES) + 0.05 * rng.normal(size=prompts.max() + 1)[prompts]
    score = 0.2 + 0.5 * truth + gamma * own + noise
    return favour(score, answers_of(people), generators, prompts, np.arange(6) >= 4)


def _either_side(found: Estimate) -> bool:
    return (found.low or 0) > 0 or (found.high or 0) < 0


WORLDS = (
    *(World("dark current", share, draw_dark) for share in (0.0, 0.1, 0.3)),
    *(World("position, points", one, draw_position, _either_side) for one in (0, 5, 15)),
    *(World("overlay", gain, draw_overlay) for gain in (0.0, 0.2)),
    *(World("family γ", gamma, draw_family) for gamma in (0.0, 0.1, 0.3)),
    *(World("ladder gain", gain, draw_ladder) for gain in (0.0, 0.5, 1.0)),
)


def main(show: Callable[[str], None] = print) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--worlds", type=int, default=sized(1000, 20))
    arguments.add_argument("--images", type=int, default=sized(200, 12))
    arguments.add_argument("--cards", type=int, default=sized(40, 3))
    given = arguments.parse_args()
    missed = sum(_lines(given.worlds, show)) + _step_line(given.worlds, show)
    missed += _whole_card(given.images, show)
    missed += _whole_site(given.cards, show)
    show(f"{missed} missed")
    return 0 if reached(not missed) else 1


def _lines(worlds: int, show: Callable[[str], None]) -> Iterator[bool]:
    for world in WORLDS:
        held = told = 0
        for seed in range(worlds):
            found = world.draw(
                np.random.default_rng([seed, round(1000 * world.planted)]), world.planted
            )
            if not isinstance(found, Estimate) or found.low is None or found.high is None:
                continue
            held += found.low <= world.planted <= found.high
            told += world.told(found)
        yield _line(world, held / worlds, told / worlds, worlds, show)


def _line(world: World, held: float, told: float, worlds: int, show: Callable[[str], None]) -> bool:
    """Whether a goal is missed by more than chance brings with so many worlds."""
    chance = 2 * np.sqrt(CHANCE * (1 - CHANCE) / worlds)
    # A share of nothing lies at the end of its scale: no interval of 95 % leaves it out.
    at_end = world.part == "dark current" and world.planted == 0
    covers = held >= BETWEEN[0] - chance and (at_end or held <= BETWEEN[1] + chance)
    quiet = world.planted != 0 or told <= CHANCE + chance
    goal = "goal .93 to .97" if not at_end else "goal ≥ .93"
    end = ", goal ≤ .05" if world.planted == 0 else ""
    show(f"{world.part:<18}{world.planted:>5g}  holds {held:.3f} ({goal})  told {told:.3f}{end}")
    return not (covers and quiet)


def _step_line(worlds: int, show: Callable[[str], None]) -> int:
    """How often a step is told of a judge that does not see the ladder."""
    seen = sum(
        read_ladder(*_ladder(np.random.default_rng([seed, 7]), 0.0)).told > 0
        for seed in range(worlds)
    )
    share = seen / worlds
    show(f"ladder, a step told where the judge sees none: {share:.3f} (goal ≤ .05)")
    return int(share > CHANCE)


def _whole_card(images: int, show: Callable[[str], None]) -> int:
    with database_of_its_own():
        own, beyond, again = _seconds_of_card(images)
    show(
        f"card of geneval-builtin, {images} images: {beyond:.1f} s CPU beyond the judge's {own:.1f} s "
        f"(goal ≤ {SECONDS:g}); second card {again:.1f} s (goal ≤ {AGAIN:g})"
    )
    return int(beyond > SECONDS) + int(again > AGAIN)


def _whole_site(cards: int, show: Callable[[str], None]) -> int:
    """Cards of 60 images with their scores, as pages and open data."""
    from audit.cards.site.build import build_site
    from audit.cards.site.read import read_cards
    from tests.audit.cards.site.making import write_cards

    with tempfile.TemporaryDirectory() as folder:
        files = write_cards(Path(folder), cards)
        began = time.process_time()
        site = build_site(read_cards(files))
        seconds = time.process_time() - began
        same = site == build_site(read_cards(reversed(files)))
    size = sum(map(len, site.values())) / 1e6
    show(
        f"site of {cards} cards: {seconds:.1f} s CPU (goal ≤ {SITE_SECONDS:g}), {size:.2f} MB "
        f"(goal ≤ {SITE_MB:g}), again the same bytes: {'yes' if same else 'no'}"
    )
    return int(seconds > SITE_SECONDS) + int(size > SITE_MB) + int(not same)


def _seconds_of_card(images: int) -> tuple[float, float, float]:
    from audit.questions.card.exhibits import EXHIBITS
    from audit.questions.card.question import Parameters, card
    from judges.cards import jobs
    from judges.runs import lifecycle, score_chunk
    from jurybox_judging.engines.builtin import BuiltinEngine
    from tests.judges.self_checks.bench import bench

    study = bench(images)
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    score_chunk.work_off(run=run)
    own = _count_engine(BuiltinEngine)

    def make() -> float:
        began = time.process_time()
        jobs.measure_here(run, count=images)
        body = card(study, Parameters("geneval-builtin", images))
        EXHIBITS.sentences(body), EXHIBITS.tables(body)
        return time.process_time() - began

    first = make()
    judge = own[0]
    return judge, first - judge, make()


def _count_engine(engine: type) -> list[float]:
    """What the engine itself takes from now on."""
    spent = [0.0]
    detect = engine.detect  # type: ignore[attr-defined]

    def timed(self: object, *asked: object) -> object:
        began = time.process_time()
        try:
            return detect(self, *asked)
        finally:
            spent[0] += time.process_time() - began

    engine.detect = timed  # type: ignore[attr-defined]
    return spent


if __name__ == "__main__":
    sys.exit(main())
