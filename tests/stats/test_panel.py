"""A panel of judges: its weights, its test on prompts that it never saw, and errors that are shared."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from jurybox_stats import raters
from jurybox_stats.decisions import panel
from jurybox_stats.estimate import Undefined


@pytest.fixture
def bench():
    rng = np.random.default_rng(5)
    prompts = np.repeat(np.arange(30), 4)
    yes = (rng.random(prompts.size) < 0.5) * 1.0
    judges = yes + rng.normal(size=(3, prompts.size))
    return judges, yes, prompts, prompts % 2 == 0


def test_stacked_weights_are_those_of_a_logistic_regression(bench):
    judges, yes, *_ = bench
    ours = panel.tune_stack(judges, yes)
    apart = (judges - judges.mean(axis=1, keepdims=True)) / judges.std(axis=1, keepdims=True)
    theirs = LogisticRegression(C=1.0, tol=1e-10).fit(apart.T, yes)
    assert ours.weights == pytest.approx(theirs.coef_[0], abs=1e-5)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-5)


def test_a_constant_judge_has_no_weight_and_a_missing_score_says_nothing(bench):
    judges, yes, *_ = bench
    found = panel.tune_stack(np.vstack([judges[:1], np.full(yes.size, 0.7)]), yes)
    assert found.weights[1] == 0
    one = np.array([[found.means[0]], [np.nan]])
    assert found.scores(one) == pytest.approx(1 / (1 + np.exp(-found.intercept)))
    assert np.isnan(found.scores(np.full((2, 1), np.nan))).all()


def test_two_copies_of_a_judge_weigh_as_one(bench):
    judges, yes, *_ = bench
    alone = panel.tune_stack(judges[:2], yes).weights
    with_copy = panel.tune_stack(judges[[0, 0, 1]], yes).weights
    assert with_copy[0] + with_copy[1] == pytest.approx(alone[0], rel=0.1)


def test_the_mean_is_over_the_scores_that_are_there():
    judges = np.array([[0.0, 2.0, 4.0], [1.0, np.nan, 3.0]])
    found = panel.tune_mean(judges, np.zeros(3))
    # Standardised by hand: the first has mean 2 and spread √(8/3), the second mean 2 and spread 1.
    far = 2 / np.sqrt(8 / 3)
    assert found.scores(judges) == pytest.approx([(-far - 1) / 2, 0.0, (far + 1) / 2])


def test_verdicts_alone_are_combined_as_dawid_and_skene_do():
    rng = np.random.default_rng(6)
    truth = rng.random(2_000) < 0.5
    rates = (0.05, 0.2, 0.3, 0.5)
    verdicts = np.array([np.where(rng.random(2_000) < rate, ~truth, truth) for rate in rates]) * 1.0
    found = panel.tune_classes(verdicts, truth * 1.0)
    member, image = np.nonzero(~np.isnan(verdicts))
    theirs = raters.dawid_skene(image, member, verdicts[member, image])
    # The chances of one step later.
    assert found.scores(verdicts) == pytest.approx(theirs.posterior[:, 1], abs=0.02)
    # What the first one alone says: the odds of its own rates of error.
    alone = found.scores(np.array([[1.0], [np.nan], [np.nan], [np.nan]]))
    assert alone == pytest.approx(0.95, abs=0.02)
    nothing = panel.tune_classes(verdicts[:1], truth * 1.0)
    assert isinstance(nothing, Undefined)


def test_the_order_without_each_prompt_is_that_of_the_others(bench):
    judges, yes, prompts, _ = bench
    rows = panel.rows_of_order(yes, judges[0], prompts)
    for prompt in (0, 7):
        left = prompts != prompt
        positive, negative = judges[0][left & (yes == 1)], judges[0][left & (yes == 0)]
        wins = (positive[:, None] > negative).mean()
        assert rows[1 + prompt] == pytest.approx(wins)


def test_a_tested_gain_is_the_difference_of_both_orders(bench):
    judges, yes, prompts, tuning = bench
    found = panel.test_once(judges, yes, yes, prompts, tuning, panel.tune_stack)
    assert found.gain.value == pytest.approx(found.order - found.best_order)
    assert found.gain.freedom == 14
    alike = panel.test_once(judges, np.ones(yes.size), yes, prompts, tuning, panel.tune_stack)
    assert isinstance(alike, Undefined)


def test_a_suggested_panel_leaves_noise_out(bench):
    rng = np.random.default_rng(7)
    prompts = np.repeat(np.arange(100), 4)
    yes = (rng.random(prompts.size) < 0.5) * 1.0
    halves = [
        np.where(prompts // 2 % 2 == half, 3 * yes, 1.5) + rng.normal(0, 0.2, yes.size)
        for half in (0, 1)
    ]
    judges = np.stack([*halves, rng.normal(size=yes.size)])
    found = panel.suggest(judges, yes, yes, prompts)
    assert sorted(found.members) == [0, 1]
    assert found.tried == 1 + 2 + 1


def test_shared_errors_are_what_is_left_beyond_peoples_answer(bench):
    judges, yes, prompts, _ = bench
    assert panel.errors_together(judges[0], judges[0], yes, prompts).value == pytest.approx(1)
    apart = panel.errors_together(judges[0], judges[1], yes, prompts)
    left = [one - np.where(yes == 1, one[yes == 1].mean(), one[yes == 0].mean()) for one in judges]
    assert apart.value == pytest.approx(np.corrcoef(left[0], left[1])[0, 1])
    assert apart.low < apart.value < apart.high
