"""People's mean with judges as control variates; the vectors are in tests/vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jurybox_stats import assisted
from jurybox_stats.estimate import Undefined

NAN = math.nan


def test_a_mean_worked_by_hand():
    """Var(F) = .25, Cov = .25, so beta = 1, lambda = 1/2, value = .5 + (1 - .5) / 2; the residuals
    are 0, so the error is that of the judge's mean: 2 (3 (1/16)^2 + (3/16)^2)."""
    found = assisted.mean([1, 0, NAN, NAN], [[1, 0, 1, 1]], [0, 1, 2, 3])
    assert found.value == pytest.approx(0.75)
    assert found.weights == pytest.approx((0.5,))
    assert found.standard_error == pytest.approx(math.sqrt(0.09375))
    assert found.alone.value == 0.5
    assert (found.n, found.images) == (2, 4)


def test_nobody_is_counted_twice_by_naming_a_judge_twice():
    people, judge = [1, 0, 1, NAN, NAN, 0, 1, NAN], [0.9, 0.2, 0.6, 0.4, 0.8, 0.3, 0.7, 0.1]
    prompts = [0, 0, 1, 1, 2, 2, 3, 3]
    once = assisted.mean(people, [judge], prompts)
    twice = assisted.mean(people, [judge, judge], prompts)
    assert (twice.value, twice.low) == pytest.approx((once.value, once.low))


@pytest.mark.parametrize(
    ("people", "reason"),
    [
        ([NAN] * 4, "no image has a label of people"),
        ([1, NAN, NAN, NAN], "one label shows no spread"),
        ([1, 1, NAN, NAN], "people gave every labelled image the same answer"),
    ],
)
def test_what_labels_cannot_tell_is_no_number(people, reason):
    found = assisted.mean(people, [[0.1, 0.4, 0.2, 0.9]], [0, 1, 2, 3])
    assert isinstance(found, Undefined)
    assert found.reason.startswith(reason)


def test_a_judge_without_a_score_is_no_number():
    assert not assisted.mean([1, 0, NAN], [[0.1, NAN, 0.2]], [0, 1, 2])


def test_series_of_different_lengths_are_a_mistake():
    with pytest.raises(ValueError, match="one score for each image"):
        assisted.mean([1, 0, NAN], [[0.1, 0.2]], [0, 1, 2])


@pytest.mark.simulation
def test_the_interval_holds_where_four_images_share_a_prompt():
    """60 prompts x 4, a third labelled, labels and judge both moved by the prompt: 95 % of 600
    worlds; the same with prompts unseen covers less."""
    drawn = np.random.default_rng(7)
    held = unseen = 0
    for _ in range(600):
        prompts = np.repeat(np.arange(60), 4)
        shared = drawn.normal(size=60)[prompts]
        people = 0.7 * shared + drawn.normal(size=240)
        judge = people + 0.6 * drawn.normal(size=240) + 0.5 * drawn.normal(size=60)[prompts]
        labels = np.where(drawn.random(240) < 1 / 3, people, NAN)
        clustered = assisted.mean(labels, [judge], prompts)
        single = assisted.mean(labels, [judge], np.arange(240))
        held += clustered.low <= 0 <= clustered.high
        unseen += single.low <= 0 <= single.high
    assert 0.93 <= held / 600 <= 0.97
    assert unseen / 600 < 0.9


def test_the_probabilities_to_be_drawn_sum_to_the_budget():
    """u / (2 mean u) + 1/2 with mean 2 is .75, .75, 1, 1.5 for u = 1, 1, 2, 4; they sum to 4, so
    k = 1/2 for a budget of 2."""
    chances = assisted.inclusion([1, 1, 2, 4], 2)
    assert chances == pytest.approx([0.375, 0.375, 0.5, 0.75])


def test_an_image_drawn_against_all_odds_is_no_number():
    found = assisted.mean_of_drawn([1, 0, NAN], [0.5, 0.2, 0.4], [0.0, 0.5, 0.5])
    assert found.reason == "an image with probability 0 was labelled"
