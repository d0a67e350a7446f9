import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from jurybox_stats.agreement import (
    beyond_chance,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
    resampled_ac1,
    unanimity,
)
from jurybox_stats.estimate import Undefined
from jurybox_stats.resamples import Resamples

NAN = float("nan")
LEVELS = ("nominal", "ordinal", "interval")


def test_kappa_of_a_table_worked_by_hand():
    # yes/yes 20, yes/no 5, no/yes 10, no/no 15  (n = 50)
    # p_o = 35/50 = 0.7;  p_e = 0.5 * 0.6 + 0.5 * 0.4 = 0.5;  kappa = 0.2/0.5
    first = [1] * 25 + [0] * 25
    second = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(first, second).value == pytest.approx(0.4)
    assert percent_agreement(first, second).value == 0.7


def test_weighted_kappa_worked_by_hand():
    # ratings (1, 1) (1, 2) (3, 1) (3, 3): places 0 0, 0 1, 2 0, 2 2 of the classes 1, 2, 3
    # linear: observed (0 + 1 + 2 + 0)/4 = 0.75; first half 1 half 3, second 1, 2, 1, 3
    #   expected: from 1: (2*0 + 1*1 + 1*2)/4 = 0.75, from 3: (2*2 + 1*1 + 0)/4 = 1.25; mean 1.0
    # quadratic: observed (1 + 4)/4 = 1.25; from 1: (1 + 4)/4, from 3: (8 + 1)/4; mean 1.75
    first, second = [1, 1, 3, 3], [1, 2, 1, 3]
    assert cohen_kappa(first, second, "linear").value == pytest.approx(0.25)
    assert cohen_kappa(first, second, "quadratic").value == pytest.approx(1 - 1.25 / 1.75)


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn(weights):
    rng = np.random.default_rng(0)
    for _ in range(40):
        n = int(rng.integers(3, 60))
        a, b = rng.integers(0, 5, n), rng.integers(0, 4, n)
        expected = cohen_kappa_score(a, b, weights=weights)
        assert cohen_kappa(a, b, weights).value == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2), st.randoms())
def test_order_names_and_who_is_first_do_not_matter_to_kappa(pairs, random):
    a, b = (list(side) for side in zip(*pairs, strict=True))
    found = cohen_kappa(a, b)
    assert cohen_kappa(b, a) == found
    random.shuffle(pairs)
    a2, b2 = (list(side) for side in zip(*pairs, strict=True))
    assert cohen_kappa(a2, b2) == found
    names = ["red", "green", "blue", "black"]
    assert cohen_kappa([names[k] for k in a], [names[k] for k in b]) == found


def test_two_raters_with_one_and_the_same_answer_have_no_kappa():
    assert cohen_kappa([1, 1], [1, 1]) == Undefined("both raters always gave the same value", 2)
    assert cohen_kappa([1, 1], [0, 0]).value == 0  # nothing by chance, nothing in fact: 0/1


def test_alpha_of_krippendorffs_own_example():
    # Krippendorff 2011, "Computing Krippendorff's alpha", example C: nominal 0.743,
    # ordinal 0.815, interval 0.849, for four observers and twelve units, with holes.
    ratings = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
    found = [krippendorff_alpha(ratings, level) for level in LEVELS]
    assert [round(f.value, 3) for f in found] == [0.743, 0.815, 0.849]
    assert found[0].n == 11  # the last unit has a single rating


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_is_that_of_the_krippendorff_package(level):
    rng = np.random.default_rng(1)
    for case in range(60):
        raters = 3 if case % 3 else 14
        table = rng.integers(0, 5, (raters, int(rng.integers(3, 30)))).astype(float)
        if case % 2:
            table = table * 0.3 - 0.7
        table[rng.random(table.shape) < 0.3] = NAN
        found = krippendorff_alpha(table, level)
        if found:
            expected = krippendorff.alpha(table, level_of_measurement=level)
            assert found.value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_does_not_mind_the_order_of_raters_or_units(level):
    rng = np.random.default_rng(2)
    table = rng.integers(1, 6, (4, 30)).astype(float)
    table[rng.random(table.shape) < 0.2] = NAN
    found = krippendorff_alpha(table, level).value
    assert krippendorff_alpha(table[::-1], level).value == pytest.approx(found, abs=1e-12)
    shuffled = table[:, rng.permutation(30)]
    assert krippendorff_alpha(shuffled, level).value == pytest.approx(found, abs=1e-12)


