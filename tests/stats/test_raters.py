"""People one by one; the vectors are in tests/vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jurybox_stats import raters


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


def test_images_of_the_same_answers_count_as_often_as_there_are():
    """Fifty copies of six images, shuffled: the shares are those of the six, and every copy has the
    chances of its original."""
    images = np.repeat(np.arange(6), 3)
    people = np.tile(["a", "b", "c"], 6)
    said = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1])
    once = raters.dawid_skene(images, people, said)
    copies = (images[None, :] + 6 * np.arange(50)[:, None]).ravel()
    order = np.random.default_rng(5).permutation(copies.size)
    often = raters.dawid_skene(copies[order], np.tile(people, 50)[order], np.tile(said, 50)[order])
    np.testing.assert_allclose(often.confusion, once.confusion, atol=1e-12)
    np.testing.assert_allclose(often.prior, once.prior, atol=1e-12)
    np.testing.assert_allclose(often.losses, once.losses, atol=1e-12)
    original = often.images % 6
    np.testing.assert_allclose(often.posterior, once.posterior[original], atol=1e-12)


def test_images_with_different_numbers_of_answers_keep_their_own_chances():
    """One image has two answers, the others three; by hand the first step's shares of yes."""
    found = raters.dawid_skene(
        [1, 1, 2, 2, 2, 3, 3, 3], list("ababcabc"), [1, 1, 0, 0, 0, 1, 0, 1], iterations=0
    )
    np.testing.assert_allclose(found.posterior[:, 1], [1, 0, 2 / 3], atol=1e-12)
