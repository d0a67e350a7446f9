import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from jurybox_stats.estimate import Undefined
from jurybox_stats.ranking import (
    by_group,
    centred,
    kendall_tau_b,
    kendall_tau_c,
    pearson,
    soft_pairwise_accuracy,
    spearman,
)
from jurybox_stats.series import ranks
from tests.stats.vectors import bundle, cases

RANKED = [kendall_tau_b, kendall_tau_c, spearman]
series = st.lists(
    st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=40
).filter(lambda pairs: all(len(set(side)) > 1 for side in zip(*pairs, strict=True)))


def test_tau_worked_by_hand():
    # x 1 2 2 3, y 1 3 2 2: six pairs
    # (1,2) C, (1,3) C, (1,4) C, (2,3) tied in x, (2,4) D, (3,4) tied in y
    # tau_b = (3 - 1)/sqrt(5 * 5); tau_c = 2 * 2 * 3/(16 * 2), three values on either side
    assert kendall_tau_b([1, 2, 2, 3], [1, 3, 2, 2]).value == pytest.approx(2 / 5)
    assert kendall_tau_c([1, 2, 2, 3], [1, 3, 2, 2]).value == pytest.approx(12 / 32)


def test_against_scipy_with_many_ties_and_none():
    rng = np.random.default_rng(0)
    for case in range(150):
        n = int(rng.integers(3, 80))
        x = rng.integers(0, 6, n).astype(float) if case % 2 else rng.normal(size=n)
        y = rng.integers(0, 3, n).astype(float) if case % 3 else rng.normal(size=n)
        if np.ptp(x) == 0 or np.ptp(y) == 0:
            continue
        for ours, theirs in (
            (kendall_tau_b, scipy.stats.kendalltau(x, y).statistic),
            (kendall_tau_c, scipy.stats.kendalltau(x, y, variant="c").statistic),
            (spearman, scipy.stats.spearmanr(x, y).statistic),
            (pearson, scipy.stats.pearsonr(x, y).statistic),
        ):
            assert ours(x, y).value == pytest.approx(theirs, abs=1e-12)


@given(series, st.randoms())
def test_order_of_items_and_of_series_does_not_matter(pairs, random):
    x, y = zip(*pairs, strict=True)
    random.shuffle(pairs)
    x2, y2 = zip(*pairs, strict=True)
    for statistic in (*RANKED, pearson):
        value = statistic(x, y).value
        assert -1 <= value <= 1
        assert statistic(y, x).value == pytest.approx(value, abs=1e-12)
        assert statistic(x2, y2).value == pytest.approx(value, abs=1e-12)


@given(series)
def test_monotone_transforms_leave_rank_statistics_alone(pairs):
    x, y = (np.array(side, float) for side in zip(*pairs, strict=True))
    for statistic in RANKED:
        assert statistic(np.exp(x), y**3) == statistic(x, y)
        assert statistic(-x, y).value == pytest.approx(-statistic(x, y).value, abs=1e-12)


