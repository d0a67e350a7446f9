"""A judge's score read as the share of people who say yes: how far is it from that share?

Of images on which people differ the share says more than their majority. Brier 1950, Mon. Weather
Rev. 78:1; the logarithmic score: Good 1952, J. R. Stat. Soc. B 14:107.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.resampling.exact_sums import mean
from jurybox_stats.series import Floats, finite


def squared(probability: ArrayLike, share: ArrayLike) -> Floats | Undefined:
    """(p - s)^2 of each item: its mean is the Brier score, 0 at best."""
    series = read_shares(probability, share)
    return series if isinstance(series, Undefined) else (series[0] - series[1]) ** 2


def surprise(probability: ArrayLike, share: ArrayLike) -> Floats | Undefined:
    """-s ln p - (1 - s) ln(1 - p) of each item, in nats: its mean is the log score."""
    series = read_shares(probability, share)
    if isinstance(series, Undefined):
        return series
    p, s = series
    sure = int((((p == 0) & (s > 0)) | ((p == 1) & (s < 1))).sum())
    if sure:
        return Undefined(
            f"on {sure} images it says 0 or 1 and somebody says the contrary: the log score is "
            "infinite",
            p.size,
        )
    return -(scipy.special.xlogy(s, p) + scipy.special.xlogy(1 - s, 1 - p))


def brier(probability: ArrayLike, share: ArrayLike) -> Estimate | Undefined:
    """The mean of `squared`, without an interval."""
    items = squared(probability, share)
    if isinstance(items, Undefined):
        return items
    return Estimate(mean(items), None, None, items.size)


def log_score(probability: ArrayLike, share: ArrayLike) -> Estimate | Undefined:
    """The mean of `surprise`, without an interval."""
    items = surprise(probability, share)
    if isinstance(items, Undefined):
        return items
    return Estimate(mean(items), None, None, items.size)


def read_shares(*series: ArrayLike) -> tuple[Floats, Floats] | Undefined:
    found = finite(*series)
    if isinstance(found, Undefined):
        return found
    p, s = found
    if s.min() < 0 or s.max() > 1:
        raise ValueError("the share of people who say yes lies between 0 and 1")
    if p.min() < 0 or p.max() > 1:
        outside = int(((p < 0) | (p > 1)).sum())
        return Undefined(f"{outside} scores lie outside 0 to 1 and are no probabilities", p.size)
    return p, s


def always_the_average(share: Floats) -> Floats:
    """`squared` of somebody who gives the mean share every time: what a judge has to beat."""
    return (share - np.float64(mean(share))) ** 2