def test_interval_alpha_knows_no_unit_and_ordinal_alpha_only_the_order():
    table = np.array([[1, 2, 3, 5, 4.0], [1, 3, 3, 5, 5], [2, 2, 3, 4, 5]])
    interval = krippendorff_alpha(table, "interval").value
    assert krippendorff_alpha(table * 1e9 + 1e12, "interval").value == pytest.approx(interval)
    ordinal = krippendorff_alpha(table, "ordinal").value
    assert krippendorff_alpha(np.exp(table), "ordinal").value == pytest.approx(ordinal)


def test_fleiss_kappa_of_his_own_table():
    # Fleiss 1971, table 1 in its usual shortened form: 10 subjects, 14 raters, 5 classes.
    counts = [
        [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
    ]  # fmt: skip
    ratings = np.array([np.repeat(np.arange(5), row) for row in counts]).T
    assert fleiss_kappa(ratings).value == pytest.approx(0.2099, abs=5e-5)


def test_ac1_of_a_table_worked_by_hand():
    # 118 times yes/yes, 5 yes/no, 2 no/yes, 0 no/no (Gwet 2008, section 2): p_o = 118/125;
    # q = (123 + 120)/250 = 0.972; p_e = 2 q (1 - q) = 0.054432; AC1 = (0.944 - p_e)/(1 - p_e)
    first = [1] * 118 + [1] * 5 + [0] * 2
    second = [1] * 118 + [0] * 5 + [1] * 2
    assert gwet_ac1([first, second]).value == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))
    assert cohen_kappa(first, second).value < 0


def test_units_with_one_rating_are_neither_unanimous_nor_divided():
    # unit 1: 1 1 0, unit 2: 1 1 -, unit 3: 0 - -: unanimous is unit 2 only, of units 1 and 2
    assert unanimity([[1, 1, 0], [1, 1, NAN], [0, NAN, NAN]]).value == 0.5


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_alpha_has_the_same_digits_in_whatever_order_people_and_units_come(level):
    drawn = np.random.default_rng(5)
    for people in (3, 5, 20):
        table = drawn.integers(0, 5, (people, 40)) / 3.0
        table[drawn.random(table.shape) < 0.2] = np.nan
        prompts = np.arange(40) // 4
        alpha = krippendorff_alpha(table, level).value
        interval = Resamples(prompts, resamples=50).krippendorff_alpha(table, level)
        for _ in range(20):
            units = drawn.permutation(40)
            other = table[drawn.permutation(people)][:, units]
            assert krippendorff_alpha(other, level).value == alpha
            again = Resamples(prompts[units], resamples=50).krippendorff_alpha(other, level)
            assert again == interval


def test_how_far_kappa_falls_where_nobody_agrees_worked_by_hand():
    # Nine yes of ten answers: P_e = .81 + .01 = .82, 1 / .18
    assert beyond_chance([[1] * 5, [1] * 4 + [0]]) == pytest.approx(1 / 0.18)
    assert beyond_chance([[np.nan]]) == 1


def test_the_interval_of_ac1_leaves_out_each_prompt_in_turn():
    rng = np.random.default_rng(4)
    table = np.where(rng.random((3, 60)) < 0.8, 1.0, 0.0)
    table[0, :7] = np.nan
    prompts = np.arange(60) // 3
    found = Resamples(prompts).interval(lambda draw: resampled_ac1(draw, table))
    assert found.value == pytest.approx(gwet_ac1(table).value)
    without = [gwet_ac1(table[:, prompts != prompt]).value for prompt in range(20)]
    spread = np.sqrt(19 * np.var(without)) / (1 - found.value**2)
    # On Fisher's z, with Student's t of so many degrees of freedom as the spread of 20 prompts has.
    away = without - np.mean(without)
    kurtosis = np.mean(away**4) / np.mean(away**2) ** 2
    quantile = stats.t.ppf(0.975, min(19, 40 / (kurtosis - 1)))
    ends = np.tanh(np.arctanh(found.value) + np.array([-1, 1]) * quantile * spread)
    assert [found.low, found.high] == pytest.approx(ends, abs=1e-4)
