"""Trust the judge or ask people? From which confidence on its verdicts may stand.

Thresholds are tried from the strictest down, and the first that cannot be shown to hold ends the
walk, so that all tests together are wrong at most as often as one (Jung et al., ICLR 2025).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Undefined
from jurybox_stats.series import binary, finite


@dataclass(frozen=True, slots=True)
class Trust:
    """From `threshold` on the judge disagrees with people in at most `risk` of the images.

    None where no threshold can be shown to do so, with the reason; then nothing is accepted.
    `share` of the labelled images would stand; `bound` is the most they may disagree.
    """

    threshold: float | None
    share: float
    accepted: int
    wrong: int | None
    bound: float | None
    reason: str
    n: int


def threshold(
    confidence: ArrayLike,
    agrees: ArrayLike,
    *,
    risk: float = 0.1,
    level: float = 0.05,
    candidates: ArrayLike | None = None,
    design_effect: float = 1.0,
) -> Trust | Undefined:
    """`agrees` is 1 where judge and people say the same; candidates are all confidences if None.

    At each threshold the bound is Clopper and Pearson's upper end, level one-sided, of the share
    that disagrees. With fewer images than ln(level) / ln(1 - risk) no threshold could pass whatever
    people answer: such ones are no tests.
    """
    if not 0 < risk < 1 or not 0 < level < 1 or not design_effect >= 1:
        raise ValueError("risk and level lie between 0 and 1, the design effect is 1 or more")
    series = finite(confidence, at_least=0)
    if isinstance(series, Undefined):
        return series
    sure, right = series[0], binary(agrees)
    if right.size != sure.size:
        raise ValueError("confidence and agreement must have one value for each image")
    if not sure.size:
        return Undefined("no labelled image")
    tried = finite(np.unique(sure if candidates is None else np.asarray(candidates)))
    if isinstance(tried, Undefined):
        return tried
    least = math.ceil(math.log(level) / math.log(1 - risk) - 1e-9)
    best: Trust | None = None
    for cut in tried[0][::-1]:
        accepted = sure >= cut
        n, wrong = int(accepted.sum()), int((accepted & ~right).sum())
        if n / design_effect < least:
            continue
        bound = _upper(wrong / design_effect, n / design_effect, level)
        if bound > risk:
            return best or _none("the strictest threshold fails", sure.size)
        best = Trust(float(cut), n / sure.size, n, wrong, bound, "", sure.size)
    return best or _none("too few labelled images for any threshold to pass", sure.size)


def _upper(wrong: float, n: float, level: float) -> float:
    return 1.0 if wrong >= n else float(scipy.special.betaincinv(wrong + 1, n - wrong, 1 - level))


def _none(reason: str, n: int) -> Trust:
    return Trust(None, 0.0, 0, None, None, reason, n)
