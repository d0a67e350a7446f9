import itertools

import numpy as np
import pytest

from jurybox_stats.counting import pairs


def test_five_items_counted_by_hand():
    # x 1 1 2 3 3, y 1 2 2 1 3: (1,2) tied x, (1,3) C, (1,4) tied y, (1,5) C, (2,3) tied y,
    # (2,4) D, (2,5) C, (3,4) D, (3,5) C, (4,5) tied x
    found = pairs.count(np.array([1.0, 1, 2, 3, 3]), np.array([1.0, 2, 2, 1, 3]))
    assert found == pairs.PairCounts(10, 4, 2, 2, 2, 0)


@pytest.mark.parametrize("seed", range(4))
def test_counts_equal_a_look_at_every_pair(seed):
    rng = np.random.default_rng(seed)
    for _ in range(60):
        n = int(rng.integers(2, 25))
        x = rng.integers(0, 7, n) * 0.1
        y = rng.integers(0, 4, n).astype(float)
        epsilon = float(rng.choice([0, 0.1, 0.2, 0.30000000000000004]))
        concordant = tied_near = concordant_near = 0
        for i, j in itertools.combinations(range(n), 2):
            near = abs(x[i] - x[j]) <= epsilon
            agrees = (x[i] - x[j]) * (y[i] - y[j]) > 0
            concordant += agrees
            tied_near += near and y[i] == y[j]
            concordant_near += near and agrees
        assert pairs.count(x, y).concordant == concordant
        levels = pairs.dense(y)
        assert pairs.near(x, levels, epsilon) == (tied_near, concordant_near)


def test_nearness_is_that_of_the_float_difference_not_of_a_shifted_value():
    # 0.3 - 0.1 is 0.19999999999999998 in floats: within 0.19999999999999998, and within 0.2,
    # although 0.3 - 0.2 is 0.09999999999999998, below 0.1.
    values = np.array([0.1, 0.3])
    assert pairs.near(values, np.zeros(2, int), 0.3 - 0.1)[0] == 1
    assert pairs.near(values, np.zeros(2, int), np.nextafter(0.3 - 0.1, 0))[0] == 0


def test_rounding_the_difference_is_an_option():
    values, level = np.array([0.0, 0.1234]), np.zeros(2, int)
    assert pairs.near(values, level, 0.123, decimals=3)[0] == 1
    assert pairs.near(values, level, 0.123)[0] == 0
