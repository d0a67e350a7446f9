"""How many times as many images would tell whether a judge drifts, if it does what it seems to do; and how
many prompts and people until a drift of a given size would be found."""

from __future__ import annotations

import math

import numpy as np
import scipy

from jurybox_stats.instrument.moments import Answers, Moments
from jurybox_stats.instrument.stability import (
    CLAIMS,
    DRIFT_LEVEL,
    LEVEL,
    POINTS,
    SHARE,
    Step,
    Steps,
)

POWER = 0.8
MOST = 1e4


def times_as_many(steps: Steps) -> float:
    """The nearer of two ends: every date inside, or a drift at the likeliest one. Errors fall with the
    root of the images."""
    inside = [_until_offset_inside(step) for step in steps.steps]
    inside.append(_until_gain_inside(steps.steps[-1]))
    return min(max(1.0, min(max(inside), _until_found(steps))), MOST)


def times_until_sure(p: float) -> float:
    """How many times as many images bring evidence of this chance below the level of a drift."""
    now = -float(scipy.special.ndtri(p / 2))
    wanted = float(-scipy.special.ndtri(DRIFT_LEVEL / 2) + scipy.special.ndtri(POWER))
    return min(max(1.0, _times(wanted, now)), MOST)


def _until_offset_inside(step: Step) -> float:
    return _times(_wide(step.surer.error), POINTS - abs(step.surer.value))


def _until_gain_inside(step: Step) -> float:
    if step.gain is None:
        return math.inf
    least = math.log1p(-SHARE) if step.in_logs else -SHARE
    return _times(_wide(step.gain.error), step.gain.value - least)


def _wide(error: float) -> float:
    """So far from an end an estimate must be for its interval to lie inside, most often."""
    return error * float(scipy.special.ndtri(1 - LEVEL) + scipy.special.ndtri(POWER))


def _until_found(steps: Steps) -> float:
    tests = len(CLAIMS) * len(steps.steps)
    z = float(scipy.special.ndtri(1 - LEVEL / 2 / tests) + scipy.special.ndtri(POWER))
    step = steps.likeliest
    return _times(z, max(map(step.strength, step.claims)))


def _times(wide: float, room: float) -> float:
    return math.inf if room <= 0 else (wide / room) ** 2


def noise_of_one(sums: Moments, answers: Answers) -> float | None:
    """How much single answers vary about what people would say of the image on average; None without two
    answers of any image."""
    twice, several = float(sums.twice.sum()), answers.count > 1
    if not twice:
        return None
    of_means = float((sums.square_twice - sums.pair).sum()) / twice
    return max(0.0, of_means / float((1 / answers.count[several]).mean()))


def share_of_people(step: Step, noise: float, answers: Answers, *, points: float = 100.0) -> float:
    """Of the squared error of a step's offset, what people's noise makes up: it falls with more answers
    for each image, and the rest does not. `points`: how many one unit of people's scale is."""
    old, new = float(step.compared.reference.images[0]), float(step.compared.later.images[0])
    part = points**2 * noise * float((1 / answers.count).mean()) * (1 / old + 1 / new)
    return min(1.0, part / step.offset.error**2)


def prompts_to_tell(size: float, error: float, *, prompts: int, tests: int) -> int:
    """So many prompts in all until a change of `size` is found with a chance of 80 %, where `prompts` gave
    this error, and each of so many tests could have been the one (Bonferroni)."""
    z = float(scipy.special.ndtri(1 - LEVEL / 2 / tests) + scipy.special.ndtri(POWER))
    return math.ceil(min(prompts * (z * error / size) ** 2, MOST * prompts))


def error_with(error: float, share: float, *, people: float, now: float) -> float:
    """With so many answers for each image in place of those of now (the harmonic mean)."""
    return error * float(np.sqrt(1 - share + share * now / people))
