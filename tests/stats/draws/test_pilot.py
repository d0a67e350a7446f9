"""What labels tell of those to come: by hand, by numpy's own functions, and in worlds with a known truth."""

import numpy as np
import pytest

from jurybox_stats.draws import pilot
from jurybox_stats.estimate import Undefined

SAID = np.array([0.0, 1, 2, 4, 1, 0])
PROMPTS = np.array([0, 0, 1, 2, 3, 3])


def test_the_variance_is_that_of_numpy_and_weights_of_one_size_change_nothing():
    plain = pilot.pilot(SAID, PROMPTS)
    assert plain.variance.value == pytest.approx(SAID.var(ddof=1))
    assert plain.variance.low < plain.variance.value < plain.variance.high
    same = pilot.pilot(SAID, PROMPTS, None, np.full(6, 3.0))
    assert same.variance.value == pytest.approx(plain.variance.value)


def test_an_answer_that_had_half_the_chance_counts_twice():
    # Mean (2 * 1 + 0 + 0) / 4 = .5, squares (2 * .25 + .25 + .25) / 4 = .25, times 3 / 2.
    found = pilot.pilot([1, 0, 0], [0, 1, 2], None, [2, 1, 1])
    assert found.variance.value == pytest.approx(0.375)


def test_what_judges_leave_is_the_residual_of_least_squares():
    judges = np.array([[0.1, 0.9, 1.7, 3.0, 1.4, 0.2], [1, 0, 1, 0, 0, 1.0]])
    found = pilot.pilot(SAID, PROMPTS, judges)
    table = np.column_stack([np.ones(6), judges.T])
    rest = SAID - table @ np.linalg.lstsq(table, SAID, rcond=None)[0]
    # Three numbers were fitted to six.
    assert found.left.value == pytest.approx((rest**2).sum() / 3)
    assert found.explained.value == pytest.approx(1 - found.left.value / found.variance.value)
    twice = pilot.pilot(SAID, PROMPTS, np.vstack([judges, judges[0]]))
    assert twice.left.value == pytest.approx(found.left.value)


def test_a_judge_that_is_no_help_explains_nothing_and_never_less():
    found = pilot.pilot(SAID, PROMPTS, [[1, 1, 0, 1, 0, 1.0]])
    assert found.explained.value == 0
    assert found.left.value > found.variance.value


def test_a_judge_that_says_what_people_said_shows_no_error():
    found = pilot.pilot(SAID, PROMPTS, [2 * SAID + 1])
    assert isinstance(found.left, Undefined) and "exactly" in found.left.reason
    assert found.variance.value == pytest.approx(SAID.var(ddof=1))


def test_no_interval_where_one_prompt_carries_all_that_varies():
    found = pilot.pilot([1, 0, 1, 1], [0, 1, 2, 3])
    assert found.variance.low is None


def test_people_within_an_image_and_images_by_hand():
    # Images (1, 1), (1, 0), (0, 0): within .5 / 3; between ((2 * .5) / 2 - 1/6) / 2 = 1/6.
    found = pilot.answers([[1, 1, 0], [1, 0, 0]], [0, 1, 2])
    assert found.within.value == pytest.approx(1 / 6)
    assert found.between.value == pytest.approx(1 / 6)
    assert found.intraclass.value == pytest.approx(0.5)


def test_a_missing_answer_is_not_counted():
    # (1), (1, 0), (0, 0): N = 5, within .5 / 2; means 1, .5, 0, all .4: SS = .36 + .02 + .32 = .7;
    # k0 = (5 - 9 / 5) / 2 = 1.6; between (.35 - .25) / 1.6.
    found = pilot.answers([[1, 1, 0], [np.nan, 0, 0]], [0, 1, 2])
    assert found.within.value == pytest.approx(0.25)
    assert found.between.value == pytest.approx(0.0625)


@pytest.mark.nightly("drawn worlds; the digits are held beside it")
def test_the_intervals_hold_the_truth_about_as_often_as_they_say():
    random, held = np.random.default_rng(1), np.zeros(3)
    prompts = np.repeat(np.arange(60), 3)
    for _ in range(200):
        truth = random.normal(0, 0.5, 60)[prompts] + random.normal(0, 1, 180)
        judge, people = (truth + random.normal(0, 1, (rows, 180)) for rows in (1, 3))
        found = pilot.pilot(truth, prompts, judge)
        answers = pilot.answers(people, prompts)
        for place, (interval, value) in enumerate(
            (
                (found.variance, 1.25),
                (found.explained, 1.25 / 2.25),
                (answers.intraclass, 1.25 / 2.25),
            )
        ):
            held[place] += interval.low <= value <= interval.high
    # Two standard errors of 95 % of 200 are 3.1 %.
    assert (held / 200 > 0.91).all(), held / 200


def test_no_name_and_no_order_of_prompts_plays_a_part():
    names = np.array(["d", "d", "a", "c", "b", "b"])
    assert pilot.pilot(SAID, names).variance.low == pytest.approx(
        pilot.pilot(SAID, PROMPTS).variance.low, rel=1e-12
    )


@pytest.mark.parametrize(
    "judge",
    [
        # Without prompt 0 people are of one mind; without prompt 3 the judge says what they say.
        [0.875, 0.25, 0.125, 0.25],
        [0.75, 0.25, 0.25, 0.5],
    ],
)
def test_what_one_prompt_decides_has_a_number_and_no_interval(judge):
    found = pilot.pilot([1, 0, 0, 0], range(4), [judge])
    assert found.explained.value > 0
    assert (found.explained.low, found.explained.high) == (None, None)
