"""People one by one; the vectors are in tests/vectors."""

from __future__ import annotations

import math

import pytest

from audit.stats import raters


def test_somebody_who_says_one_less_each_time_is_stricter_by_one():
    images = [1, 1, 2, 2, 3, 3]
    rows = raters.severity(images, ["ann", "ben"] * 3, [4, 3, 5, 4, 2, 1], images)
    assert [(row.rater, row.against_others.value) for row in rows] == [("ann", 1), ("ben", -1)]
    assert rows[1].against_first.low == pytest.approx(-1)


def test_two_people_differ_by_the_log_of_their_disagreements():
    """Ann alone says yes three times, Ben alone once: his severity is log 3, error sqrt(1/3 + 1)."""
    answers = [(1, 0)] * 3 + [(0, 1)] + [(1, 1)] * 4
    flat = [(i, who, value) for i, pair in enumerate(answers) for who, value in enumerate(pair)]
    found = raters.conditional_severity(*zip(*flat, strict=True))
    assert found.severity.tolist() == pytest.approx([0, math.log(3)])
    assert found.standard_error[1] == pytest.approx(math.sqrt(1 / 3 + 1))
    assert found.images_that_tell == 4


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ([(1, "a", 1), (1, "b", 1)], "every image is unanimous"),
        ([(1, "a", 1), (1, "b", 0)], "always on one side"),
        ([(1, "a", 1), (1, "b", 0), (2, "c", 1), (2, "d", 0)], "share no disputed image"),
    ],
)
def test_severities_that_nothing_shows_are_no_numbers(answers, reason):
    assert reason in raters.conditional_severity(*zip(*answers, strict=True)).reason


def test_who_answers_the_opposite_is_believed_the_other_way_round():
    truth = [0, 1, 0, 1, 1, 0, 1, 0, 1, 1]
    answers = [(i, who, t) for i, t in enumerate(truth) for who in "abc"]
    answers += [(i, "liar", 1 - t) for i, t in enumerate(truth)]
    found = raters.dawid_skene(*zip(*answers, strict=True))
    assert found.labels.tolist() == truth
    liar = found.confusion[found.raters.tolist().index("liar")]
    assert liar.ravel().tolist() == pytest.approx([0, 1, 1, 0], abs=1e-6)


def test_no_answers_are_no_classes():
    assert raters.dawid_skene([], [], []).reason == "there are no answers"
