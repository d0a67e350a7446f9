"""Whoever looks as labels come in: how often every interval of a life holds the truth.
`python -m tests.bench.many_looks`

Lives of 150 prompts by 4 images and one judge, from the 30th label to the 500th, where people say yes to
half of the images up to nearly all.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from functools import cache

import django
import numpy as np
from scipy.optimize import brentq

from jurybox_stats import assisted
from jurybox_stats.estimate import Estimate
from jurybox_stats.over_time.evidence import at_any_look
from tests.bench.sizes import reached, sized

PROMPTS, IMAGES = 150, 4
FIRST, LAST = 30, 500
SHARES = (0.5, 0.75, 0.9, 0.95, 0.97, 0.99)
# Looks past the first hundred labels are further apart: the intervals hardly move from one to the next.
MANY = 100


@dataclass(frozen=True, slots=True)
class Held:
    """Shares of lives in which the interval held at every look; how much wider the second is, and how wide
    it is at the last look beside one made for a normal mean, in points."""

    one_look: float
    any_look: float
    wider: float
    width: float
    normal: float


def held(lives: int, *, share: float = 0.75, every: int = 1, seed: int = 1) -> Held:
    random = np.random.default_rng([seed, round(1000 * share)])
    level = _level(share)
    lived = [_life(random, share, level, every) for _ in range(lives)]
    # In a life without a single no there is no interval and no width.
    return Held(*np.nanmean(lived, axis=0).tolist())


def _ease(random: np.random.Generator, prompts: int) -> tuple[np.ndarray, np.ndarray]:
    prompt = np.repeat(np.arange(prompts), IMAGES)
    return prompt, random.normal(size=prompts)[prompt] + random.normal(size=prompt.size)


@cache
def _level(share: float) -> float:
    """How easy images are on average where people say yes to so many of them."""
    _, ease = _ease(np.random.default_rng(0), 250_000)
    return float(brentq(lambda level: (1 / (1 + np.exp(-ease - level))).mean() - share, -3, 9))


def _life(
    random: np.random.Generator, true: float, level: float, every: int
) -> tuple[bool, bool, float, float, float]:
    # With models behind it, so not before Django is set up.
    from audit.reports.human_scores import LOOKS

    prompt, ease = _ease(random, PROMPTS)
    ease += level
    people = (random.random(ease.size) < 1 / (1 + np.exp(-ease))) * 1.0
    judge = 1 / (1 + np.exp(-(ease + 0.7 * random.normal(size=ease.size))))
    order = random.permutation(ease.size)
    one = always = True
    wider = []
    width = normal = np.nan
    for labels in [*range(FIRST, MANY, every), *range(MANY, LAST + 1, 5 * every)]:
        said = np.full(ease.size, np.nan)
        said[order[:labels]] = people[order[:labels]]
        found = assisted.mean(said, judge[None, :], prompt)
        if not isinstance(found, assisted.Assisted):
            continue
        wide = at_any_look(found, scale=LOOKS, ends=(0.0, 1.0))
        plain = at_any_look(found, scale=LOOKS)
        one &= _holds(found.low, true, found.high)
        always &= _holds(wide.low, true, wide.high)
        width, normal = 100 * _width(wide), 100 * _width(plain)
        wider.append(width / (100 * _width(found)))
    return one, always, float(np.mean(wider)) if wider else np.nan, width, normal


def _holds(low: float | None, true: float, high: float | None) -> bool:
    return low is not None and high is not None and low <= true <= high


def _width(found: Estimate) -> float:
    assert found.low is not None and found.high is not None
    return found.high - found.low


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--lives", type=int, default=sized(200, 2))
    lives = arguments.parse_args().lives
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    missed = 0
    for share in sized(SHARES, SHARES[:1]):
        found = held(lives, share=share)
        met = found.any_look >= 0.95 and found.width <= 1.3 * found.normal
        missed += not met
        print(
            f"people say yes to {share:.2f}: the interval for one look holds at every look in "
            f"{found.one_look:.3f} of lives, that for any number of looks in {found.any_look:.3f} "
            f"(goal 0.95), {found.wider:.2f} times as wide; ± {found.width / 2:.1f} points with "
            f"{LAST} labels, one for a normal mean ± {found.normal / 2:.1f} (goal: 1.3 times) "
            f"{'met' if met else 'MISSED'}",
            flush=True,
        )
    print(f"every look at labels {FIRST} to {LAST}: {missed} missed")
    return 0 if reached(not missed) else 1


if __name__ == "__main__":
    sys.exit(main())
