from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotations import consensus

NAN = np.nan
#            all alike, majority, draw, one person, nobody
RATINGS = np.array([[1, 1, 1, 1, NAN], [1, 1, 0, NAN, NAN], [1, 0, NAN, NAN, NAN]])
SMALL_TABLES = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, NAN]), min_size=4, max_size=4), min_size=1, max_size=6
)


def same(found, expected):
    assert found == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("majority", [1, 1, NAN, 1, NAN]),
        ("mean", [1, 2 / 3, 0.5, 1, NAN]),
        ("unanimous", [1, NAN, NAN, NAN, NAN]),
    ],
)
def test_a_named_rule(rule, expected):
    same(consensus.RULES[rule](RATINGS), expected)


def test_means_that_are_equal_are_equal_to_the_last_digit():
    # In floats (0.1 + 0.2) + 0.3 is 0.6000000000000001, and (0.3 + 0.2) + 0.1 is 0.6.
    table = np.array([[0.1, 0.3, 0.2, 1e-9], [0.2, 0.2, 0.2, 0.3], [0.3, 0.1, 0.2, 12345.678]])
    found = consensus.mean(table)
    assert found[0] == found[1] == found[2] == 0.2
    assert consensus.mean(table[::-1]).tolist() == found.tolist()


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=5), st.integers(1, 3), st.randoms())
def test_the_mean_is_the_nearest_float_whatever_the_ratings(given_ratings, times, random):
    exact = sum(map(Fraction, map(repr, given_ratings))) / len(given_ratings)
    column = given_ratings * times
    random.shuffle(column)
    assert consensus.mean(np.array(column)[:, None])[0] == float(exact)


def test_a_decision_holds_over_the_majority_and_over_nothing():
    decisions = np.array([NAN, 0, 1, NAN, 0])
    same(consensus.adjudicated(consensus.majority(RATINGS), decisions), [1, 0, 1, 1, 0])


@given(SMALL_TABLES, st.randoms())
def test_the_order_of_people_does_not_matter(table, random):
    found = [rule(np.array(table)) for rule in consensus.RULES.values()]
    random.shuffle(table)
    for rule, before in zip(consensus.RULES.values(), found, strict=True):
        same(rule(np.array(table)), before)
    majority, mean, unanimous = found
    agreed = ~np.isnan(unanimous)
    same(majority[agreed], unanimous[agreed])
    same(mean[agreed], unanimous[agreed])


def test_the_majority_of_the_others_worked_by_hand():
    # The others of each: 1 0 | 1 0 | 1 1; and where two answered, each other.
    table = np.array([[1, 1, NAN, 2], [1, 0, NAN, NAN], [0, NAN, NAN, NAN]])
    expected = [[NAN, 0, NAN, NAN], [NAN, 1, NAN, NAN], [1, NAN, NAN, NAN]]
    same(consensus.majority_of_others(table), np.array(expected))


@given(SMALL_TABLES)
def test_the_majority_of_the_others_is_the_majority_without_the_own_row(table):
    table = np.array(table)
    found = consensus.majority_of_others(table)
    for person, own in enumerate(table):
        others = consensus.majority(np.delete(table, person, axis=0))
        same(found[person], np.where(np.isnan(own), NAN, others))


def test_who_does_not_count_is_compared_but_is_no_vote():
    # One unit, answers 1 0 1; the last one does not count: the others of the first say 0, those
    # of the second 1, those of the third are tied.
    counted = np.array([True, True, False])
    found = consensus.leading_among_others(np.zeros(3, int), np.array([1, 0, 1]), counted)
    assert found.tolist() == [0, 1, -1]
    assert consensus.leading_among_others(
        np.zeros(3, int), np.zeros(3, int), ~counted
    ).tolist() == [0, 0, -1]


@given(SMALL_TABLES)
def test_the_majority_of_others_is_the_majority_without_ones_own_answer(table):
    ratings = np.array(table)
    found = consensus.majority_of_others(ratings)
    for person, own in enumerate(ratings):
        without = consensus.majority(np.delete(ratings, person, axis=0))
        same(found[person], np.where(np.isnan(own), NAN, without))


@pytest.mark.parametrize("size", [1, 2.0**60])
def test_means_without_some_are_those_of_the_rest(size):
    ratings = np.array([[1, 0.1, 2], [0.3, 0.2, NAN], [0.7, NAN, NAN]]) * size
    own = np.array([[True, False, True], [False, False, False], [False, True, False]])
    found = consensus.Means(ratings).mean_without(own)
    assert found.tolist()[:2] == consensus.mean(np.where(own, NAN, ratings)).tolist()[:2]
    assert np.isnan(found[2])
