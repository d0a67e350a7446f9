"""How often evidence this large, averaged over several dates and claims, comes about where nothing moves.

Estimates at neighbouring dates share most of their images, so a bound for whatever depends on what is
wide. What each prompt adds to each estimate says how they go together: normal deviates with the same
correlations are drawn, always the same ones, and evidence is read off them in the same way.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import scipy

from jurybox_stats.series import Floats

DRAWS, SEED = 10_000, 0


def chance(evidence: float, left_out: Floats, *, stakes: Floats, falls: np.ndarray) -> float:
    """`left_out`: prompts × estimates, each without one prompt. `stakes`: scale / error of each
    estimate, as in `over_time.evidence`; `falls` where only a fall counts."""
    z = _deviates(left_out.shape[1]) @ _root(left_out).T
    r = stakes**2
    share = r / (1 + r)
    won = np.exp(z**2 / 2 * share) / np.sqrt(1 + r)
    won[:, falls] *= 2 * scipy.special.ndtr(-z[:, falls] * np.sqrt(share[falls]))
    found = won.mean(axis=1)
    return (1 + int((found >= evidence).sum())) / (1 + DRAWS)


@lru_cache(maxsize=4)
def _deviates(columns: int) -> Floats:
    return np.random.default_rng(SEED).standard_normal((DRAWS, columns))


def _root(left_out: Floats) -> Floats:
    """A matrix R with R R′ the correlations of the estimates."""
    centred = left_out - left_out.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    standard = centred / np.where(length > 0, length, 1.0)
    correlations = standard.T @ standard
    np.fill_diagonal(correlations, 1.0)
    values, vectors = np.linalg.eigh(correlations)
    return vectors * np.sqrt(np.maximum(values, 0.0))
