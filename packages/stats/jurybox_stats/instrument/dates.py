"""Since when: the dates at which one step explains what was read of all generators."""

from __future__ import annotations

import numpy as np
import scipy

from jurybox_stats.series import Floats

LEVEL = 0.1


def dates_of_one_step(values: Floats, dates: np.ndarray) -> list[int]:
    """`values`: rows x generators, of all prompts and without each. A date is in it where the generators
    before it are read alike and those since are, too (Hotelling's T squared, at 10 %). None are where
    there was more than one change, or a gradual one."""
    return [
        since
        for since in np.unique(dates)[1:].tolist()
        if _is_explained(values, np.asarray(dates) >= since)
    ]


def _is_explained(values: Floats, later: np.ndarray) -> bool:
    contrasts = np.concatenate([_from_the_mean(~later), _from_the_mean(later)])
    size, prompts = len(contrasts), values.shape[0] - 1
    if not size or prompts <= size:
        return True
    found = values @ contrasts.T
    away = found[1:] - found[1:].mean(axis=0)
    covariance = (prompts - 1) / prompts * away.T @ away
    # A contrast that no prompt moves cannot tell.
    squared = float(found[0] @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ found[0])
    f = squared * (prompts - size) / (size * (prompts - 1))
    return f <= float(scipy.special.fdtri(size, prompts - size, 1 - LEVEL))


def _from_the_mean(side: np.ndarray) -> Floats:
    """Each generator of a side but the last, less the mean of that side."""
    places = np.flatnonzero(side)
    rows = np.zeros((max(places.size - 1, 0), side.size))
    rows[:, places] = -1 / max(places.size, 1)
    rows[np.arange(len(rows)), places[:-1]] += 1
    return rows
