from datetime import date

import numpy as np
import pytest

from jurybox_stats.agreement import percent_agreement
from jurybox_stats.estimate import Estimate
from jurybox_stats.over_time.drift import (
    by_release,
    saturated,
    slopes,
    years,
)


def test_a_slope_worked_by_hand():
    # 0, 2 and 10 points after 0, 1 and 2 years (of 365.25 days): mean 4, mean year 1
    # sum (t - 1)(d - 4) = (-1)(-4) + 0 + (1)(6) = 10, over sum (t - 1)^2 = 2: 5 points a year
    released = ["2020-01-01", "2020-12-31", "2021-12-31"]
    spread = np.diff(years(released))
    assert spread == pytest.approx([365 / 365.25] * 2)
    assert slopes(np.array([[0.0, 2, 10]]), years(released)) == pytest.approx(5 * 365.25 / 365)


def test_a_slope_is_that_of_a_least_squares_fit_whatever_the_order():
    rng = np.random.default_rng(0)
    released = [date(2020 + k % 5, 1 + k, 3) for k in range(9)]
    points = rng.normal(size=9)
    when = years(released)
    expected = np.polyfit(when, points, 1)[0]
    assert slopes(points[None, :], when) == pytest.approx(expected)
    assert slopes(points[None, ::-1], when[::-1]) == pytest.approx(expected)


def test_missing_generators_are_left_out_and_one_date_has_no_slope():
    when = years(["2020-01-01", "2021-01-01", "2021-01-01"])
    some = np.array([[1.0, 4.0, np.nan], [np.nan, 1.0, 2.0]])
    assert slopes(some, when) == pytest.approx([3 * 365.25 / 366, np.nan], nan_ok=True)


def test_a_benchmark_is_used_up_when_the_whole_interval_says_so():
    assert saturated(Estimate(97.0, 95.0, 99.0, 100)) == "yes"
    assert saturated(Estimate(96.0, 93.0, 99.0, 100)) == "open"
    assert saturated(Estimate(80.0, 75.0, 85.0, 100)) == "no"
    assert saturated(Estimate(96.0, None, None, 100)) == "yes"


def test_agreement_by_release_date_leaves_out_generators_without_one():
    people, judge = [1, 0, 1, 1], [1, 0, 0, 1]
    rows = by_release(
        percent_agreement, (people, judge), ["new", "new", "old", "undated"],
        {"new": "2024-05-01", "old": "2022-05-01"},
    )  # fmt: skip
    assert [(row.generator, row.result.value) for row in rows] == [("old", 0.0), ("new", 1.0)]
    assert rows[0].released == date(2022, 5, 1)
