import math

import numpy as np
import pytest

from jurybox_stats.estimate import Undefined
from jurybox_stats.instrument.comparison import compare, jackknifed
from jurybox_stats.instrument.gap import gap_of
from jurybox_stats.instrument.moments import answers_of, mid_ranks, moments
from jurybox_stats.instrument.sides import (
    NO_GAIN,
    NOT_WITHOUT_ONE,
    PEOPLE_ARE_ALIKE,
    TOO_FEW_PAIRS,
    generators_of,
)

BEFORE, LATER = np.array([True, False]), np.array([False, True])
OLD, NEW = [1, 1, 0, 0], [1, 1, 1, 0]


def summed(people, judge, *, answers=2, prompts=2):
    """Two generators; each list holds the images of the older, then of the newer one, in every prompt."""
    y, s = (np.tile(np.ravel(values), prompts).astype(float) for values in (people, judge))
    size = len(np.ravel(people))
    generators = np.tile(np.repeat([0, 1], size // 2), prompts)
    prompt = np.repeat(np.arange(prompts), size)
    return moments(s, answers_of(np.tile(y, (answers, 1))), generators, prompt, 2)


def compared(people, judge, **more):
    return compare(generators_of(summed(people, judge, **more)), BEFORE, LATER)


def test_a_gain_worked_by_hand():
    # Of the older generator: Cov(s, y) = 2/8 − (2·4 − 2)/56 = 1/7, Cov(y, y′) = 4/8 − (16 − 4)/56 = 2/7.
    found = compared([OLD, NEW], [[1, 0, 0, 0], [1, 0, 0, 0]])
    assert found.gain_reference.value == pytest.approx(0.5)
    # Of the newer: 2/8 − (2·6 − 2)/56 = 1/14, 6/8 − (36 − 6)/56 = 3/14.
    assert found.gain_later.value == pytest.approx(1 / 3)
    assert found.gain_change.value == pytest.approx(-1 / 3)
    assert found.log_gain_ratio == pytest.approx(math.log(2 / 3))


def test_noise_from_all_second_answers_is_that_of_each_generator_where_all_have_as_many():
    rng = np.random.default_rng(3)
    people = (rng.random((2, 400)) < 0.7) * 1.0
    judge = rng.random(400)
    place, prompt = np.arange(400) % 2, np.arange(400) // 4
    sums = moments(judge, answers_of(people), place, prompt, 2)
    each, together = (generators_of(sums, noise_together=way) for way in (False, True))
    # Two generators lie on their line.
    assert together.with_people[0] == pytest.approx(each.with_people[0])


def test_answers_without_a_second_one_tell_of_people_too():
    # Truth is yes for one half; people err in one of ten: Cov(y, y′) = 0.25 · 0.8² = 0.16.
    rng = np.random.default_rng(4)
    found = {False: [], True: []}
    for _ in range(60):
        right = rng.random((8, 200)) < 0.5
        people = np.where(rng.random((2, 8, 200)) < 0.1, ~right, right).reshape(2, -1) * 1.0
        people[1, rng.random(1600) < 0.8] = np.nan
        place, prompt = np.repeat(np.arange(8), 200), np.tile(np.arange(200), 8)
        sums = moments(right.ravel() * 1.0, answers_of(people), place, prompt, 8)
        for way in found:
            found[way].append(generators_of(sums, noise_together=way).with_people[0, 0] / 200)
    assert np.mean(found[True]) == pytest.approx(0.16, abs=0.005)
    assert np.std(found[True]) < 0.5 * np.std(found[False])


def test_an_offset_worked_by_hand():
    # People rose by 1/4, the judge by nothing: with a gain of 1/2 it should have risen by 1/8.
    found = compared([OLD, NEW], [[1, 0, 0, 0], [1, 0, 0, 0]])
    assert found.offset.value == pytest.approx(0.25)


def test_a_judge_that_follows_only_half_of_what_people_see_has_no_offset():
    # Of 8 images people call right 4, then 6; the judge says 1/2 more to what is right.
    found = compared([OLD, NEW], [[0.75, 0.75, 0.25, 0.25], [0.75, 0.75, 0.75, 0.25]])
    assert found.gain_reference.value == pytest.approx(0.5)
    assert found.offset.value == pytest.approx(0)
    assert found.gain_change.value == pytest.approx(0)


def test_the_parts_of_the_gap_add_up_to_how_it_moved():
    # Off by 2/4 − 1/4 = 25 points, then by 3/4 − 1/4 = 50. Of the 25 between, people rose by 25 and the
    # judge follows half of that: 12.5. It is stricter by 25 points of people's: 12.5 of its own.
    sums = summed([OLD, NEW], [[1, 0, 0, 0], [1, 0, 0, 0]])
    found = compare(generators_of(sums), BEFORE, LATER)
    gap = gap_of(found, points=100, apart=sums.apart)
    assert (gap.before, gap.now.value) == (pytest.approx(25), pytest.approx(50))
    assert gap.generators.value == pytest.approx(12.5)
    assert gap.judge.value == pytest.approx(12.5)


def test_the_error_is_that_of_leaving_out_each_prompt():
    # Without either of two prompts 1 and 3: (2 − 1)/2 · (1 + 1) = 1.
    assert jackknifed(np.array([2.0, 1.0, 3.0]), 8).error == pytest.approx(1)


def test_the_noise_of_people_does_not_lower_the_gain():
    # One answer says what another does; the judge says what people do on average.
    ratings = np.array([[1, 1, 0, 0, 1, 0, 1, 0], [1, 1, 0, 0, 0, 1, 1, 0]] * 2, dtype=float)
    y = ratings.mean(axis=0)
    both = answers_of(np.tile(ratings, (1, 4)))
    generators = np.tile(np.repeat([0, 1], 4), 4)
    prompts = np.repeat(np.arange(4), 8)
    sums = moments(np.tile(y, 4), both, generators, prompts, 2)
    noisy = compare(generators_of(sums), BEFORE, LATER)
    # 8 right of 16, as in OLD; of the newer, half of the answers to two of four images are a yes.
    assert noisy.gain_reference.value == pytest.approx(1)
    assert noisy.gain_later.value > 1


@pytest.mark.parametrize(
    ("people", "judge", "answers", "reason"),
    [
        ([OLD, NEW], [OLD, NEW], 1, TOO_FEW_PAIRS),
        ([[1, 1, 1, 1], NEW], [OLD, NEW], 2, PEOPLE_ARE_ALIKE),
        ([OLD, NEW], [[1, 1, 1, 1], NEW], 2, NO_GAIN),
        ([OLD, NEW], [[0, 0, 1, 1], NEW], 2, NO_GAIN),
    ],
)
def test_there_is_a_reason_where_there_is_no_number(people, judge, answers, reason):
    found = compared(people, judge, answers=answers)
    assert isinstance(found, Undefined)
    assert found.reason == reason


def test_a_number_that_hangs_on_one_prompt_is_none():
    people = np.array([[1.0, 0, 1, 0, 0, 0, 1, 0]] * 2)
    generators, prompts = np.array([0, 0, 1, 1] * 2), np.repeat([0, 1], 4)
    sums = moments(people[0], answers_of(people), generators, prompts, 2)
    found = compare(generators_of(sums), BEFORE, LATER)
    assert isinstance(found, Undefined)
    assert found.reason == NOT_WITHOUT_ONE


def test_settled_answers_are_exact():
    one = np.array([[1.0, 0, np.nan]])
    found = answers_of(one, exact=[np.nan, 1, 0])
    assert found.count.tolist() == [1, 2, 2]
    assert found.mean.tolist() == [1, 1, 0]
    assert np.isnan(found.pair[0])
    assert found.pair[1:].tolist() == [1, 0]


def test_the_pair_of_an_image_is_the_mean_product_of_two_people():
    # 1·0, 1·1, 0·1
    assert answers_of([[1.0], [0.0], [1.0]]).pair.tolist() == pytest.approx([1 / 3])


def test_scores_are_read_by_their_order_with_ties_in_the_middle():
    assert mid_ranks([10.0, -3.0, 10.0, 5.0]).tolist() == [0.75, 0.125, 0.75, 0.375]


@pytest.mark.parametrize(
    ("score", "generators", "prompts"),
    [
        ([], [], []),
        ([np.nan, 1], [0, 1], [0, 0]),
        ([1.0, 0], [0, 2], [0, 0]),
        ([1.0, 0], [0, 1], [0, -1]),
        ([1e200, 0], [0, 1], [0, 1]),
    ],
)
def test_images_that_cannot_be_counted_are_refused_in_words(score, generators, prompts):
    people = answers_of(np.ones((2, len(score))))
    with pytest.raises(ValueError, match="images|score|coded"):
        moments(np.array(score), people, np.array(generators), np.array(prompts), 2)
