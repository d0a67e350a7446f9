"""Draws whole prompts for the intervals of a slice, and writes results into a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audit.reports.options import Options
from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.resamples import Resamples

METHOD = "jackknife"
INTERVAL = (
    "95 %. Shares and means between two ends: exact, mid-p, for the effective number of images. Of two "
    "verdicts: paired (Bonett and Price). Other differences: from the limits of both sides (MOVER). Others: "
    "Student’s t on the jackknife of prompts (logit or Fisher’s z), with the degrees of freedom of its spread "
    "(Satterthwaite). Agreement and order have no interval below 8 prompts of the rarer answer"
)


class NothingToDraw:
    """Stands for the draw where there are no images: every statistic is undefined."""

    def __getattr__(self, name: str) -> Callable[..., Undefined]:
        return lambda *args, **options: Undefined("no image has what this number needs", 0)


Draw = Resamples | NothingToDraw


def draw_of(prompts: np.ndarray, options: Options) -> Draw:
    if not len(prompts):
        return NothingToDraw()
    return Resamples(prompts, resamples=options.resamples, seed=options.seed)


def est(result: Result) -> dict[str, Any]:
    """A number as reports write it: with its interval, or the reason why there is none."""
    return result.as_dict()
