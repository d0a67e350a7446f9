import math

import numpy as np
import pytest
from scipy.stats import norm

from jurybox_stats.instrument.moments import answers_of, moments
from jurybox_stats.instrument.needs import error_with, noise_of_one, prompts_to_tell


def test_the_prompts_that_tell_a_drift_are_those_of_the_power_of_a_z_test():
    # A test of .05 / 14 on both sides, found 4 times in 5: z = 2.91 + 0.84; errors fall with the root.
    z = norm.ppf(1 - 0.05 / 28) + norm.ppf(0.8)
    found = prompts_to_tell(10, 3.5, prompts=100, tests=14)
    assert found == math.ceil(100 * (z * 3.5 / 10) ** 2) == 173
    error = 3.5 * math.sqrt(100 / found)
    assert norm.cdf(10 / error - norm.ppf(1 - 0.05 / 28)) == pytest.approx(0.8, abs=0.005)


def test_more_people_take_away_their_part_of_the_error_alone():
    # Squared: 4, of which 1 is people's; with twice as many of them 3 + .5
    assert error_with(2.0, 0.25, people=4, now=2) == pytest.approx(math.sqrt(3.5))
    assert error_with(2.0, 0.25, people=2, now=2) == pytest.approx(2.0)


def test_the_noise_of_one_answer_is_the_variance_about_what_people_would_say():
    rng = np.random.default_rng(1)
    right = rng.random(4000) < 0.5
    ratings = np.where(rng.random((3, 4000)) < 0.1, ~right, right) * 1.0
    ratings[2, rng.random(4000) < 0.5] = np.nan
    answers = answers_of(ratings)
    sums = moments(right * 1.0, answers, np.zeros(4000, int), np.arange(4000), 1)
    # Of each answer .1 * .9
    assert noise_of_one(sums, answers) == pytest.approx(0.09, abs=0.005)
    alone = answers_of(ratings[:1])
    sums = moments(right * 1.0, alone, np.zeros(4000, int), np.arange(4000), 1)
    assert noise_of_one(sums, alone) is None
