"""Sums in pieces of bits are the sums of all numbers one by one."""

import math

import numpy as np
import pytest

from jurybox_stats.resampling import exact_sums


@pytest.mark.parametrize(
    "made",
    [
        lambda rng, n: rng.random(n),
        lambda rng, n: rng.normal(size=n) * 10.0 ** rng.integers(-30, 30, n),
        lambda rng, n: np.exp(80 * rng.normal(size=n)) * rng.choice([-1, 1], n),
        lambda rng, n: rng.normal(size=n) * 5e-324**0.9,
        lambda rng, n: np.r_[1e300, rng.random(n - 2), -1e300],
        lambda rng, n: rng.integers(-(2**60), 2**60, n),
        lambda rng, n: rng.random(n) < 0.5,
    ],
)
@pytest.mark.parametrize("n", [2, 64, 65, 1000, exact_sums.PIECE + 7])
def test_a_total_is_rounded_once(made, n):
    values = made(np.random.default_rng(n), n)
    assert exact_sums.total(values) == math.fsum(values.tolist())


def test_what_is_missing_stays_missing_in_a_total():
    values = np.random.default_rng(0).random(100)
    values[30] = np.nan
    assert math.isnan(exact_sums.total(values))
    values[30] = np.inf
    assert exact_sums.total(values) == np.inf
