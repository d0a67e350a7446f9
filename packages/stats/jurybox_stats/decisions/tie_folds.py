"""Pairwise accuracy within prompts at an epsilon that was chosen on other prompts.

An epsilon tuned on the pairs that it is then reported on flatters judges with fine scores, which have
more to tune.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from jurybox_stats import ties
from jurybox_stats.counting.grouped_pairs import GroupedPairs
from jurybox_stats.estimate import Undefined
from jurybox_stats.resampling.kinds import find_kinds, merge_alike
from jurybox_stats.series import Codes, Floats, finite, group_codes


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
    people, scores = series
    codes, size = group_codes(prompts, people.size, what="prompts")
    listed, row = _list_pairs(people, scores, codes, size)
    paired = np.flatnonzero(listed.per_group[row] > 0)
    if paired.size < folds:
        return Undefined(
            f"{paired.size} prompts with two images cannot be dealt into {folds} folds", people.size
        )
    order = np.argsort(np.random.Philox(key=seed).random_raw(paired.size), kind="stable")
    fold_of = np.full(size, -1)
    fold_of[paired[order]] = np.arange(paired.size) % folds
    accuracy, chosen = np.zeros(size), []
    for fold in range(folds):
        others = _pairs_of_prompts(listed, row[(fold_of >= 0) & (fold_of != fold)])
        best = ties.calibrate_among(others, people.size)
        if isinstance(best, Undefined):
            return Undefined(best.reason, people.size)
        here = row[fold_of == fold]
        accuracy[fold_of == fold] = listed.right(best.epsilon)[here] / listed.per_group[here]
        chosen.append(best.epsilon)
    return Folded(accuracy[paired], paired, tuple(chosen), people.size)


def _list_pairs(
    people: Floats, scores: Floats, codes: Codes, size: int
) -> tuple[GroupedPairs, Codes]:
    """The pairs, and which of their groups each prompt is: of items of few kinds, prompts that hold the same
    are one group."""
    kinds = find_kinds(people, scores)
    if kinds is None:
        return GroupedPairs.from_columns(people, scores, codes, None), np.arange(size)
    number = kinds.values[0].size
    cells = np.bincount(codes * number + kinds.codes, minlength=size * number)
    held, row = merge_alike(cells.reshape(size, number))
    alike = np.bincount(row)
    said, scored = kinds.values
    return GroupedPairs.from_kinds(said, scored, held.astype(np.int64), alike), row


def _pairs_of_prompts(listed: GroupedPairs, rows: Codes) -> GroupedPairs:
    """The pairs of the prompts that are these rows, each as often as it comes."""
    alike = np.bincount(rows, minlength=listed.per_group.size)
    found = listed.pairs_of_groups(alike > 0)
    if listed.groups_alike is None:
        return found
    return replace(found, groups_alike=alike, size=int(alike @ found.per_group))
