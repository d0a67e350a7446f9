import numpy as np
import pytest

from jurybox_stats import permutation, ties
from jurybox_stats.ranking import pearson
from tests.stats.vectors import cases


def of_means(a, b, **given):
    return permutation.paired(lambda _, x: float(x.mean()), a, a, b, scale=None, **given)


def test_three_prompts_and_all_their_swaps_worked_by_hand():
    # a - b summed by prompt: 2, 1, -1 over five images: difference 2/5.
    # |+-2 +-1 +-1| over 8 swaps: 4 0(...)  2+1-1=2, 2-1-1=0, 2+1+1=4, 2-1+1=2 and their negatives:
    # at least 2 in 6 of 8
    a, b, prompt = [1, 1, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 1, 2, 2]
    found = of_means(a, b, clusters=prompt)
    assert (found.difference, found.p) == (pytest.approx(2 / 5), 6 / 8)
    assert (found.exact, found.swaps) == (True, 8)


def test_drawn_swaps_come_close_to_all_of_them(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 2, (2, 13)).astype(float)
    exact = of_means(a, b)
    monkeypatch.setattr(permutation, "EXACT_UP_TO", 1)
    drawn = of_means(a, b)
    assert drawn.p == pytest.approx(exact.p, abs=0.02)
    assert of_means(a, b).p == drawn.p


def test_the_scale_of_a_judge_does_not_matter_once_ranked():
    rng = np.random.default_rng(2)
    truth = rng.normal(size=12)
    a, b = truth + rng.normal(size=(2, 12))
    found = permutation.paired(pearson, truth, a, b)
    assert permutation.paired(pearson, truth, np.exp(a), 100 * b).p == found.p


@pytest.mark.nightly("drawn worlds; the digits are held beside it")
@pytest.mark.simulation
def test_p_is_below_five_per_cent_in_at_most_so_many_lives_without_a_difference():
    rng = np.random.default_rng(3)
    lives = 400
    low = 0
    for life in range(lives):
        a, b = rng.integers(0, 2, (2, 80))
        low += of_means(a, b, swaps=500, seed=life).p <= 0.05
    # Two standard deviations above 20 of 400.
    assert low <= 29


def test_differences_of_mt_metrics_eval():
    for case in cases("mtme_permutation"):
        gold, one, two = (np.array(case[key]) for key in ("gold", "m1", "m2"))
        items = gold.size // case["num_sys"]
        item = np.arange(gold.size) % items
        delta = pearson(gold, two).value - pearson(gold, one).value
        assert delta == pytest.approx(case["perm_both_pearson_none"][1], rel=1e-6)
        found = permutation.paired(pearson, gold, two, one, scale="z", swaps=400)
        assert found.difference == pytest.approx(delta)
        # The official p is one-sided and drawn 200 times; ours is two-sided.
        assert 0 < found.p <= 1
        # Each judge at its own best epsilon, calibrated by item.
        one, two = (ties.calibrate(gold, judge, groups=item).accuracy for judge in (one, two))
        assert two - one == pytest.approx(case["pairwise_perm_acc23_item"][1], rel=1e-6, abs=1e-9)
