import numpy as np
import pytest
from scipy.stats import ttest_ind

from jurybox_stats.own_average import (
    chance_of_none,
    mean_of,
    mean_of_part,
    order_of,
    order_of_part,
)


def mean_against_all(values, inside, prompts):
    whole = mean_of(values, prompts, int(prompts.max()) + 1)
    return mean_of_part(values, inside, prompts, whole)


def test_a_part_lies_as_far_from_all_as_its_share_of_the_rest_says():
    # 2 of 6 items have 4, the others 1: the part's mean less (2 * 4 + 4 * 1) / 6
    values = np.array([4.0, 4.0, 1.0, 1.0, 1.0, 1.0])
    found = mean_against_all(values, values > 2, np.arange(6))
    assert found.value == pytest.approx(2)
    assert (found.n, found.freedom) == (2, 1)


def test_with_one_item_a_prompt_it_is_nearly_the_test_of_two_means():
    rng = np.random.default_rng(3)
    values, inside = rng.normal(size=4000), np.arange(4000) < 400
    values[inside] += 0.1
    found = mean_against_all(values, inside, np.arange(4000))
    welch = ttest_ind(values[inside], values[~inside], equal_var=False)
    assert found.value / found.error == pytest.approx(welch.statistic, rel=0.01)
    assert chance_of_none(found) == pytest.approx(welch.pvalue, rel=0.05)


@pytest.mark.parametrize("what", ["mean", "order"])
def test_where_nothing_differs_one_in_twenty_is_below_a_twentieth(what):
    rng = np.random.default_rng(4)
    prompts = np.repeat(np.arange(60), 4)
    inside = prompts < 15
    found = []
    for _ in range(400):
        # What the items of a prompt share is in them all.
        shared = rng.normal(size=60)[prompts]
        if what == "mean":
            values = shared + rng.normal(size=240)
            found.append(mean_against_all(values, inside, prompts))
        else:
            people = (rng.random(240) < 0.5) * 1.0
            judge = people + 0.5 * shared + rng.normal(size=240)
            whole = order_of(people, judge, prompts, 60)
            found.append(order_of_part(people, judge, inside, prompts, whole))
    below = np.mean([chance_of_none(one) < 0.05 for one in found])
    assert 0.02 < below < 0.09


def test_a_part_that_is_all_or_empty_or_one_prompt_is_not_compared():
    values, prompts = np.arange(6.0), np.repeat([0, 1, 2], 2)
    for inside in (np.ones(6, bool), np.zeros(6, bool), prompts == 1):
        assert mean_against_all(values, inside, prompts) is None
