"""Measures of verdicts, scores and ratings, each against its formula written out and worked by hand."""

import math

import numpy as np
import pytest

from jurybox_stats import agreement
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.measures import calibration_error, precision, rated, verdict_balance
from jurybox_stats.resamples import Resamples

YES = [1, 1, 1, 0, 0, 0, 0, 0]
SAID = [1, 1, 0, 1, 0, 0, 0, 0]


def draw_of(clusters):
    return Resamples(clusters, resamples=50, seed=0)


def test_balanced_accuracy_and_mcc_worked_by_hand():
    # TP 2, FN 1, TN 4, FP 1: (2/3 + 4/5) / 2; (8 − 1) / √(3 · 3 · 5 · 5)
    assert verdict_balance.balanced_accuracy(YES, SAID).value == pytest.approx((2 / 3 + 4 / 5) / 2)
    assert verdict_balance.matthews(YES, SAID).value == pytest.approx(7 / 15)


def test_a_judge_that_always_says_yes_has_half_of_it_and_no_mcc():
    assert verdict_balance.balanced_accuracy(YES, [1] * 8).value == 0.5
    assert isinstance(verdict_balance.matthews(YES, [1] * 8), Undefined)


def test_average_precision_worked_by_hand():
    # From the top: yes (1/1), no, yes (2/3), yes (3/4), no: mean of 1, 2/3, 3/4.
    found = precision.average_precision([1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.5])
    assert found.value == pytest.approx((1 + 2 / 3 + 3 / 4) / 3)
    # Equal scores are one step: 2 of 3 at the top, then 3 of 5.
    tied = precision.average_precision([1, 0, 1, 1, 0], [0.9, 0.9, 0.9, 0.2, 0.2])
    assert tied.value == pytest.approx((2 / 3 + 2 / 3 + 3 / 5) / 3)
    # A score that knows nothing has the share of yes.
    assert precision.average_precision([1, 0, 1, 1, 0], [1] * 5).value == pytest.approx(3 / 5)


def test_average_precision_moves_by_what_a_prompt_pulls():
    """Against the jackknife in full: of 100 prompts both spread alike."""
    rng = np.random.default_rng(1)
    prompts = np.repeat(np.arange(100), 5)
    labels = (rng.random(500) < 0.3 + 0.3 * (prompts % 2)).astype(float)
    scores = np.round(labels + rng.normal(size=500), 1)
    found = precision.resampled_average_precision(draw_of(prompts).draw, labels, scores)
    linear = found.values(draw_of(prompts).draw.left_out)
    full = np.array(
        [
            precision.average_precision(labels[prompts != g], scores[prompts != g]).value
            for g in range(100)
        ]
    )
    assert np.std(linear) == pytest.approx(np.std(full), rel=0.02)
    assert np.corrcoef(linear, full)[0, 1] > 0.999


def test_calibration_error_worked_by_hand():
    # Bin .2: scores .2 .2 with share 0 and 1: |.5 − .2|; bin .9 (1 belongs to it): .9 and 1, both right.
    found = calibration_error.calibration_error([0.2, 0.2, 0.9, 1.0], [0, 1, 1, 1])
    assert found.value == pytest.approx(0.5 * 0.3 + 0.5 * 0.05)
    outside = calibration_error.calibration_error([1.2], [1])
    assert "no probabilities" in outside.reason


