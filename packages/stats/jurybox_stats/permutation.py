"""Is one judge better than another, or did chance deal the prompts its way?

If the two judges were equally good, it would not matter whose score is whose. So their scores are
swapped, for all images of a prompt together, and the observed difference is compared with those
of the swaps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike

from jurybox_stats.estimate import Result, Undefined
from jurybox_stats.resampling.percentiles import plain
from jurybox_stats.series import Floats, constant, finite, group_codes

EXACT_UP_TO = 14  # clusters: up to here all 2^14 swaps are tried


@dataclass(frozen=True, slots=True)
class Test:
    """`difference` is a less b; `p` two-sided. `exact` when every swap was looked at."""

    __test__ = False  # not a test case, whatever pytest may think of the name

    difference: float
    p: float
    swaps: int
    exact: bool
    n: int


def paired(
    statistic: Callable[[np.ndarray, np.ndarray], Result | float],
    reference: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    swaps: int = 2000,
    seed: int = 0,
    scale: str | None = "rank",
) -> Test | Undefined:
    """statistic(reference, a) - statistic(reference, b), tested by swapping a and b.

    `scale` says how two judges with different scales are made comparable before the swap: "rank"
    (mid-ranks), "z" (standardised, as mt-metrics-eval does) or None (verdicts, or one scale).
    p = (1 + swaps at least as large) / (1 + swaps), or the plain share when all were looked at.
    Fisher 1935, The Design of Experiments, 21; Phipson & Smyth 2010, Stat. Appl. Genet. 9:39.
    """
    if scale not in ("rank", "z", None):
        raise ValueError(f"scale must be 'rank', 'z' or None, not {scale!r}")
    series = finite(reference, a, b)
    if isinstance(series, Undefined):
        return series
    truth, first, second = series
    n = truth.size
    if scale == "z" and (constant(first) or constant(second)):
        return Undefined("a judge whose scores are constant cannot be standardised", n)
    first, second = (_scaled(values, scale) for values in (first, second))
    observed = _difference(statistic, truth, first, second)
    if np.isnan(observed):
        return Undefined("the statistic is undefined for one of the judges", n)
    codes, size = group_codes(np.arange(n) if clusters is None else clusters, n, what="clusters")
    patterns, exact = swap_patterns(size, swaps, seed)
    swapped = np.array(
        [
            _difference(
                statistic,
                truth,
                np.where(swap[codes], second, first),
                np.where(swap[codes], first, second),
            )
            for swap in patterns
        ]
    )
    swapped = swapped[~np.isnan(swapped)]
    return Test(observed, _p(observed, swapped, exact), swapped.size, exact, n)


def swap_patterns(clusters: int, swaps: int, seed: int) -> tuple[np.ndarray, bool]:
    """A table swaps x clusters of True where names change; and whether it holds all there are.

    Bits come from Philox keyed by the seed, the same on every machine.
    """
    if swaps < 1 or seed < 0:
        raise ValueError("there must be at least one swap, and the seed a whole number from 0")
    if clusters <= EXACT_UP_TO:
        numbers = np.arange(2**clusters)[:, None]
        return (numbers >> np.arange(clusters)) & 1 == 1, True
    words = -(-clusters // 64)
    raw = np.random.Philox(key=seed).random_raw(swaps * words).reshape(swaps, words)
    bits = (raw[:, :, None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    return bits.reshape(swaps, -1)[:, :clusters] == 1, False


def _scaled(values: Floats, scale: str | None) -> Floats:
    if scale == "rank":
        return scipy.stats.rankdata(values)
    if scale == "z":
        return (values - values.mean()) / values.std()
    return values


def _difference(
    statistic: Callable[[np.ndarray, np.ndarray], Result | float],
    truth: Floats,
    first: Floats,
    second: Floats,
) -> float:
    return plain(statistic(truth, first)) - plain(statistic(truth, second))


def _p(observed: float, swapped: Floats, exact: bool) -> float:
    # Equal up to rounding is equal: a swap of everything gives the same difference, turned.
    as_large = int((np.abs(swapped) >= abs(observed) - 1e-12 * max(1.0, abs(observed))).sum())
    if exact:
        return as_large / swapped.size
    return (1 + as_large) / (1 + swapped.size)
