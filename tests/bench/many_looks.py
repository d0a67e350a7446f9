"""Whoever looks as labels come in: how often every interval of a life holds the truth.
`python -m tests.bench.many_looks`

Lives of 150 prompts by 4 images and one judge, from the 30th label to the 400th.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass

import django
import numpy as np

from audit.stats import assisted
from audit.stats.over_time.evidence import at_any_look
from tests.bench.sizes import reached, sized

PROMPTS, IMAGES = 150, 4
FIRST, LAST = 30, 400


@dataclass(frozen=True, slots=True)
class Held:
    """Shares of lives in which the interval held at every look; and how much wider the second is."""

    one_look: float
    any_look: float
    wider: float


def held(lives: int, *, every: int = 1, seed: int = 1) -> Held:
    random = np.random.default_rng(seed)
    true = _truth()
    return Held(*np.mean([_life(random, true, every) for _ in range(lives)], axis=0).tolist())


def _chance(random: np.random.Generator, prompts: int) -> tuple[np.ndarray, np.ndarray]:
    prompt = np.repeat(np.arange(prompts), IMAGES)
    ease = 1 + random.normal(size=prompts)[prompt] + random.normal(size=prompt.size)
    return prompt, ease


def _truth() -> float:
    _, ease = _chance(np.random.default_rng(0), 500_000)
    return float((1 / (1 + np.exp(-ease))).mean())


def _life(random: np.random.Generator, true: float, every: int) -> tuple[bool, bool, float]:
    # With models behind it, so not before Django is set up.
    from audit.reports.human_scores import LOOKS

    prompt, ease = _chance(random, PROMPTS)
    people = (random.random(ease.size) < 1 / (1 + np.exp(-ease))) * 1.0
    judge = 1 / (1 + np.exp(-(ease + 0.7 * random.normal(size=ease.size))))
    order = random.permutation(ease.size)
    one = always = True
    wider = []
    for labels in range(FIRST, LAST + 1, every):
        said = np.full(ease.size, np.nan)
        said[order[:labels]] = people[order[:labels]]
        found = assisted.mean(said, judge[None, :], prompt)
        if not isinstance(found, assisted.Assisted):
            continue
        wide = at_any_look(found, scale=LOOKS)
        ends = found.low, found.high, wide.low, wide.high
        low, high, wide_low, wide_high = (float("nan") if end is None else end for end in ends)
        one &= low <= true <= high
        always &= wide_low <= true <= wide_high
        wider.append((wide_high - wide_low) / (high - low))
    return one, always, float(np.mean(wider))


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--lives", type=int, default=sized(400, 2))
    lives = arguments.parse_args().lives
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    found = held(lives)
    met = found.any_look >= 0.95
    print(
        f"every look at labels {FIRST} to {LAST}: the interval for one look holds in "
        f"{found.one_look:.3f} of lives, that for any number of looks in {found.any_look:.3f} "
        f"(goal 0.95, {'met' if met else 'MISSED'}), {found.wider:.2f} times as wide"
    )
    return 0 if reached(met) else 1


if __name__ == "__main__":
    sys.exit(main())
