"""Would the judge's ranking of generators be another one?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from jurybox_stats.decisions.rankings import (
    Tables,
    _shortest_interval,
    rankings,
    soft_pairwise,
    tables,
)
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.ranking import soft_pairwise_accuracy

PROMPTS = 40


def made(*means: float, seed: int = 0) -> np.ndarray:
    noise = np.random.default_rng(seed).normal(size=(len(means), PROMPTS))
    return np.array(means)[:, None] + 0.1 * (noise - noise.mean(axis=1, keepdims=True))


def both(people: np.ndarray, judge: np.ndarray) -> Tables:
    return Tables(people, judge, np.arange(len(people)))


def test_one_swapped_pair_of_three_is_a_third():
    # 3 pairs: two in the same order, one not: tau = (2 - 1) / 3.
    found = rankings(both(made(1, 2, 3), made(1, 3, 2, seed=1)), resamples=200)
    assert found.tau.value == pytest.approx(1 / 3)
    assert found.swapped.value == 1
    assert (found.by_people, found.by_judge) == ((2, 1, 0), (1, 2, 0))
    (swap,) = found.swaps
    assert (swap.first, swap.second) == (2, 1)
    assert (swap.people.value, swap.judge.value) == (pytest.approx(1), pytest.approx(-1))
    assert swap.people.low > 0 > swap.judge.high


def test_a_ranking_that_no_draw_of_prompts_changes_has_no_interval_of_zero_width():
    found = rankings(both(made(1, 2, 3), made(1, 2, 3, seed=1)), resamples=200)
    assert found.tau == Estimate(1.0, None, None, 3)
    assert found.swapped == Estimate(0.0, None, None, 3)


def test_drawing_generators_too_makes_the_interval_wider():
    people, judge = made(1, 2, 3, 4, 5, 6), made(2, 1, 3, 4, 6, 5, seed=1)
    found = rankings(both(people, judge), resamples=400)
    prompts, together = found.tau, found.tau_over_both
    assert prompts.value == together.value == pytest.approx(11 / 15)
    assert prompts.low is None
    assert together.low < 11 / 15 < together.high


def test_the_interval_leaves_out_each_prompt_in_turn():
    people, judge = made(1.00, 1.01, 1.03), made(1.02, 1.01, 1.0, seed=1)
    found = soft_pairwise(both(people, judge))
    assert found.value == soft_pairwise_accuracy(people, judge).value
    without = [
        soft_pairwise_accuracy(np.delete(people, p, axis=1), np.delete(judge, p, axis=1)).value
        for p in range(PROMPTS)
    ]
    spread = np.sqrt((PROMPTS - 1) * np.var(without))
    half = stats.t.ppf(0.975, 39) * spread
    ends = max(found.value - half, 0.0), min(found.value + half, 1.0)
    assert (found.low, found.high) == pytest.approx(ends)


def test_a_judge_that_is_as_sure_as_people_of_every_pair_may_be_less_so_on_other_prompts():
    people = made(1.00, 1.01, 1.03)
    found = soft_pairwise(both(people, people))
    assert (found.value, found.high) == (1, 1)
    # All forty prompts could have gone otherwise: 1 - 0.05^(1/40).
    assert found.low == pytest.approx(0.05 ** (1 / 40))


def test_what_has_few_steps_has_the_shortest_interval_that_holds_95_of_100_draws():
    tau = np.array([1.0] * 960 + [1 / 3] * 40)
    assert _shortest_interval(1.0, tau) == (1, 1)
    assert _shortest_interval(1.0, np.array([1.0] * 900 + [1 / 3] * 100)) == (
        pytest.approx(1 / 3),
        1,
    )
    # The value itself is always in it.
    assert _shortest_interval(0.0, tau) == (0, 1)


def test_only_prompts_that_all_generators_have_are_compared():
    generators, prompts = (part.ravel() for part in np.indices((3, 35)))
    values = generators + prompts / 100.0
    # The third has five images only, the second lacks the first prompt.
    there = ((generators < 2) | (prompts < 5)) & ~((generators == 1) & (prompts == 0))
    found = tables(values[there], -values[there], generators[there], prompts[there])
    assert found.generators.tolist() == [0, 1]
    assert found.people.shape == (2, 34)
    assert sorted(found.people[0]) == pytest.approx([p / 100 for p in range(1, 35)])
    assert found.judge == pytest.approx(-found.people)


def test_names_of_prompts_change_no_digit():
    generators, prompts = (part.ravel() for part in np.indices((2, 35)))
    rng = np.random.default_rng(3)
    people, judge = rng.random((2, 70))
    renamed = rng.permutation(35)[prompts]
    one, other = (tables(people, judge, generators, names) for names in (prompts, renamed))
    assert rankings(one, resamples=50) == rankings(other, resamples=50)
    assert soft_pairwise(one) == soft_pairwise(other)


def test_generators_without_prompts_in_common_cannot_be_ranked():
    found = tables(np.ones(60), np.ones(60), np.repeat([0, 1], 30), np.arange(60))
    assert found == Undefined(
        "the 2 generators share 0 prompts with labels and scores, at least 10 needed", 2
    )
