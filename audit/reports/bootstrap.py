"""One draw of whole prompts for each slice, and how its results are written into a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audit.reports.options import Options
from audit.stats.estimate import Result, Undefined
from audit.stats.intervals import Resamples


class NothingToDraw:
    """A draw from no images at all: each of its statistics is undefined, and says so."""

    def __getattr__(self, name: str) -> Callable[..., Undefined]:
        return lambda *args, **options: Undefined("no image has what this number needs", 0)


def draw_of(prompts: np.ndarray, options: Options) -> Resamples | NothingToDraw:
    if not len(prompts):
        return NothingToDraw()
    return Resamples(prompts, resamples=options.resamples, seed=options.seed)


def est(result: Result) -> dict[str, Any]:
    """EST of the contract: a value with its interval, or the reason why there is none."""
    return result.as_dict()
