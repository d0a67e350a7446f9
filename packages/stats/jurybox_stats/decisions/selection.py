"""From which score on a judge's images are surely good enough to train on, by people's answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Undefined

Z = 1.959963984540054
FOLDS = 5
NO_LABELS = "nobody has labelled an image of this slice"
NEVER = "the precision is never surely high enough"


@dataclass(frozen=True, slots=True)
class Step:
    """People's answers about the labelled images above `threshold`."""

    threshold: float
    n: int
    yes: int
    precision: Estimate | Undefined


@dataclass(frozen=True, slots=True)
class Calibrated:
    """`threshold` is None with the `reason` where no candidate's precision is surely high enough."""

    threshold: float | None
    reason: str
    curve: tuple[Step, ...]


def calibrated(
    scores: ArrayLike,
    yes: ArrayLike,
    candidates: Sequence[float],
    *,
    precision: float = 0.9,
    design_effect: float = 1.0,
) -> Calibrated | Undefined:
    """The smallest of `candidates` above which the share of yes has a lower 95 % end of at least
    `precision`: Wilson's interval (1927, JASA 22:209) with n divided by the design effect.

    `yes` is 1, 0 or nan where nobody answered. The precision at the threshold is seen on the labels
    that chose it: report it from other labels.
    """
    if not 0 < precision < 1:
        raise ValueError("the precision must lie between 0 and 1")
    if not 1 <= design_effect < inf:
        raise ValueError("the design effect must be 1 at least")
    score, said = np.asarray(scores, np.float64), np.asarray(yes, np.float64)
    if score.shape != said.shape:
        raise ValueError("scores and labels differ in length")
    if score.ndim != 1 or not np.isfinite(score).all():
        raise ValueError("every image needs a score")
    if not candidates:
        raise ValueError("there is no threshold to choose from")
    known = ~np.isnan(said)
    if not known.any():
        return Undefined(NO_LABELS)
    if not np.isin(said[known], (0, 1)).all():
        raise ValueError("labels are 1, 0 or missing")
    score, said = score[known], said[known]
    curve = []
    for threshold in sorted(candidates):
        above = score > threshold
        n, good = int(above.sum()), int(said[above].sum())
        curve.append(Step(threshold, n, good, _wilson(good, n, design_effect)))
    for step in curve:
        low = step.precision.low if isinstance(step.precision, Estimate) else None
        if low is not None and low >= precision:
            return Calibrated(step.threshold, "", tuple(curve))
    return Calibrated(None, NEVER, tuple(curve))


def _wilson(yes: int, n: int, design_effect: float = 1.0) -> Estimate | Undefined:
    if n == 0:
        return Undefined("there is no label above the threshold")
    share, size = yes / n, n / design_effect
    middle = share + Z * Z / (2 * size)
    reach = Z * sqrt(share * (1 - share) / size + Z * Z / (4 * size * size))
    scale = 1 + Z * Z / size
    return Estimate(
        share, max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale), n
    )


def held_out(
    scores: ArrayLike,
    yes: ArrayLike,
    prompts: ArrayLike,
    candidates: Sequence[float],
    *,
    precision: float = 0.9,
    design_effect: float = 1.0,
) -> np.ndarray | Undefined:
    """Which labelled images lie above a threshold that was chosen without their prompt: the answers of
    people on these give the precision of the rule, where the labels that chose cannot.

    Prompts are dealt into five folds in the order of their codes; a fold whose others find no threshold
    takes nothing.
    """
    score, said = np.asarray(scores, np.float64), np.asarray(yes, np.float64)
    codes = np.asarray(prompts)
    if not score.shape == said.shape == codes.shape:
        raise ValueError("scores, labels and prompts differ in length")
    known, fold = ~np.isnan(said), codes % FOLDS
    if np.unique(codes[known]).size < 2:
        return Undefined("labels of two prompts are needed", int(known.sum()))
    above = np.zeros(score.size, dtype=bool)
    for held in np.unique(fold).tolist():
        inside = fold == held
        if not (known & ~inside).any():
            continue
        found = calibrated(
            score[~inside],
            said[~inside],
            candidates,
            precision=precision,
            design_effect=design_effect,
        )
        if isinstance(found, Calibrated) and found.threshold is not None:
            above |= inside & known & (score > found.threshold)
    return above
