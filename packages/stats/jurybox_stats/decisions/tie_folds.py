"""Pairwise accuracy within prompts at an epsilon that was chosen on other prompts.

An epsilon tuned on the pairs that it is then reported on flatters judges with fine scores, which have
more to tune.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Undefined
from jurybox_stats.series import Codes, Floats, finite, group_codes
from jurybox_stats.sums.statistics import ByPrompt


@dataclass(frozen=True, slots=True)
class Folded:
    """The accuracy of each prompt that has a pair, at the epsilon of its fold."""

    accuracy: Floats
    prompts: Codes
    epsilon_by_fold: tuple[float, ...]
    n: int


def cross_validated(
    human: ArrayLike, metric: ArrayLike, *, prompts: ArrayLike, folds: int = 5, seed: int = 0
) -> Folded | Undefined:
    """Choose epsilon on all folds of prompts but one, count that one's pairs at it."""
    if folds < 2:
        raise ValueError("cross-validation needs two folds at least")
    if seed < 0:
        raise ValueError("the seed must be a whole number from 0")
    series = finite(human, metric)
    if isinstance(series, Undefined):
        return series
    codes, size = group_codes(prompts, series[0].size, what="prompts")
    paired = np.flatnonzero(np.bincount(codes, minlength=size) > 1)
    if paired.size < folds:
        return Undefined(
            f"{paired.size} prompts with two images cannot be dealt into {folds} folds", codes.size
        )
    order = np.argsort(np.random.Philox(key=seed).random_raw(paired.size), kind="stable")
    fold_of = np.full(size, -1)
    fold_of[paired[order]] = np.arange(paired.size) % folds
    of_item = fold_of[codes]
    # Each fold is chosen for by the others: a slice of these, and one of its own.
    others = [np.flatnonzero((of_item >= 0) & (of_item != fold)) for fold in range(folds)]
    epsilon = ByPrompt.of_slices(codes, series, others).pairs.best()[1].tolist()
    accuracy = np.zeros(size)
    for fold, chosen in enumerate(epsilon):
        own = np.flatnonzero(of_item == fold)
        here = ByPrompt.of_slices(codes, series, [own], by_kind=False)
        accuracy[np.unique(codes[own])] = here.pairs.accuracy_at(chosen)[1]
    return Folded(accuracy[paired], paired, tuple(epsilon), codes.size)
