"""How many times as many images would tell whether a judge drifts, if it does what it seems to do."""

from __future__ import annotations

import math

from scipy.stats import norm

from audit.stats.instrument.stability import CLAIMS, LEVEL, POINTS, SHARE, Step, Steps

POWER = 0.8
MOST = 1e4


def times_as_many(steps: Steps) -> float:
    """The nearer of two ends: every date inside, or a drift at the likeliest one. Errors fall with the
    root of the images."""
    inside = max(_until_inside(step) for step in steps.steps)
    return min(max(1.0, min(inside, _until_found(steps))), MOST)


def _until_inside(step: Step) -> float:
    z = float(norm.ppf(1 - LEVEL) + norm.ppf(POWER))
    least = math.log1p(-SHARE) if step.in_logs else -SHARE
    return max(
        _times(z * step.offset.error, POINTS - abs(step.offset.value)),
        _times(z * step.gain.error, step.gain.value - least),
    )


def _until_found(steps: Steps) -> float:
    tests = len(CLAIMS) * len(steps.steps)
    z = float(norm.ppf(1 - LEVEL / 2 / tests) + norm.ppf(POWER))
    step = steps.likeliest
    return _times(z, max(map(step.strength, CLAIMS)))


def _times(wide: float, room: float) -> float:
    return math.inf if room <= 0 else (wide / room) ** 2
