"""From which score on a judge says yes, when it has no verdict of its own.

A threshold tuned on the images it is then reported on flatters the judge. Here every image is
judged at a threshold that was chosen without its prompt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.roc import two_classes
from jurybox_stats.series import Floats, group_codes


@dataclass(frozen=True, slots=True)
class ChosenThreshold:
    """`threshold` is the best on all images; `verdicts` (score >= threshold, as booleans) come
    fold by fold from `by_fold`, and `agreement` is theirs: the number to report."""

    threshold: float
    agreement: Estimate
    verdicts: NDArray[np.bool_]
    by_fold: tuple[float, ...]
    folds: int
    seed: int


def _best(positive: NDArray[np.bool_], values: Floats) -> float:
    names, codes = np.unique(values, return_inverse=True)
    yes = np.bincount(codes, weights=positive, minlength=names.size)
    no = np.bincount(codes, weights=~positive, minlength=names.size)
    # Right at threshold k: the noes below it and the yeses from it on.
    right = np.r_[0, np.cumsum(no)] + np.r_[np.cumsum(yes[::-1])[::-1], 0]
    return float(np.r_[names, np.nextafter(names[-1], np.inf)][np.argmax(right)])


def cross_validated(
    labels: ArrayLike,
    scores: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    folds: int = 5,
    seed: int = 0,
) -> ChosenThreshold | Undefined:
    """Choose the threshold on all folds but one, judge that one; folds hold whole groups.

    k = 5 as in the GenEval paper (Ghosh et al. 2023), over prompts where they are given. Groups
    are dealt out in an order that is a fixed function of the seed (Philox).
    """
    if folds < 2:
        raise ValueError("cross-validation needs two folds at least")
    if seed < 0:
        raise ValueError("the seed must be a whole number from 0")
    series = two_classes(labels, scores)
    if isinstance(series, Undefined):
        return series
    positive, values = series
    n = values.size
    codes, size = group_codes(np.arange(n) if groups is None else groups, n)
    if size < folds:
        return Undefined(f"{size} prompts cannot be dealt into {folds} folds", n)
    order = np.argsort(np.random.Philox(key=seed).random_raw(size), kind="stable")
    fold_of = np.empty(size, np.int64)
    fold_of[order] = np.arange(size) % folds
    fold = fold_of[codes]
    verdicts = np.zeros(n, bool)
    by_fold = []
    for held_out in range(folds):
        inside = fold == held_out
        by_fold.append(_best(positive[~inside], values[~inside]))
        verdicts[inside] = values[inside] >= by_fold[-1]
    agreement = Estimate(float((verdicts == positive).mean()), None, None, n)
    return ChosenThreshold(
        _best(positive, values), agreement, verdicts, tuple(by_fold), folds, seed
    )
