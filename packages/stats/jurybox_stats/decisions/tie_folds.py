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
from jurybox_stats.sums.by_gap import ByGap, PairList
from jurybox_stats.sums.cells import Cells, Members, count, find_kinds


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
    members = Members.from_slices(codes, [np.flatnonzero(fold_of[codes] >= 0)])
    cells = Cells.from_members(
        members, series, np.ones(codes.size, dtype=bool), find_kinds(*series)
    )
    human, metric = cells.values(0), cells.values(1)
    # Prompts that hold the same are one row.
    rows, row, fold = cells.times.size, cells.merged, fold_of[paired]
    listed = PairList.from_items(
        human, metric, cells.number, cells.row, np.zeros(rows, np.int64), cells.times
    )
    held = count(fold * rows + row, size=folds * rows).reshape(folds, rows)
    # Each fold is chosen for by the others.
    epsilon = ByGap(listed.in_slices(cells.times - held), folds).best()[1].tolist()
    accuracy = np.stack([listed.accuracy_at(chosen) for chosen in epsilon])[fold, row]
    return Folded(accuracy, paired, tuple(epsilon), codes.size)
