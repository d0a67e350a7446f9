"""Draws whole prompts for the intervals of a slice, and writes results into a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audit.reports.options import Options
from audit.stats.estimate import Result, Undefined
from audit.stats.resamples import Resamples
from audit.stats.resampling.cluster_order import by_content
from audit.stats.resampling.small_samples import MOST_LEFT_OUT

METHOD = "jackknife"
INTERVAL = (
    "95 %; shares and means between two ends: exact, mid-p, for the effective number of images; "
    "differences: from the limits of both sides (MOVER); others: Student’s t on the jackknife of prompts "
    f"(logit or Fisher’s z), with more than {MOST_LEFT_OUT} prompts percentiles of a bootstrap that draws "
    "whole prompts"
)


class NothingToDraw:
    """Stands for the draw where there are no images: every statistic is undefined."""

    def __getattr__(self, name: str) -> Callable[..., Undefined]:
        return lambda *args, **options: Undefined("no image has what this number needs", 0)


Draw = Resamples | NothingToDraw


def draw_of(prompts: np.ndarray, options: Options, *held: np.ndarray) -> Draw:
    """`held` is all that this draw is asked about, item by item."""
    if not len(prompts):
        return NothingToDraw()
    return Resamples(
        numbered(prompts, *held), resamples=options.resamples, seed=options.seed, method=METHOD
    )


def numbered(prompts: np.ndarray, *held: np.ndarray) -> np.ndarray:
    """The prompts in an order that no name decides, where one is needed: the jackknife has none."""
    few = np.unique(prompts).size <= MOST_LEFT_OUT
    return prompts if few else by_content(prompts, *held)


def est(result: Result) -> dict[str, Any]:
    """A number as reports write it: with its interval, or the reason why there is none."""
    return result.as_dict()
