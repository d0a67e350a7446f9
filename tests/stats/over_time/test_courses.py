import numpy as np
import pytest
from scipy.stats import t as student

from jurybox_stats.over_time.courses import ALL_ALIKE, change, of_means, of_order, own
from jurybox_stats.roc import auroc

OLD, NEW = np.array([True, False]), np.array([False, True])


def course_of(values, generators, prompts):
    return of_means(np.array(values, float), np.array(generators), np.array(prompts), 2, unit=100.0)


def test_a_change_of_means_has_the_error_of_paired_prompts():
    # Prompts 0 to 2 on both generators: differences of 10, 20 and 60, mean 30, spread by prompt
    # 20² + 10² + 30² = 1400; the error is sqrt(1400 / 3 / 2).
    course = course_of([0, 10, 20, 10, 30, 80], [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2])
    moved = change(course, OLD, NEW)
    assert (moved.value, moved.n, moved.freedom) == (pytest.approx(30), 6, 2)
    assert moved.error == pytest.approx((1400 / 6) ** 0.5)
    interval = moved.interval()
    half = student.ppf(0.975, 2) * (1400 / 6) ** 0.5
    assert (interval.low, interval.high) == (pytest.approx(30 - half), pytest.approx(30 + half))


def test_where_all_are_alike_the_error_is_that_of_the_number_of_images():
    # Four images, all right, and a score of 80: not "20.0 to 20.0".
    course = course_of([0, 0, 0, 0, 20, 20, 20, 20], [0] * 4 + [1] * 4, range(8))
    moved = change(course, OLD, NEW)
    each = 100 * ALL_ALIKE / 4
    assert moved.value == pytest.approx(20)
    assert moved.error == pytest.approx((2 * each**2) ** 0.5)


def test_where_each_prompt_is_the_same_on_both_sides_only_another_prompt_could_tell():
    course = course_of([0, 10, 0, 10], [0, 0, 1, 1], [0, 1, 0, 1])
    assert change(course, OLD, NEW).error == pytest.approx(100 * ALL_ALIKE / 2)


def test_generators_count_by_their_images():
    course = course_of([0, 0, 30, 90], [0, 0, 0, 1], [0, 1, 2, 3])
    assert course.values.tolist() == [10, 90]
    assert change(course, OLD & NEW, OLD | NEW).value == pytest.approx(30)


def test_the_order_of_a_yes_or_no_is_auroc_and_has_its_known_error():
    rng = np.random.default_rng(1)
    yes = np.repeat([0.0, 1.0], [60, 40])
    score = np.round(rng.normal(size=100) + yes, 1)
    course = of_order(yes, score, np.zeros(100, np.int64), np.arange(100), 1)
    found = auroc(yes, score)
    assert course.values[0] == pytest.approx(found.value)
    # DeLong: the spread of the placements among the others, each with n - 1 below.
    below = (score[60:, None] > score[None, :60]) + (score[60:, None] == score[None, :60]) / 2
    error = (below.mean(axis=1).var(ddof=1) / 40 + below.mean(axis=0).var(ddof=1) / 60) ** 0.5
    assert own(course, 0).error == pytest.approx(error, rel=0.02)
    # 40 · 60 pairs of a hundred images: worth 24 pairs of their own.
    assert course.weights[0] == pytest.approx(24)


def test_the_order_of_ratings_counts_pairs_that_differ_and_half_of_the_judges_ties():
    # Pairs that people tell apart: 5 of 6. In their order: (1,2) (1,3) (2',3); a tie: (1,2'); and
    # (2,3) the other way round.
    people, judge = np.array([1.0, 2.0, 2.0, 3.0]), np.array([0.2, 0.6, 0.2, 0.5])
    course = of_order(people, judge, np.zeros(4, np.int64), np.arange(4), 1)
    assert course.values[0] == pytest.approx(3.5 / 5)


def test_a_generator_on_which_people_never_differ_has_no_order():
    course = of_order(np.ones(5), np.arange(5.0), np.zeros(5, np.int64), np.arange(5), 1)
    assert course.weights[0] == 0
