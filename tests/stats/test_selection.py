"""The calibrated threshold against every threshold tried one by one."""

import numpy as np
import pytest
from scipy.stats import binomtest

from jurybox_stats.decisions.selection import NEVER, calibrated

NAN = float("nan")


def lower_end(said):
    return binomtest(int(said.sum()), said.size).proportion_ci(method="wilson").low


def test_it_is_the_smallest_of_all_thresholds_that_are_surely_precise_enough():
    rng, found = np.random.default_rng(7), 0
    for _ in range(500):
        n = int(rng.integers(5, 60))
        scores = rng.integers(0, 20, n) / 20
        yes = np.where(rng.random(n) < 0.3, NAN, rng.random(n) < 0.3 + 0.7 * scores)
        if np.isnan(yes).all():
            continue
        grid, wanted = np.unique(scores), None
        for t in grid[::-1]:
            said = yes[(scores > t) & ~np.isnan(yes)]
            if said.size and lower_end(said) >= 0.6:
                wanted = t
        ours = calibrated(scores, yes, grid.tolist(), precision=0.6)
        assert ours.threshold == wanted
        assert ours.reason == ("" if wanted is not None else NEVER)
        found += wanted is not None
    assert 100 < found < 400


def test_clustered_labels_need_a_higher_threshold():
    scores, yes = np.arange(100) / 100, np.r_[np.zeros(20), np.ones(80)]
    grid = scores.tolist()
    alone = calibrated(scores, yes, grid).threshold
    assert calibrated(scores, yes, grid, design_effect=1.5).threshold > alone


@pytest.mark.parametrize("order", [1, -1])
def test_the_order_of_the_candidates_does_not_matter(order):
    scores, yes = np.arange(100) / 100, np.r_[np.zeros(20), np.ones(80)]
    assert calibrated(scores, yes, scores[::order].tolist()).threshold == pytest.approx(
        0.15, abs=0.05
    )
