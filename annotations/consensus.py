"""Several people's answers -> one reference per image. Which rule was used is part of a signature.

`ratings` has a row per person and a column per image; nan where somebody did not answer. Kappa
wants a majority, a correlation wants a mean.
"""

from __future__ import annotations

import numpy as np


def majority(ratings: np.ndarray) -> np.ndarray:
    """The answer that more people gave than any other; nan for a draw, or where nobody answered."""
    out = np.full(ratings.shape[1], np.nan)
    if not ratings.size:
        return out
    values = np.unique(ratings[~np.isnan(ratings)])
    counts = np.stack([(ratings == value).sum(axis=0) for value in values]) if values.size else None
    if counts is None:
        return out
    best = counts.max(axis=0)
    decided = (best > 0) & ((counts == best).sum(axis=0) == 1)
    out[decided] = values[counts.argmax(axis=0)[decided]]
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
