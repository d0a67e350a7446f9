"""From a statistic's resampled values to its interval."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy

from jurybox_stats.estimate import Estimate, Result, Undefined
from jurybox_stats.series import Floats

# An interval from resamples of which more than this share has no value would be a guess.
UNDEFINED_SHARE = 0.05


def plain(result: Result | float) -> float:
    if isinstance(result, Undefined):
        return float("nan")
    return float(result.value if isinstance(result, Estimate) else result)


def interval(
    point: Result | float,
    values: Callable[[Floats], Floats],
    counts: Floats,
    n: int,
    method: str = "percentile",
    confidence: float = 0.95,
) -> Result:
    """The point with its interval. `values(counts)` is the statistic of each row of counts.

    An interval that would leave its own estimate out is widened to reach it.
    """
    if method not in ("percentile", "bca", "jackknife"):
        raise ValueError(f"method must be percentile, bca or jackknife, not {method!r}")
    if not 0 < confidence < 1:
        raise ValueError("confidence must lie between 0 and 1")
    if isinstance(point, Undefined):
        return point
    value = plain(point)
    n = point.n if isinstance(point, Estimate) else n
    if not np.isfinite(value):
        return Undefined("the statistic is not a finite number", n)
    clusters = counts.shape[1]
    if clusters < 2:
        return Undefined("one prompt only: there is nothing to resample", n)
    drawn = values(counts)
    defined = drawn[~np.isnan(drawn)]
    missing = drawn.size - defined.size
    if missing > UNDEFINED_SHARE * drawn.size:
        return Undefined(
            f"too few to judge: {missing} of {drawn.size} resamples leave it undefined", n
        )
    tail = (1 - confidence) / 2
    shares = np.array([tail, 1 - tail])
    if method == "bca":
        left_out = values(1.0 - np.eye(clusters))
        shares = _bca_shares(value, defined, left_out[~np.isnan(left_out)], shares)
    low, high = np.quantile(defined, shares)
    return Estimate(value, float(min(low, value)), float(max(high, value)), n)


def _bca_shares(value: float, drawn: Floats, left_out: Floats, shares: Floats) -> Floats:
    """Bias-corrected and accelerated quantiles (Efron 1987, JASA 82:171).

    z0 from the share of resamples below the estimate (half of those equal to it), a from the
    skewness of the values with one cluster left out.
    """
    # Equal but for the last digits is equal: rounding must not tip the bias either way.
    equal = np.abs(drawn - value) <= 1e-12 * max(1.0, abs(value))
    below = (((drawn < value) & ~equal).sum() + equal.sum() / 2) / drawn.size
    if not 0 < below < 1 or left_out.size == 0:
        return shares
    pull = left_out.mean() - left_out
    spread = float((pull**2).sum())
    a = float((pull**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    z0, z = scipy.special.ndtri(below), scipy.special.ndtri(shares)
    return scipy.special.ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))
