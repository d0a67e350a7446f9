"""May the judge stand in for a person? The vectors are in tests/vectors."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from jurybox_stats.alternative import alt_test, alt_tests, resampled_advantage
from jurybox_stats.resamples import Resamples

PEOPLE = [[1, 0] * 20, [1, 0] * 20, [1, 0] * 20]


def test_a_judge_that_says_what_all_say_beats_everybody():
    found = alt_test([1, 0] * 20, PEOPLE, epsilon=0.1)
    assert (found.winning_rate, found.advantage, found.passes, found.n) == (1, 1, True, 3)


def test_a_judge_that_says_the_opposite_beats_nobody():
    found = alt_test([0, 1] * 20, PEOPLE, epsilon=0.1)
    assert (found.winning_rate, found.advantage, found.passes) == (0, 0, False)


def test_differences_of_exactly_epsilon_say_nothing():
    found = alt_test([1, 0] * 20, PEOPLE, epsilon=0)
    assert [row.p for row in found.raters] == [None] * 3
    assert not found.passes


def test_people_with_few_images_are_not_tested():
    reason = alt_test([1, 0] * 10, [row[:20] for row in PEOPLE], epsilon=0.1).reason
    assert reason == "nobody has 30 images that 2 people labelled"


def test_another_scoring_is_a_mistake():
    with pytest.raises(ValueError, match="agreement"):
        alt_test([1], [[1], [1]], epsilon=0.1, scoring="closeness")


def test_several_prices_of_people_are_tested_at_once():
    found = alt_tests([1, 0] * 20, PEOPLE, epsilons=[0.2, 0.1])
    assert found == [alt_test([1, 0] * 20, PEOPLE, epsilon=price) for price in (0.2, 0.1)]


def test_the_advantage_has_an_interval_that_draws_prompts():
    judge = [1, 0] * 18 + [0, 1, 0, 1]
    draw = Resamples(range(40))
    found = draw.interval(lambda drawn: resampled_advantage(drawn, judge, PEOPLE))
    # All three people are alike: the share of images on which the judge says the same, 36 of 40.
    assert (found.value, found.n) == (pytest.approx(0.9), 40)
    spread = (0.9 * 0.1 / 39) ** 0.5
    # Four of forty make most of the spread: its kurtosis is (0.9^3 + 0.1^3) / (0.9 * 0.1).
    freedom = 80 / (0.73 / 0.09 - 1)
    half = stats.t.ppf(0.975, freedom) * spread / (0.9 * 0.1)
    assert found.low == pytest.approx(1 / (1 + math.exp(half) / 9), abs=1e-4)
    assert found.high == pytest.approx(1 / (1 + math.exp(-half) / 9), abs=1e-4)
