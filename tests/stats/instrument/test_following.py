from itertools import combinations_with_replacement

import pytest

from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.instrument.following import FOLLOWING, following, least_difference

PERSON = Estimate(0.9, 0.88, 0.92, 300)


@pytest.mark.parametrize(
    ("low", "value", "high", "state"),
    [
        (0.70, 0.75, 0.80, "follows"),
        (0.92, 0.95, 0.98, "follows"),
        (0.69, 0.75, 0.80, "weakly"),
        (0.51, 0.55, 0.60, "weakly"),
        (0.51, 0.97, 0.99, "weakly"),  # said as “at least weakly”
        (0.50, 0.55, 0.60, "does not follow"),
        (0.45, 0.50, 0.55, "does not follow"),
        (0.326, 0.507, 0.686, "does not follow"),  # a coin, on 60 edits
        (0.30, 0.50, 0.70, "does not follow"),
        (0.50, 0.60, 0.70, "does not follow"),
        (0.05, 0.20, 0.51, "does not follow"),
        (0.484, 0.974, 0.999, "cannot be told"),
        (0.29, 0.50, 0.71, "cannot be told"),
        (0.05, 0.50, 0.95, "cannot be told"),
        (0.01, 0.03, 0.75, "cannot be told"),
        (0.50, 0.65, 0.80, "cannot be told"),
        (0.40, 0.45, 0.49, "upside down"),
        (0.00, 0.02, 0.49, "upside down"),
        (0.40, 0.45, 0.50, "does not follow"),
    ],
)
def test_number_and_interval_say_how_a_judge_follows(low, value, high, state):
    assert following(Estimate(value, low, high, 300)) == state


def test_no_interval_is_called_by_words_that_it_leaves_open_to_be_false():
    """Every lower end, number and upper end to a twentieth."""
    ends = [place / 20 for place in range(21)]
    for low, value, high in combinations_with_replacement(ends, 3):
        for person in (None, PERSON, Estimate(0.55, 0.4, 0.7, 60)):
            state = following(Estimate(value, low, high, 300), person)
            assert (state in FOLLOWING) == (low > 0.5)
            assert (state == "upside down") == (high < 0.5)
            assert (state == "cannot be told") == (low <= 0.5 and high > 0.7)
            assert state != "follows" or low >= 0.7
            assert state != "weakly" or low < 0.7
            assert state != "like a person" or person is not None


def test_a_judge_that_is_hardly_behind_a_person_is_like_one():
    # .9 − .9 − √(.01² + .02²) = −.0224; with .02 below instead of .01, −.0283; with .03, −.0361.
    assert following(Estimate(0.9, 0.89, 0.91, 300), PERSON) == "like a person"
    assert following(Estimate(0.9, 0.88, 0.92, 300), PERSON) == "like a person"
    assert following(Estimate(0.9, 0.87, 0.93, 300), PERSON) == "follows"
    assert least_difference(Estimate(0.9, 0.89, 0.91, 300), PERSON) == pytest.approx(-0.0223607)


def test_without_a_number_it_cannot_be_told():
    assert following(Undefined("one class only")) == "cannot be told"
    assert following(Estimate(0.9, None, None, 3)) == "cannot be told"
    assert following(Estimate(0.9, 0.89, 0.91, 9), Undefined("one answer each")) == "follows"
