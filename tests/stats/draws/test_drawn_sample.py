"""People's mean from labels that were drawn with unequal chances."""

import numpy as np
import pytest

from jurybox_stats import assisted
from jurybox_stats.draws import drawn_sample
from jurybox_stats.estimate import Undefined
from tests.bench.drawn_worlds import covered


def test_a_label_counts_as_many_images_as_it_stands_for():
    # Weights 1, 2, 4: (1 + 0 + 4) / 7 and the images without a label say nothing.
    people = [1, 0, 1, np.nan]
    result = drawn_sample.mean(people, [1, 0.5, 0.25, 0.5], [0, 1, 2, 3])
    assert result.value == pytest.approx(5 / 7)
    assert result.n == 3


def test_the_error_of_prompts_is_that_of_their_weighted_sums():
    # mean 5/7; pulls 1/7 * 2/7, -2/7 * 5/7, 4/7 * 2/7 and 0: squares (4 + 100 + 64) / 49^2; times 4/3.
    people = [1, 0, 1, np.nan]
    result = drawn_sample.mean(people, [1, 0.5, 0.25, 0.5], [0, 1, 2, 3])
    assert result.standard_error == pytest.approx((168 * 4 / 3) ** 0.5 / 49)


def test_the_error_of_these_images_leaves_out_what_was_certain():
    # n / (n - 1) = 3/2; (1 - pi) pull^2: 0, 0.5 * 100, 0.75 * 64, all over 49^2.
    people = [1, 0, 1, np.nan]
    result = drawn_sample.mean(people, [1, 0.5, 0.25, 0.5], [0, 1, 2, 3], target="images")
    assert result.standard_error == pytest.approx((1.5 * (50 + 48)) ** 0.5 / 49)


@pytest.mark.parametrize("target", ["prompts", "images"])
def test_equal_chances_are_the_assisted_mean_to_the_last_digits(target):
    random = np.random.default_rng(3)
    judges = random.normal(size=(2, 80))
    people = (judges.sum(axis=0) + random.normal(size=80) > 0) * 1.0
    people[random.permutation(80)[:50]] = np.nan
    prompts = np.arange(80) // 4
    drawn = drawn_sample.mean(people, np.full(80, 30 / 80), prompts, judges, target=target)
    plain = assisted.mean(people, judges, prompts, target=target)
    for name in ("value", "low", "high", "standard_error"):
        assert getattr(drawn, name) == pytest.approx(getattr(plain, name), rel=1e-9)


def test_a_judge_adds_nothing_where_every_image_has_a_label():
    people, chances, prompts = [1, 0, 1, 1], [1, 0.5, 0.25, 0.5], [0, 1, 2, 3]
    helped = drawn_sample.mean(people, chances, prompts, [0.9, 0.1, 0.4, 0.8])
    # Weights 1, 2, 4, 2: (1 + 4 + 2) / 9.
    assert helped.value == pytest.approx(7 / 9)
    assert helped == drawn_sample.mean(people, chances, prompts, [0.1, 0.1, 0.1, 0.1])


def test_images_that_could_not_be_drawn_change_nothing():
    without = drawn_sample.mean([1, 0, 1, np.nan], [1, 0.5, 0.25, 0.5], [0, 1, 2, 3])
    people, chances = [1, 0, 1, np.nan, np.nan], [1, 0.5, 0.25, 0.5, 0]
    assert drawn_sample.mean(people, chances, [0, 1, 2, 3, 4]) == without


def test_what_shows_no_error_is_undefined_with_its_reason():
    nan = np.nan
    for people, chances, reason in (
        ([nan, nan, nan], [0.5, 0.5, 0.5], "no image has a label of people"),
        ([1, nan, nan], [0.5, 0.5, 0.5], "one label shows no spread"),
        ([1, 0, nan], [0.5, 0, 0.5], "an image that could not be drawn has a label"),
    ):
        result = drawn_sample.mean(people, chances, [0, 1, 2])
        assert isinstance(result, Undefined)
        assert result.reason == reason


@pytest.mark.parametrize("judges", [1, 2])
@pytest.mark.parametrize("by", ["uniform", "uncertainty"])
def test_intervals_hold_what_they_promise_in_worlds_with_four_images_a_prompt(judges, by):
    # 200 worlds: a share below .905 or above .99 has a chance of less than 1 in 300 at .95.
    result = covered(200, judges=judges, by=by, seed=1)
    assert 0.905 <= result.coverage <= 0.99
    assert result.width < 1.0


def test_a_judge_that_is_no_use_costs_no_more_than_its_weight():
    assert covered(200, judges=1, by="uniform", seed=2, useless=True).width <= 1.03


def test_without_weights_the_same_labels_are_biased():
    result = covered(200, judges=1, by="uncertainty", seed=3)
    assert abs(result.bias) < 0.012
    assert abs(result.bias_alone) < 0.012
    assert abs(result.bias_unweighted) > 0.02
