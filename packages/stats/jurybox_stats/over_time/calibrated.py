"""A score read on people's scale, as it was on the reference generators, and the other way round."""

from __future__ import annotations

import numpy as np
import scipy

from jurybox_stats.resampling.exact_sums import by_group
from jurybox_stats.series import Codes, Floats

FOLDS = 5
TINY = 1e-12  # two means of the same items differ by less


def out_of_fold(target: Floats, given: Floats, fit_on: np.ndarray, prompts: Codes) -> Floats:
    """What `target` is where `given` is so much, never falling in it: isotonic regression (Ayer et al.
    1955, Ann. Math. Stat. 26:641) on the items of `fit_on`, between its steps a straight line.

    No item is read from a fit that saw its prompt: prompts are dealt into five folds in the order of
    their codes. NaN where a fold leaves nothing to fit on.
    """
    fold = prompts % FOLDS
    found = np.full(target.size, np.nan)
    for held_out in range(FOLDS):
        inside, seen = fold == held_out, fit_on & (fold != held_out)
        if seen.any():
            found[inside] = _fitted(target[seen], given[seen], given[inside])
    return found


def flat_folds(target: Floats, given: Floats, fit_on: np.ndarray, prompts: Codes) -> list[int]:
    """The folds of `out_of_fold` whose curve is one constant. Where it is all of them, `given` does
    not order the items, and the only thing in which they differ is their fold."""
    fold = prompts % FOLDS
    flat = []
    for held_out in np.unique(fold).tolist():
        seen = fit_on & (fold != held_out)
        if seen.any() and np.ptp(_fitted(target[seen], given[seen], given[seen])) < TINY:
            flat.append(held_out)
    return flat


def _fitted(target: Floats, given: Floats, at: Floats) -> Floats:
    steps, place = np.unique(given, return_inverse=True)
    sizes = np.bincount(place).astype(np.float64)
    means = by_group(target, place, steps.size) / sizes
    return np.interp(at, steps, scipy.optimize.isotonic_regression(means, weights=sizes).x)
