"""The search for the best epsilon, with its short cuts forced on small data."""

import tracemalloc

import numpy as np
import pytest

from jurybox_stats.counting import differences, tie_calibration
from tests.stats.test_ties import by_looking_at_every_pair


@pytest.mark.parametrize("seed", range(3))
def test_every_stage_of_the_search_agrees_with_a_look_at_every_pair(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    for case in range(80):
        monkeypatch.setattr(tie_calibration, "LISTED", int(rng.choice([1, 7, 300])))
        monkeypatch.setattr(tie_calibration, "SHORT", int(rng.choice([0, 5, 24])))
        monkeypatch.setattr(differences, "CHUNK", int(rng.choice([3, 64])))
        monkeypatch.setattr(differences, "MANY_LEVELS", int(rng.choice([2, 64])))
        n = int(rng.integers(2, 50))
        human = rng.integers(0, int(rng.integers(1, 20)), n).astype(float)
        metric = human * rng.choice([0, 0.2]) + rng.normal(size=n)
        metric = (metric, np.round(metric, 1), np.exp(6 * metric), 1 + metric * 1e-15)[case % 4]
        found = tie_calibration.best_epsilon(human, metric)
        assert found == by_looking_at_every_pair(human, metric)


@pytest.mark.parametrize("levels", [2, 3, 5])
@pytest.mark.parametrize("shape", ["plain", "piled up", "long tail", "rounded"])
def test_lists_long_enough_for_cells_agree_with_a_look_at_every_pair(levels, shape):
    rng = np.random.default_rng(levels)
    quality = rng.normal(size=1200)
    human = np.clip(np.rint(quality * 1.2 + levels / 1.5), 1, levels)
    metric = quality + rng.normal(size=1200)
    metric = {
        "plain": metric, "piled up": 1 / (1 + np.exp(-8 * metric)),
        "long tail": np.exp(6 * metric), "rounded": np.round(metric, 2),
    }[shape]  # fmt: skip
    assert tie_calibration.best_epsilon(human, metric) == by_looking_at_every_pair(human, metric)
    rounded = tie_calibration.best_epsilon(human, metric, 3)
    assert rounded == by_looking_at_every_pair(human, metric, 3)


def test_an_optimum_within_the_last_digit_of_a_score_is_found():
    human = np.array([1.0, 1, 2, 2, 3, 3])
    metric = np.array([0, 5e-324, 1, np.nextafter(1, 2), 2, np.nextafter(2, 3)])
    assert tie_calibration.best_epsilon(human, metric) == by_looking_at_every_pair(human, metric)


@pytest.mark.parametrize("decimals", [None, 1])
def test_few_kinds_of_items_are_held_beside_each_other_as_every_pair_is(decimals, monkeypatch):
    rng = np.random.default_rng(6)
    listed = []
    ours = tie_calibration._list_kinds
    monkeypatch.setattr(
        tie_calibration, "_list_kinds", lambda *given: (listed.append(1), ours(*given))
    )
    for steps in (1, 2, 3, 4):
        human = rng.integers(0, 3, 90).astype(float)
        metric = np.round(human + rng.normal(size=90), 1) // 0.7 * 0.07 * steps
        expected = by_looking_at_every_pair(human, metric, decimals)
        monkeypatch.setattr(tie_calibration, "FEW", 300)
        assert tie_calibration.best_epsilon(human, metric, decimals) == expected
        monkeypatch.setattr(tie_calibration, "FEW", 0)
        assert tie_calibration.best_epsilon(human, metric, decimals) == expected
    assert len(listed) == 4


def test_a_deep_search_holds_the_counts_of_one_step_at_a_time():
    # Scores that are cut off at both ends: here the search is a hundred steps deep, of megabytes each.
    rng, size = np.random.default_rng(0), 20_000
    right = rng.random(size) < 0.7
    score = np.clip(0.3 + 0.4 * right + rng.normal(size=size), 0, 1).round(4)
    no, yes = ((rng.random((3, size)) < 0.1).sum(axis=0) for _ in range(2))
    human = np.where(right, 3 - no, yes) / 3
    tracemalloc.start()
    try:
        found = tie_calibration.best_epsilon(human, score)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found[0] > 0
    assert peak < 50 * 2**20
