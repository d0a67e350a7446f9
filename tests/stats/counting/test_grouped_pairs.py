import numpy as np
import pytest

from jurybox_stats.counting import grouped_pairs
from jurybox_stats.series import SAMPLE


@pytest.mark.parametrize(
    "values",
    [
        [],
        [1.0, 0.0, 1.0, 0.5, 0.0],
        # What the first ones do not show is there, too.
        [0.0] * SAMPLE + [3.0, 0.0, 2.0],
        np.random.default_rng(1).normal(size=50),
    ],
)
def test_gaps_ascend_and_equal_ones_stay_as_they_came(values):
    expected = np.argsort(np.array(values, dtype=float), kind="stable")
    assert grouped_pairs._ascending(np.array(values, dtype=float)).tolist() == expected.tolist()
