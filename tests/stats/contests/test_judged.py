"""What a judge's scores say about pairs. Expected values by hand."""

from __future__ import annotations

import numpy as np
import pytest

from jurybox_stats.contests.judged import (
    accuracy,
    at_epsilon,
    ceiling,
    group_accuracy,
    preferred,
)


def test_scores_within_epsilon_are_a_tie():
    assert at_epsilon(np.array([0.3, 0.2, -0.2, -0.3]), 0.2).tolist() == [0, 2, 2, 1]


def test_epsilon_is_chosen_on_the_other_prompts():
    # Nine prompts say that 0.1 apart is a tie, the tenth that it is not.
    difference = [0.1, 0.5, -0.5] * 10
    said = [2, 0, 1] * 9 + [0, 0, 1]
    prompts = np.repeat(np.arange(10), 3)
    found = preferred(difference, said, prompts=prompts, folds=10)
    assert found.epsilon_by_fold == (0.1,) * 10
    assert found.said.tolist() == [2, 0, 1] * 10


def test_without_ties_among_people_epsilon_is_0():
    difference, said = [0.1, -0.2, 0.3, -0.4], [0, 1, 0, 1]
    found = preferred(difference, said, prompts=[1, 2, 3, 4], folds=2)
    assert found.epsilon_by_fold == (0.0, 0.0)
    assert found.said.tolist() == said


def test_epsilon_is_the_one_that_a_search_of_all_finds():
    rng = np.random.default_rng(3)
    difference = np.round(rng.normal(0, 0.4, 120), 1)
    said = np.where(
        rng.random(120) < 0.3, 2, np.where(difference + rng.normal(0, 0.3, 120) > 0, 0, 1)
    )
    prompts = np.arange(120) % 2
    found = preferred(difference, said, prompts=prompts, folds=2)

    def best(side):
        tried = np.unique([0.0, *np.abs(difference[side])])
        right = [(at_epsilon(difference[side], e) == said[side]).sum() for e in tried]
        return tried[int(np.argmax(right))]

    assert sorted(found.epsilon_by_fold) == sorted(best(prompts == side) for side in (0, 1))


def test_accuracy_counts_ties_as_an_answer_of_their_own():
    prompts = np.arange(40) // 2
    found = accuracy([0, 2] * 20, [0, 1] * 20, prompts=prompts, resamples=200)
    assert (found.value, found.low, found.high, found.n) == (0.5, None, None, 40)


def test_an_interval_draws_whole_prompts():
    # Twenty prompts all right, twenty all wrong, ten votes each: as wide as that of forty votes.
    said = np.repeat([0, 1], 200)
    found = accuracy(said, np.zeros(400, int), prompts=np.arange(400) // 10, resamples=2000)
    assert found.value == 0.5
    assert found.high - found.low == pytest.approx(2 * 1.96 * (0.25 / 40) ** 0.5, rel=0.1)


def test_the_ceiling_is_how_often_two_people_say_the_same():
    # Three on the first pair: of its three pairs of people one agrees; two on the second agree.
    found = ceiling([1, 1, 1, 2, 2, 3], [0, 0, 1, 2, 2, 0], prompts=[1, 1, 1, 2, 2, 3])
    assert found.value == pytest.approx((3 * (1 / 3) + 2 * 1) / 5)
    assert found.n == 5


def test_one_vote_a_pair_tells_no_ceiling():
    assert ceiling([1, 2], [0, 1], prompts=[1, 2]).reason == "no pair has votes of two people"


def test_a_group_is_right_only_where_all_its_pairs_are():
    # Three groups of two pairs, voted on once: both right, one right, both right.
    people = [0, 1, 0, 0, 2, 1]
    judge = [0, 1, 0, 1, 2, 1]
    found = group_accuracy(judge, people, pairs=range(6), groups=[1, 1, 2, 2, 3, 3], resamples=200)
    assert (found.value, found.n) == (pytest.approx(2 / 3), 3)


def test_of_a_pair_most_votes_count_and_a_pair_without_most_has_no_answer():
    # Group 1: pair 0 by two of three votes, pair 1 by one. Group 2: pair 2 is undecided, one is left.
    # The same again as groups 3 and 4.
    people = np.array([0, 0, 1, 1, 0, 1, 0] * 2)
    pairs = np.array([0, 0, 0, 1, 2, 2, 3, 10, 10, 10, 11, 12, 12, 13])
    groups = np.array([1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4])
    judge = np.array([0, 0, 0, 1, 0, 0, 1] * 2)
    found = group_accuracy(judge, people, pairs=pairs, groups=groups, resamples=200)
    assert (found.value, found.n) == (1.0, 2)
    judge[pairs == 0] = 1
    assert group_accuracy(judge, people, pairs=pairs, groups=groups, resamples=200).value == 0.5


def test_each_pair_by_itself_is_no_group():
    found = group_accuracy([0, 1], [0, 1], pairs=[1, 2], groups=[1, 2])
    assert "no group has two pairs" in found.reason
    assert "no pair" in group_accuracy([0, 0], [0, 1], pairs=[1, 1], groups=[1, 1]).reason
