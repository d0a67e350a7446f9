"""Several people's answers to one reference, as named rules; and atoms to a prompt.

Tables are raters x units with NaN where somebody said nothing; the result has one value per unit,
NaN where the rule gives none (no answer, or no majority). Which rule was used belongs in the
signature of whatever is computed from it: kappa wants a majority, a correlation wants a mean.

The rules themselves are the label room's (`annotations.consensus`, plain numpy), so that a study's
reference and a notebook's are one and the same; here their input is checked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from annotations import consensus
from audit.stats.series import Floats, ratings_array


def majority(ratings: ArrayLike) -> Floats:
    """The value that more raters gave than any other; NaN where two values share the lead."""
    return consensus.majority(ratings_array(ratings))


def mean(ratings: ArrayLike) -> Floats:
    """The mean of those who answered."""
    return consensus.mean(ratings_array(ratings))


def unanimous(ratings: ArrayLike) -> Floats:
    """The value that all gave, where two or more answered; NaN elsewhere."""
    return consensus.unanimous(ratings_array(ratings))


def every_atom(atoms: ArrayLike) -> Floats:
    """A prompt is right when all its atoms are (GenEval 2): 1 or 0 per unit.

    Atoms x units with values 0 and 1, NaN where a prompt has no such atom. NaN without any atom.
    """
    return consensus.every_atom(_atoms(atoms))


def share_of_atoms(atoms: ArrayLike) -> Floats:
    """The share of a prompt's atoms that are right; NaN without any atom."""
    return consensus.mean(_atoms(atoms))


def _atoms(atoms: ArrayLike) -> Floats:
    table = ratings_array(atoms)
    if not np.isin(table[~np.isnan(table)], (0.0, 1.0)).all():
        raise ValueError("atoms must be 0 or 1")
    return table
