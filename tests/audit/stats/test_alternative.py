"""May the judge stand in for a person? The vectors are in tests/vectors."""

from __future__ import annotations

import pytest

from audit.stats.alternative import alt_test

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
