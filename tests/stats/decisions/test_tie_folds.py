"""Ties calibrated on other prompts than those that are counted."""

from __future__ import annotations

import numpy as np
import pytest

from jurybox_stats import ties
from jurybox_stats.decisions import tie_folds
from jurybox_stats.decisions.tie_folds import cross_validated


def test_a_judge_whose_noise_lies_below_its_steps_is_always_right():
    # Each prompt: people 0, 0, 1; the judge 0.1 apart on the tie, 1 apart else.
    human = np.tile([0.0, 0.0, 1.0], 10)
    metric = np.tile([0.0, 0.1, 1.1], 10)
    found = cross_validated(human, metric, prompts=np.repeat(np.arange(10), 3))
    assert found.accuracy.tolist() == [1.0] * 10
    assert found.epsilon_by_fold == (pytest.approx(0.1),) * 5


def test_pure_noise_gains_nothing_from_an_epsilon_of_other_prompts():
    rng = np.random.default_rng(5)
    human, metric = rng.integers(0, 4, 400) / 3, rng.random(400)
    prompts = np.repeat(np.arange(100), 4)
    tuned = ties.calibrate(human, metric, groups=prompts).accuracy
    assert cross_validated(human, metric, prompts=prompts).accuracy.mean() < tuned


def test_prompts_with_one_image_take_no_part():
    human, metric = [0, 1] * 5 + [1], [0, 1] * 5 + [0.5]
    found = cross_validated(human, metric, prompts=[p for p in range(5) for _ in "ab"] + [9])
    assert found.prompts.tolist() == [0, 1, 2, 3, 4]
    assert found.n == 11


@pytest.mark.parametrize("seed", range(12))
def test_items_of_few_kinds_give_the_digits_of_the_listed_pairs(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    size, prompts = int(rng.integers(40, 900)), int(rng.integers(8, 200))
    human = rng.integers(0, rng.integers(2, 5), size) / 3
    metric = rng.integers(0, rng.integers(2, 5), size) / 2
    asked = rng.integers(0, prompts, size)
    found = cross_validated(human, metric, prompts=asked)
    with monkeypatch.context() as patched:
        patched.setattr(tie_folds, "find_kinds", lambda *items: None)
        listed = cross_validated(human, metric, prompts=asked)
    assert found.accuracy.tolist() == listed.accuracy.tolist()
    assert found.prompts.tolist() == listed.prompts.tolist()
    assert (found.epsilon_by_fold, found.n) == (listed.epsilon_by_fold, listed.n)