def test_icc_of_shrout_and_fleiss():
    """Their table 2: four judges, six targets; table 4 prints ICC(2,1) .29 and ICC(2,4) .62."""
    ratings = np.array(
        [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    ).T
    assert rated.icc_2k(ratings).value == pytest.approx(0.62, abs=0.005)
    single = draw_of(np.arange(6)).interval(lambda draw: rated.estimated_icc_2k(draw, ratings))
    assert single.value == pytest.approx(0.29, abs=0.005)
    found = rated.of_k(single, 4)
    assert found.value == pytest.approx(rated.icc_2k(ratings).value)
    assert found.low < found.value < found.high


def test_the_block_of_an_icc_takes_most_answers_and_has_no_holes():
    nan = math.nan
    table = [[1, 2, 3, 4, 5, 4], [1, 2, 3, 4, 4, nan], [nan, nan, nan, nan, 2, 2]]
    people, images = rated.complete_block(table)
    assert people.tolist() == [0, 1]
    assert images.tolist() == [True] * 5 + [False]
    assert "same images" in rated.complete_block([[1, nan], [nan, 2]]).reason
    assert "did not rate" in rated.icc_2k(table).reason


def test_no_name_of_a_person_changes_a_digit_of_icc_or_weighted_kappa():
    rng = np.random.default_rng(4)
    table = np.round(rng.random((4, 40)), 1)
    table[rng.random((4, 40)) < 0.1] = math.nan
    prompts = np.arange(40)

    def found(order):
        rows = table[order]
        people, images = rated.complete_block(rows)
        block = rows[people][:, images]
        single = draw_of(prompts[images]).interval(lambda d: rated.estimated_icc_2k(d, block))
        kappa = draw_of(prompts).interval(lambda d: rated.resampled_weighted_kappa(d, rows))
        return single, rated.of_k(single, people.size), kappa

    first = found([0, 1, 2, 3])
    assert all(found(order) == first for order in ([3, 1, 0, 2], [2, 3, 1, 0], [1, 0, 3, 2]))


def test_ac2_written_out():
    table = np.array([[1, 2, 3, 5, 4], [1, 2, 4, 5, 2], [2, 2, 3, 4, math.nan]])
    names = np.arange(1.0, 6.0)
    weight = 1 - np.subtract.outer(names, names) ** 2 / 16
    agree, shares = [], []
    for column in table.T:
        given = [int(value) - 1 for value in column if not math.isnan(value)]
        m = len(given)
        pairs = [weight[a, b] for i, a in enumerate(given) for j, b in enumerate(given) if i != j]
        agree.append(sum(pairs) / (m * (m - 1)))
        shares.append([given.count(k) / m for k in range(5)])
    q = np.mean(shares, axis=0)
    chance = weight.sum() / 20 * (q * (1 - q)).sum()
    assert rated.gwet_ac2(table).value == pytest.approx((np.mean(agree) - chance) / (1 - chance))


def test_ac2_of_yes_and_no_is_ac1():
    table = np.array([[1, 0, 1, 1, 1], [1, 0, 0, 1, 1]])
    assert rated.gwet_ac2(table).value == pytest.approx(agreement.gwet_ac1(table).value)


def test_weighted_kappa_is_the_mean_over_pairs_of_people():
    rng = np.random.default_rng(2)
    level = rng.integers(1, 6, 40)
    table = np.clip(level + rng.integers(-1, 2, (3, 40)), 1, 5).astype(float)
    found = draw_of(np.arange(40)).interval(
        lambda draw: rated.resampled_weighted_kappa(draw, table)
    )
    pairs = [
        agreement.cohen_kappa(table[a], table[b], "quadratic").value
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    assert found.value == pytest.approx(np.mean(pairs))
    assert found.low < found.value < found.high < 1
    few = draw_of(np.arange(5)).interval(
        lambda draw: rated.resampled_weighted_kappa(draw, table[:, :5])
    )
    assert "no two people" in few.reason


@pytest.mark.parametrize("seed", range(2))
def test_intervals_hold_the_truth_in_most_worlds(seed):
    """60 prompts of 4 images; the truth from one study of 400,000. Nominal .95; of 120 worlds at least 105."""
    rng = np.random.default_rng(seed)

    def world(prompts):
        strength = np.repeat(rng.normal(size=prompts), 4)
        score = 1 / (1 + np.exp(-(strength + rng.normal(size=4 * prompts))))
        chance = np.clip(0.1 + 0.7 * score, 0, 1)
        return score, (rng.random(4 * prompts) < chance) * 1.0, np.repeat(np.arange(prompts), 4)

    def measures(score, yes, prompts):
        draw = draw_of(prompts)
        ruled = (score > 0.5) * 1.0
        return [
            draw.interval(lambda d: precision.resampled_average_precision(d, yes, score)),
            draw.balanced_accuracy(yes, ruled),
            draw.pearson(yes, ruled),
            calibration_error.estimated_calibration_error(draw.draw, score, yes),
        ]

    score, yes, _ = world(100_000)
    truth = [
        precision.average_precision(yes, score).value,
        verdict_balance.balanced_accuracy(yes, (score > 0.5) * 1.0).value,
        verdict_balance.matthews(yes, (score > 0.5) * 1.0).value,
        calibration_error.calibration_error(score, yes).value,
    ]
    held = np.zeros(4)
    for _ in range(120):
        for place, found in enumerate(measures(*world(60))):
            assert isinstance(found, Estimate)
            held[place] += found.low <= truth[place] <= found.high
    assert (held >= 105).all(), held
