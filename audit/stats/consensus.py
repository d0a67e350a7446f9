"""Several people's answers to one reference, as named rules; and atoms to a prompt.

Tables are raters x units with NaN where somebody said nothing; the result has one value per unit,
NaN where the rule gives none (no answer, or no majority). Which rule was used belongs in the
signature of whatever is computed from it: kappa wants a majority, a correlation wants a mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from audit.stats.series import Floats, ratings_array


def majority(ratings: ArrayLike) -> Floats:
    """The value that more raters gave than any other; NaN where two values share the lead."""
    table = ratings_array(ratings)
    present = ~np.isnan(table)
    found = np.full(table.shape[1], np.nan)
    if not present.any():
        return found
    names, codes = np.unique(table[present], return_inverse=True)
    unit = np.broadcast_to(np.arange(table.shape[1]), table.shape)[present]
    votes = np.bincount(unit * names.size + codes, minlength=found.size * names.size)
    votes = votes.reshape(found.size, names.size)
    most = votes.max(axis=1)
    decided = (most > 0) & ((votes == most[:, None]).sum(axis=1) == 1)
    found[decided] = names[votes[decided].argmax(axis=1)]
    return found


def mean(ratings: ArrayLike) -> Floats:
    """The mean of those who answered."""
    table = ratings_array(ratings)
    present = ~np.isnan(table)
    held = present.sum(axis=0)
    total = np.where(present, table, 0).sum(axis=0)
    return np.where(held > 0, total / np.maximum(held, 1), np.nan)


def unanimous(ratings: ArrayLike) -> Floats:
    """The common value where all who answered gave one and the same; NaN elsewhere."""
    table = ratings_array(ratings)
    present = ~np.isnan(table)
    low = np.where(present, table, np.inf).min(axis=0, initial=np.inf)
    high = np.where(present, table, -np.inf).max(axis=0, initial=-np.inf)
    return np.where(low == high, low, np.nan)


def every_atom(atoms: ArrayLike) -> Floats:
    """A prompt is right when all its atoms are (GenEval 2): 1 or 0 per unit.

    Atoms x units with values 0 and 1, NaN where a prompt has no such atom. NaN without any atom.
    """
    table = _atoms(atoms)
    present = ~np.isnan(table)
    right = np.where(present, table, 1).min(axis=0, initial=1)
    return np.where(present.any(axis=0), right, np.nan)


def share_of_atoms(atoms: ArrayLike) -> Floats:
    """The share of a prompt's atoms that are right; NaN without any atom."""
    return mean(_atoms(atoms))


def _atoms(atoms: ArrayLike) -> Floats:
    table = ratings_array(atoms)
    if not np.isin(table[~np.isnan(table)], (0.0, 1.0)).all():
        raise ValueError("atoms must be 0 or 1")
    return table
