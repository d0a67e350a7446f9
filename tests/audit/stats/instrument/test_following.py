import pytest

from audit.stats.estimate import Estimate, Undefined
from audit.stats.instrument.following import following, least_difference

PERSON = Estimate(0.9, 0.88, 0.92, 300)


@pytest.mark.parametrize(
    ("low", "high", "state"),
    [
        (0.70, 0.80, "follows"),
        (0.69, 0.80, "weakly"),
        (0.50, 0.60, "does not follow"),
        (0.45, 0.55, "does not follow"),
        (0.40, 0.49, "upside down"),
    ],
)
def test_the_ends_of_the_interval_say_how_a_judge_follows(low, high, state):
    assert following(Estimate((low + high) / 2, low, high, 300)) == state


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
