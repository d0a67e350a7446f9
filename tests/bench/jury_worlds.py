"""How often a jury is said to be better than its best member: `python -m tests.bench.jury_worlds [WORLDS]`.

Planted worlds of eight judges, six images a prompt; half of the prompts tune, half test. One line each: the mean
gain, how often it says “better”, how often the interval holds the mean gain of all worlds, and the same where the
suggested jury is tested.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from jurybox_stats.decisions import panel
from jurybox_stats.estimate import Undefined

IMAGES, JUDGES, LEVEL = 6, 8, 0.05
Floats = np.ndarray


def one_good(truth: Floats, rng: np.random.Generator) -> Floats:
    scores = rng.normal(size=(JUDGES, truth.size))
    scores[0] += 1.5 * truth
    return scores


def one_error(truth: Floats, rng: np.random.Generator) -> Floats:
    return np.tile(1.5 * truth + rng.normal(size=truth.size), (JUDGES, 1))


def noise(truth: Floats, rng: np.random.Generator) -> Floats:
    return rng.normal(size=(JUDGES, truth.size))


def equal(truth: Floats, rng: np.random.Generator) -> Floats:
    return truth + rng.normal(size=(JUDGES, truth.size))


def two_halves(truth: Floats, rng: np.random.Generator) -> Floats:
    scores = rng.normal(size=(JUDGES, truth.size))
    prompt = np.arange(truth.size) // IMAGES
    for judge in (0, 1):
        scores[judge] += np.where(prompt // 2 % 2 == judge, 3.0 * truth, 0.0)
    return scores


# World -> whether the jury is better in truth.
WORLDS: dict[Callable[[Floats, np.random.Generator], Floats], bool] = {
    one_good: False,
    one_error: False,
    noise: False,
    equal: True,
    two_halves: True,
}


def measure(
    make: Callable[[Floats, np.random.Generator], Floats],
    prompts: int,
    worlds: int,
    *,
    suggested: bool,
) -> dict[str, float]:
    gains = []
    for seed in range(worlds):
        rng = np.random.default_rng([seed, prompts])
        truth = (rng.random(prompts * IMAGES) < 0.5) * 1.0
        scores = make(truth, rng)
        prompt = np.repeat(np.arange(prompts), IMAGES)
        tuning = prompt % 2 == 0
        members, tried = [*range(JUDGES)], 1
        if suggested:
            suggestion = panel.suggest(
                scores[:, tuning], truth[tuning], truth[tuning], prompt[tuning]
            )
            members, tried = [*suggestion.members], suggestion.tried
        found = panel.test_once(scores[members], truth, truth, prompt, tuning, panel.tune_stack)
        if not isinstance(found, Undefined):
            interval = found.gain.interval(1 - LEVEL / tried)
            assert interval.low is not None and interval.high is not None
            gains.append((interval.value, interval.low, interval.high))
    mean = float(np.mean([gain for gain, *_ in gains]))
    return {
        "gain": mean,
        "better": float(np.mean([low > 0 for _, low, _ in gains])),
        "holds": float(np.mean([low <= mean <= high for _, low, high in gains])),
    }


def main() -> None:
    worlds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("prompts  world        gain   better  holds | suggested: gain   better  holds")
    for prompts in (60, 120) if worlds > 20 else (60,):
        for make in WORLDS:
            cells = [measure(make, prompts, worlds, suggested=one) for one in (False, True)]
            shown = " | ".join(
                f"{one['gain']:+.3f}  {one['better']:.3f}   {one['holds']:.3f}" for one in cells
            )
            print(f"{prompts:>7}  {make.__name__:<11} {shown}", flush=True)


if __name__ == "__main__":
    main()
