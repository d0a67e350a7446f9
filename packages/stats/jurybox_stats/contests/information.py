"""How much one more vote between two systems would tell, under the fit as it stands.

The expected gain in the logarithm of the determinant of the information (D-optimality) of one vote whose
outcome has information i about the difference of two strengths that is known with variance v: log(1 + i v).
For a vote without ties i is p (1 - p), the largest where the outcome is open; v is large where two systems have
met seldom.
"""

from __future__ import annotations

import numpy as np

from jurybox_stats.contests.fit import Contest
from jurybox_stats.estimate import Undefined
from jurybox_stats.series import Floats


def worth(found: Contest) -> Floats | Undefined:
    """Systems x systems, 0 on the diagonal."""
    strengths = np.array([one.value for one in found.strengths])
    spread = found.covariance
    if not np.isfinite(spread).all():
        return Undefined("votes on one prompt only tell no errors", found.n)
    own = np.diag(spread)
    variance = np.maximum(own[:, None] + own[None, :] - 2 * spread, 0.0)
    tie = found.tie.value if found.tie is not None else 0.0
    told = np.log1p(information(strengths[:, None] - strengths[None, :], tie) * variance)
    np.fill_diagonal(told, 0.0)
    return np.asarray(told)


def information(difference: Floats, tie: float = 0.0) -> Floats:
    """Fisher's, of one vote by Davidson's model with ties of weight `tie`; p (1 - p) without any."""
    win, lose = np.exp(difference / 2), np.exp(-difference / 2)
    total = win + lose + tie
    return np.asarray((win + lose) / total / 4 - ((win - lose) / total / 2) ** 2)
