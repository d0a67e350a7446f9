import numpy as np
import pytest

from jurybox_stats.counting import pairs, pairs_of_each
from jurybox_stats.counting.grouped_pairs import highest_between


def test_four_items_counted_by_hand():
    # Scores 1 2 2 3, levels 0 1 0 1. In order: (1,2), (1,4), (3,4); tied scores and levels are not.
    scores, levels = np.array([1.0, 2, 2, 3]), np.array([0, 1, 0, 1])
    assert pairs_of_each.right(scores, levels).tolist() == [2, 1, 1, 2]
    # Within 1 of each other only pairs of one level are right: (1,3), (2,4), and beyond it (1,4).
    assert pairs_of_each.right(scores, levels, 1.0).tolist() == [2, 1, 1, 2]


@pytest.mark.parametrize("epsilon", [None, 0.0, 0.1, 0.30000000000000004])
@pytest.mark.parametrize("levels", [2, 5, 40])
def test_each_item_s_pairs_are_those_of_a_look_at_every_pair(epsilon, levels):
    rng = np.random.default_rng(levels)
    for n in (1, 2, 30, 57):
        x, level = rng.integers(0, 9, n) * 0.1, pairs.dense(rng.integers(0, levels, n))
        higher = np.sign(x[:, None] - x[None, :])
        right = higher * np.sign(level[:, None] - level[None, :]) > 0
        if epsilon is not None:
            near = np.abs(x[:, None] - x[None, :]) <= epsilon
            right = np.where(near, level[:, None] == level[None, :], right)
            np.fill_diagonal(right, False)
        assert pairs_of_each.right(x, level, epsilon).tolist() == right.sum(axis=1).tolist()


def test_the_highest_of_any_stretch_is_found():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 50, 41).astype(float)
    first, last = np.triu_indices(41)
    expected = [values[a : b + 1].max() for a, b in zip(first, last, strict=True)]
    assert highest_between(values, first, last).tolist() == expected


def test_levels_counted_one_by_one_and_bit_by_bit_give_the_same(monkeypatch):
    rng = np.random.default_rng(6)
    x, level = rng.integers(0, 30, 90) * 0.1, rng.integers(0, 5, 90)
    one_by_one = [pairs_of_each.right(x, level, epsilon).tolist() for epsilon in (None, 0.0, 0.3)]
    monkeypatch.setattr(pairs_of_each, "FEW_LEVELS", 0)
    for epsilon, found in zip((None, 0.0, 0.3), one_by_one, strict=True):
        assert pairs_of_each.right(x, level, epsilon).tolist() == found
