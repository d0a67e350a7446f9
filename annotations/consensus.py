"""Several people's answers -> one reference per image. Which rule was used is part of a signature.

`ratings` has a row per person and a column per image; nan where somebody did not answer. Kappa
wants a majority, a correlation wants a mean.
"""

from __future__ import annotations

import numpy as np


def majority(ratings: np.ndarray) -> np.ndarray:
    """The answer that more people gave than any other; nan for a draw, or where nobody answered."""
    out = np.full(ratings.shape[1], np.nan)
    given = ~np.isnan(ratings)
    if not given.any():
        return out
    values, codes = np.unique(ratings[given], return_inverse=True)
    image = np.broadcast_to(np.arange(out.size), ratings.shape)[given]
    votes = np.bincount(image * values.size + codes, minlength=out.size * values.size)
    votes = votes.reshape(out.size, values.size)
    most = votes.max(axis=1)
    decided = (most > 0) & ((votes == most[:, None]).sum(axis=1) == 1)
    out[decided] = values[votes[decided].argmax(axis=1)]
    return out


def mean(ratings: np.ndarray) -> np.ndarray:
    """The mean over the people who answered; nan where nobody did."""
    given = ~np.isnan(ratings)
    n = given.sum(axis=0)
    total = np.where(given, ratings, 0.0).sum(axis=0)
    return np.divide(total, n, out=np.full(ratings.shape[1], np.nan), where=n > 0)


def unanimous(ratings: np.ndarray) -> np.ndarray:
    """The answer that everybody gave, where two or more answered; nan elsewhere."""
    out = np.full(ratings.shape[1], np.nan)
    if not ratings.size:
        return out
    n = (~np.isnan(ratings)).sum(axis=0)
    low = np.where(np.isnan(ratings), np.inf, ratings).min(axis=0)
    high = np.where(np.isnan(ratings), -np.inf, ratings).max(axis=0)
    agreed = (n >= 2) & (low == high)
    out[agreed] = low[agreed]
    return out


def adjudicated(ratings: np.ndarray, decisions: np.ndarray) -> np.ndarray:
    """What was decided where people disagreed; elsewhere what most of them said.

    `decisions`: one value for each image, nan where nothing was decided.
    """
    return np.where(np.isnan(decisions), majority(ratings), decisions)


def every_atom(atoms: np.ndarray) -> np.ndarray:
    """A prompt is right when all its atoms are: atoms × images of 0 and 1, nan where a prompt has
    no such atom. An atom whose consensus is open leaves the prompt open, unless another is wrong;
    mark it with infinity."""
    out = np.full(atoms.shape[1], np.nan)
    if not atoms.size:
        return out
    given = ~np.isnan(atoms)
    wrong = (atoms == 0).any(axis=0)
    still_open = np.isinf(atoms).any(axis=0)
    out[given.any(axis=0) & ~still_open] = 1.0
    out[wrong] = 0.0
    return out


# What a report or an export may be asked for by name.
RULES = {"majority": majority, "mean": mean, "unanimous": unanimous, "adjudicated": adjudicated}


def reference(rule: str, ratings: np.ndarray, *, decisions: np.ndarray | None = None) -> np.ndarray:
    """One value per image by the named rule; nan where the rule gives none."""
    if rule not in RULES:
        raise ValueError(f"“{rule}” is no consensus; there are: {', '.join(RULES)}")
    if rule != "adjudicated":
        return RULES[rule](ratings)
    if decisions is None:
        decisions = np.full(ratings.shape[1], np.nan)
    return adjudicated(ratings, decisions)
