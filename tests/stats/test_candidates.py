import itertools

import numpy as np
import pytest

from jurybox_stats.candidates import best_of, goodhart
from tests.stats.vectors import cases


def test_three_candidates_and_a_tie_worked_by_hand():
    # people 5 3 1, judge .9 .9 .1: the judge's choice is 5 or 3, so 4; random 3; oracle 5;
    # people's favourite is hit every other time. Another prompt: people 2 4, judge 0 1: 4.
    found = best_of([5, 3, 1, 2, 4], [0.9, 0.9, 0.1, 0, 1], ["a", "a", "a", "b", "b"])
    assert (found.judge.value, found.random.value, found.oracle.value) == (4.0, 3.0, 4.5)
    assert (found.gain.value, found.top1.value) == (1.0, 0.75)
    assert found.judge.n == 2


def test_the_expectation_over_subsets_and_ties_equals_listing_them():
    rng = np.random.default_rng(0)
    for _ in range(60):
        m = int(rng.integers(2, 7))
        n = int(rng.integers(1, m + 1))
        human, judge = rng.integers(0, 3, (2, m)).astype(float)
        chosen, oracle, hit = [], [], []
        for subset in itertools.combinations(range(m), n):
            h, j = human[list(subset)], judge[list(subset)]
            top = h[j == j.max()]
            chosen.append(top.mean())
            oracle.append(h.max())
            hit.append((top == h.max()).mean())
        two = best_of(np.tile(human, 2), np.tile(judge, 2), np.repeat([0, 1], m), n=n)
        assert two.judge.value == pytest.approx(np.mean(chosen))
        assert two.oracle.value == pytest.approx(np.mean(oracle))
        assert two.top1.value == pytest.approx(np.mean(hit))
        assert two.random.value == pytest.approx(human.mean())


@pytest.mark.parametrize("case", cases("genai_rank"))
def test_the_ranking_of_genai_bench(case):
    human, metric = np.array(case["human"]), np.array(case["metric"])
    prompt = np.repeat(np.arange(human.shape[0]), 9)
    third = np.repeat(np.arange(human.size // 3), 3)
    scores = case["mean_by_tag"]
    for groups, size, top1 in ((prompt, 9, "top1_acc_9"), (third, 3, "top1_acc_3")):
        if any(np.unique(row).size < size for row in metric.reshape(-1, size)):
            continue  # the official choice among ties is an accident of the sort
        found = best_of(human.ravel(), metric.ravel(), groups, resamples=50)
        assert found.judge.value == pytest.approx(scores[f"rerank_by_{size}"]["all"], rel=1e-6)
        assert found.oracle.value == pytest.approx(
            scores[f"human_oracle_by{size}"]["all"], rel=1e-6
        )
        assert found.random.value == pytest.approx(scores["random"]["all"], rel=1e-6)
        assert found.top1.value == pytest.approx(case[top1]["all"], abs=1e-6)


def test_a_judge_that_marks_its_own_choice_up_gains_more_than_people():
    """Prompt 1: the choice is worth 1 to people (mean 2) and .9 to the judge (mean .5)."""
    found = goodhart([1, 3, 2, 4], [0.9, 0.1, 0.3, 0.7], [1, 1, 2, 2], resamples=50)
    assert found.human_gain.value == pytest.approx((-1 + 1) / 2)
    assert found.judge_gain.value == pytest.approx((0.4 + 0.2) / 2)
    assert found.ratio.value == pytest.approx(0)


def test_a_judge_without_a_gain_has_no_ratio():
    found = goodhart([1, 3], [0.5, 0.5], [1, 1], resamples=50)
    assert found.ratio.reason == "the judge gains nothing by its choice"
