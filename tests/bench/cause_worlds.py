"""How often each cause of a moved gap is found, and the other four are not:
`python -m tests.bench.cause_worlds`.

Worlds of 150 prompts by 4 images on either side, half of the first side's images answered about again as
anchors, with one cause planted. Every image has a hidden ease; people say yes where it lies below a limit, so that
the same image gets the same answer again but for one in twenty.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from jurybox_stats.causes import PARTS, Anchors, Causes, Side, attribute
from jurybox_stats.multiplicity import LEVEL
from tests.bench.sizes import reached, sized

PROMPTS, IMAGES, RESAMPLES = 150, 4, 400
# By how much each cause moves the gap, as a share; of the mix, how far the share of counts moves.
SIZE, MIX = 0.12, 0.35
# Judges score counts so much lower than people.
HARD = 0.35
FORGETS = 0.05


@dataclass(frozen=True, slots=True)
class Found:
    """Shares of worlds. `others` are the four parts that were not planted."""

    planted: float  # its interval leaves 0 out
    covered: dict[str, float]  # each other part's interval holds 0
    alarms: float  # Holm calls at least one of the others a cause


def found(part: str, worlds: int, seed: int = 1) -> Found:
    random = np.random.default_rng([seed, PARTS.index(part)])
    planted, alarms = 0, 0
    covered = dict.fromkeys(sorted(set(PARTS) - {part}), 0)
    for life in range(worlds):
        causes = world(random, life, **{part: MIX if part == "mix" else SIZE})
        planted += not _holds_0(causes, part)
        for other in covered:
            covered[other] += _holds_0(causes, other)
        alarms += any(causes.p[other] <= LEVEL for other in covered)
    return Found(planted / worlds, {k: n / worlds for k, n in covered.items()}, alarms / worlds)


def _holds_0(causes: Causes, part: str) -> bool:
    estimate = causes.parts[part]
    assert estimate and estimate.low is not None and estimate.high is not None
    return bool(estimate.low <= 0 <= estimate.high)


def world(
    random: np.random.Generator,
    seed: int,
    *,
    judge: float = 0.0,
    people: float = 0.0,
    wording: float = 0.0,
    mix: float = 0.0,
    within: float = 0.0,
) -> Causes:
    prompt = np.repeat(np.arange(PROMPTS), IMAGES)
    old, limits = _side(random, prompt, judge, counts=0.5)
    today = limits["limit"] - people
    new, _ = _side(
        random, prompt + PROMPTS, judge, counts=0.5 + mix, less=people + wording + within
    )
    image = np.sort(random.choice(prompt.size, prompt.size // 2, replace=False))

    def again(limit: np.ndarray) -> np.ndarray:
        said = (limits["ease"] < limit) * 1.0
        forgets = random.random(said.size) < FORGETS
        return np.where(forgets, (random.random(said.size) < limit) * 1.0, said)[image]

    anchors = Anchors(
        image,
        np.asarray(old.human)[image],
        again(today),
        again(today - wording),
        np.asarray(old.judge_old)[image],
        np.asarray(old.judge_new)[image],
    )
    made = attribute(old, new, anchors, resamples=RESAMPLES, seed=seed)
    assert isinstance(made, Causes)
    return made


def _side(
    random: np.random.Generator,
    prompt: np.ndarray,
    judge: float,
    *,
    counts: float,
    less: float = 0.0,
) -> tuple[Side, dict[str, np.ndarray]]:
    """People say yes where the ease lies below 0.6 and what they have in mind of the prompt, less `less`."""
    first = prompt - prompt.min()
    kind = np.where(random.random(PROMPTS) < counts, "count", "color")[first]
    limit = np.clip(0.6 + 0.1 * random.normal(size=PROMPTS)[first], 0.3, 0.9)
    ease = random.random(prompt.size)
    human = (ease < limit - less) * 1.0
    score = np.clip(limit + 0.1 * random.normal(size=prompt.size), 0, 1) - HARD * (kind == "count")
    return Side(prompt, kind, human, score, score + judge), {"limit": limit, "ease": ease}


def rows(worlds: int) -> list[tuple[str, Found, bool]]:
    told = []
    for part in PARTS:
        one = found(part, worlds)
        told.append((part, one, one.planted >= 0.9 and min(one.covered.values()) >= 0.93))
    return told


def main(show: Callable[[str], None] = print) -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--worlds", type=int, default=sized(200, 2))
    asked = arguments.parse_args()
    met = True
    show(f"{'planted':<10}{'found':>8}  {'of the others, 0 is in':<60}{'false causes':>13}  goal")
    for part, one, good in rows(asked.worlds):
        met &= good
        others = ", ".join(f"{name} {share:.3f}" for name, share in one.covered.items())
        show(
            f"{part:<10}{one.planted:>8.3f}  {others:<60}{one.alarms:>13.3f}  "
            f"{'met' if good else 'MISSED'}"
        )
    return 0 if reached(met) else 1


if __name__ == "__main__":
    sys.exit(main())