@given(series, st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_pearson_knows_no_unit_and_no_origin(pairs, unit, origin):
    x, y = (np.array(side, float) for side in zip(*pairs, strict=True))
    assume(np.unique(x * unit + origin).size > 1)
    assert pearson(x * unit + origin, y).value == pytest.approx(pearson(x, y).value, abs=1e-6)


def test_perfect_agreement_is_exactly_one():
    x = np.random.default_rng(1).normal(size=1001)
    assert kendall_tau_b(x, x).value == 1
    assert kendall_tau_b(x, -x).value == -1
    assert pearson([1e-300, 2e-300, 3e-300], [1e99, 2e99, 3e99]).value == pytest.approx(1)


def test_a_constant_series_cannot_be_ranked():
    for statistic in (*RANKED, pearson):
        assert statistic([1, 1, 1], [1, 2, 3]) == Undefined("the first series is constant", 3)


@pytest.mark.parametrize("case", cases("mtme_grouping"))
@pytest.mark.parametrize("grouping", ["none", "sys", "item"])
def test_grouped_correlations_are_those_of_mt_metrics_eval(case, grouping):
    gold, metric = np.array(case["gold"]), np.array(case["metric"])
    systems = case["num_sys"]
    place = np.arange(gold.size)
    items = gold.size // systems
    groups = {"none": place * 0, "sys": place // items, "item": place % items}[grouping]
    for name, statistic in (
        ("pearson", pearson), ("spearman", spearman), ("kendall_b", kendall_tau_b)
    ):  # fmt: skip
        value, averaged = case[grouping][name]
        found = by_group(statistic, gold, metric, groups)
        if found:
            assert (found.value, found.n) == (pytest.approx(value, rel=1e-6, abs=1e-9), averaged)
        else:
            assert averaged == 0 or value is None


def test_correlations_of_genai_bench():
    for case in cases("genai_calc_metric"):
        if isinstance(case["human"][0], list):
            continue
        human, metric = case["human"], case["metric"]
        for statistic, key, scale in (
            (pearson, "pearson_x100", 100), (kendall_tau_b, "tau_b", 1), (kendall_tau_c, "tau_c", 1)
        ):  # fmt: skip
            found, expected = statistic(human, metric), case.get(key)
            if expected is None:
                assert isinstance(found, Undefined)
            else:
                assert found.value * scale == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_the_whole_evaluation_of_genai_bench():
    study = bundle("genai_image_eval")
    human = np.array(study["ratings"]).mean(axis=2).ravel()
    scores = np.array(study["scores"])
    assert pearson(human, scores).value * 100 == pytest.approx(study["overall"]["pearson"])
    assert kendall_tau_b(human, scores).value == pytest.approx(study["overall"]["kendall_b"])


def test_a_correlation_of_many_items_is_summed_exactly():
    # Products of vectors are added by several threads from 10,000 items on, in another order on
    # every machine; the exact sums of fractions know none.
    rng = np.random.default_rng(5)
    x = rng.normal(size=20_001)
    y = x + rng.normal(size=x.size)
    a, b = (centred(values) for values in (x, y))
    sums = [math.fsum(first * second) for first, second in ((a, b), (a, a), (b, b))]
    assert pearson(x, y).value == sums[0] / (math.sqrt(sums[1]) * math.sqrt(sums[2]))


def test_a_judge_that_ranks_with_peoples_certainty_is_right_altogether():
    people = [[1, 2, 3, 2], [2, 3, 3, 4], [1, 1, 2, 2]]
    scaled = [[10 * value + 7 for value in row] for row in people]
    assert soft_pairwise_accuracy(people, scaled).value == 1


def test_a_judge_that_is_as_sure_of_the_opposite_is_off_by_both_certainties():
    """d = (1, 1): p = P(Z > 2 / sqrt 2) = .0786 for people, and its rest, .9214, for the judge."""
    found = soft_pairwise_accuracy([[2, 2], [1, 1]], [[1, 1], [2, 2]])
    assert found.value == pytest.approx(1 - (0.9213504 - 0.0786496), abs=1e-6)


def test_one_generator_has_nobody_to_be_compared_with():
    assert not soft_pairwise_accuracy([[1, 2]], [[1, 2]])


def test_pearson_of_values_that_differ_in_their_last_digits_worked_by_hand():
    # 0 1 2 3 0 units in the last place above 1, mean 1.2; beside them 1 2 2 4 1.5, mean 2.1:
    # sum xy = 1.32 + 0.02 - 0.08 + 3.42 + 0.72 = 5.4, sum x2 = 6.8, sum y2 = 5.2
    x = [1 + k * 2.0**-52 for k in (0, 1, 2, 3, 0)]
    y = [1.0, 2.0, 2.0, 4.0, 1.5]
    assert pearson(x, y).value == pytest.approx(5.4 / math.sqrt(6.8 * 5.2))


def test_equal_values_share_the_middle_of_their_ranks():
    # 1 is the first; the two 3s hold the second and the third place.
    assert ranks([3.0, 1.0, 3.0, 7.0]).tolist() == [2.5, 1.0, 2.5, 4.0]
