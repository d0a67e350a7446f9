"""How often the intervals of drawn labels hold the truth: `python -m tests.bench.drawn_worlds`.

Worlds of 150 prompts by 4 images with 160 labels, by one and two judges, drawn uniformly and by the
judges' uncertainty. The truth is people's mean over all prompts like these.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from jurybox_stats import assisted
from jurybox_stats.draws import drawn_sample
from tests.bench.sizes import sized

PROMPTS, IMAGES, LABELS = 150, 4, 160


@dataclass(frozen=True, slots=True)
class Covered:
    coverage: float  # of the truth by the assisted interval
    alone: float  # of the truth by that of labels alone
    width: float  # the assisted interval's, over that of labels alone
    bias: float
    bias_alone: float  # of the labels' weighted mean, without a judge
    bias_unweighted: float  # of the plain mean of the same labels


def covered(worlds: int, *, judges: int, by: str, seed: int, useless: bool = False) -> Covered:
    random = np.random.default_rng(seed)
    rows = [_world(random, judges, by, useless) for _ in range(worlds)]
    inside, alone, width, width_alone, off, off_alone, off_plain = np.array(rows, dtype=float).T
    return Covered(
        float(inside.mean()),
        float(alone.mean()),
        float(width.mean() / width_alone.mean()),
        float(off.mean()),
        float(off_alone.mean()),
        float(off_plain.mean()),
    )


def _world(random: np.random.Generator, judges: int, by: str, useless: bool) -> tuple:
    # Most images are right and judges are sure of these, so that uncertain ones are wrong more often.
    size = PROMPTS * IMAGES
    prompts = np.repeat(np.arange(PROMPTS), IMAGES)
    ease = 1.6 + 1.2 * random.normal(size=PROMPTS)[prompts] + 1.2 * random.normal(size=size)
    chance = 1 / (1 + np.exp(-ease))
    people = (random.random(size) < chance) * 1.0
    told = ease + (0.7 if not useless else 0.0) * random.normal(size=(judges, size))
    if useless:
        told = random.normal(size=(judges, size))
    scores = 1 / (1 + np.exp(-told))
    sure = scores.mean(axis=0)
    useful = np.ones(size) if by == "uniform" else np.sqrt(sure * (1 - sure))
    chances = np.asarray(assisted.inclusion(useful, LABELS))
    taken = drawn_sample.systematic(chances, [int(random.integers(1 << 62))])
    said = np.where(taken, people, np.nan)
    result = drawn_sample.mean(said, chances, prompts, scores)
    assert isinstance(result, assisted.Assisted)
    truth = TRUTH
    alone = result.alone
    return (
        result.low <= truth <= result.high,
        alone.low <= truth <= alone.high,
        result.high - result.low,
        alone.high - alone.low,
        result.value - truth,
        alone.value - truth,
        float(people[taken].mean()) - truth,
    )


def _truth() -> float:
    """The mean of 1 / (1 + exp(-x)) for x normal with mean 1.6 and variance 2 * 1.2^2."""
    x, weight = np.polynomial.hermite_e.hermegauss(80)
    value = 1 / (1 + np.exp(-(1.6 + np.sqrt(2 * 1.2**2) * x)))
    return float(weight @ value / weight.sum())


TRUTH = _truth()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worlds", type=int, default=sized(1500, 10))
    worlds = parser.parse_args().worlds
    print(f"{worlds} worlds: {PROMPTS} prompts by {IMAGES} images, {LABELS} labels")
    for judges in (1, 2):
        for by in ("uniform", "uncertainty"):
            made = covered(worlds, judges=judges, by=by, seed=0)
            print(
                f"{judges} judge{'s' if judges > 1 else ' '} {by:<12}"
                f"coverage {made.coverage:.3f} (alone {made.alone:.3f})  "
                f"width {made.width:.3f} of labels alone  "
                f"bias {made.bias:+.4f} (unweighted {made.bias_unweighted:+.4f})"
            )
    made = covered(worlds, judges=1, by="uniform", seed=0, useless=True)
    print(f"useless judge: coverage {made.coverage:.3f}, width {made.width:.3f} of labels alone")


if __name__ == "__main__":
    main()
