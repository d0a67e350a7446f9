"""A score as the share of people who say yes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jurybox_stats.decisions.probabilities import always_the_average, brier, log_score
from jurybox_stats.estimate import Estimate


def test_brier_of_three_images_worked_by_hand():
    # (0.9 - 1)^2 = 0.01, (0.5 - 0.5)^2 = 0, (0.4 - 0)^2 = 0.16; their mean 0.17 / 3.
    assert brier([0.9, 0.5, 0.4], [1, 0.5, 0]).value == pytest.approx(0.17 / 3)


def test_always_the_average_is_the_variance_of_the_shares():
    # Shares 1, 0.5, 0 around their mean 0.5: 0.25, 0, 0.25.
    shares = brier([0.5] * 3, [1, 0.5, 0])
    assert shares == Estimate(pytest.approx(0.5 / 3), None, None, 3)


def test_the_log_score_is_people_s_mean_surprise():
    # Of an even split: -ln 0.5; of all yes at 0.8: -ln 0.8.
    found = log_score([0.5, 0.8], [0.5, 1])
    assert found.value == pytest.approx((math.log(2) - math.log(0.8)) / 2)


def test_being_sure_costs_nothing_where_all_say_so():
    assert log_score([1, 0], [1, 0]).value == 0


def test_being_sure_where_people_differ_is_no_number():
    assert log_score([1, 0.5], [0.5, 0]).reason == (
        "on 1 images it says 0 or 1 and somebody says the contrary: the log score is infinite"
    )


def test_the_average_of_the_shares_is_what_a_judge_has_to_beat():
    assert always_the_average(np.array([1, 0.5, 0])) == pytest.approx([0.25, 0, 0.25])
