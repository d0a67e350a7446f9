import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurybox_stats import ties
from jurybox_stats.estimate import Undefined
from jurybox_stats.ranking import kendall_tau_b
from tests.stats.vectors import bundle, cases, flat


def by_looking_at_every_pair(human, metric, decimals=None):
    """The definition: every candidate, every pair. Returns epsilon and the right decisions."""
    i, j = np.triu_indices(human.size, 1)
    gap = np.abs(metric[i] - metric[j])
    gap = gap if decimals is None else np.round(gap, decimals)
    people = np.sign(human[i] - human[j])
    agrees = (people != 0) & (np.sign(metric[i] - metric[j]) == people)
    order = np.argsort(gap)
    gap, sign = gap[order], np.where(people == 0, 1, np.where(agrees, -1, 0))[order]
    surplus = np.cumsum(sign)
    end = np.r_[gap[1:] != gap[:-1], True]
    gap, surplus = gap[end], surplus[end]
    if gap[0] > 0:
        gap, surplus = np.r_[0.0, gap], np.r_[0, surplus]
    top = int(np.argmax(surplus))
    return gap[top], int(agrees.sum() + surplus[top])


def test_three_images_calibrated_by_hand():
    # people 1 1 2, judge .1 .3 .9: gaps .2 (tied by people), .8 and .6 (both concordant).
    # epsilon 0: 2 of 3 right; .2: 3 of 3; .6: 2; .8: 1
    best = ties.calibrate([1, 1, 2], [0.1, 0.3, 0.9])
    assert (best.accuracy, best.right, best.pairs) == (1.0, 3, 3)
    assert best.epsilon == 0.3 - 0.1
    assert best.comparison == "exact floats"
    assert ties.pairwise_accuracy([1, 1, 2], [0.1, 0.3, 0.9]).value == pytest.approx(2 / 3)


def test_a_tie_of_the_judge_is_never_right_where_people_see_a_difference():
    assert ties.pairwise_accuracy([1, 2], [0.5, 0.5]).value == 0
    assert ties.pairwise_accuracy([1, 1], [0.5, 0.5]).value == 1


def test_the_smallest_of_equal_maxima_is_taken():
    # gaps 1 (tied by people) and, beyond it, two that change nothing: 1 is as good as any above
    best = ties.calibrate([1, 1, 0], [0.0, 1.0, 5.0])
    assert best.epsilon == 1.0


@pytest.mark.parametrize("seed", range(6))
def test_calibration_equals_a_look_at_every_pair(seed):
    rng = np.random.default_rng(seed)
    for case in range(250):
        n = int(rng.integers(2, 45))
        human = (rng.integers(0, 5, n), rng.integers(3, 16, n) / 3, rng.normal(size=n))[case % 3]
        human = human.astype(float)
        metric = human * rng.choice([0, 0.5, 2]) + rng.normal(size=n)
        metric = (
            metric, np.round(metric, 1), metric.astype(np.float32).astype(float),
            np.exp(6 * metric), 1 + metric * 1e-15,
        )[case % 5]  # fmt: skip
        decimals = 2 if case % 7 == 0 else None
        found = ties.calibrate(human, metric, decimals=decimals)
        expected = by_looking_at_every_pair(human, metric, decimals)
        assert (found.epsilon, found.right) == expected
        again = ties.pairwise_accuracy(human, metric, epsilon=found.epsilon, decimals=decimals)
        assert again.value == found.accuracy


@pytest.mark.parametrize("groups", [1, 3, 40])
def test_grouped_calibration_equals_the_mean_over_groups(groups):
    rng = np.random.default_rng(groups)
    for _ in range(20):
        n = int(rng.integers(3, 60))
        human, metric = rng.integers(0, 4, n), np.round(rng.normal(size=n), 1)
        of = rng.integers(0, groups, n)
        best = ties.calibrate(human, metric, groups=of)
        if not best:
            continue
        gaps = np.unique(np.abs(np.subtract.outer(metric, metric)))
        accuracies = [
            ties.pairwise_accuracy(human, metric, epsilon=e, groups=of).value for e in gaps
        ]
        assert best.accuracy == pytest.approx(max(accuracies), abs=1e-12)
        reached = ties.pairwise_accuracy(human, metric, epsilon=best.epsilon, groups=of)
        assert reached.value == best.accuracy


def test_groups_of_sizes_without_a_common_weight_are_still_exact():
    # 60 groups of 2 to 61 items: the least common multiple of their pairs is beyond 2^53.
    rng = np.random.default_rng(5)
    of = np.repeat(np.arange(60), np.arange(2, 62))
    human, metric = rng.integers(0, 3, of.size), np.round(rng.normal(size=of.size), 2)
    best = ties.calibrate(human, metric, groups=of)
    gaps = np.unique(np.round(np.abs(np.subtract.outer(metric[:60], metric[:60])), 9))
    assert best.accuracy >= max(
        ties.pairwise_accuracy(human, metric, epsilon=e, groups=of).value for e in gaps[:60]
    )


def test_vectors_of_mt_metrics_eval():
    for case in cases("mtme_tie_calibration"):
        human, metric, groups = flat(case["human"], case["metric"])
        many = len(case["human"]) > 1
        for key, calibrate, at in (
            ("acc23", ties.calibrate, ties.pairwise_accuracy),
            ("tau23", ties.calibrate_tau, ties.tau_with_ties),
        ):
            expected = case[key]
            best = calibrate(human, metric, groups=groups if many else None)
            assert best.accuracy == pytest.approx(expected["best"], rel=1e-6, abs=1e-9)
            assert any(best.epsilon == pytest.approx(e, rel=1e-6) for e in expected["eps_ok"])
            at_zero = at(human, metric, groups=groups)
            assert at_zero.value == pytest.approx(expected["at0"], rel=1e-6, abs=1e-9)
            for epsilon, value in expected.get("curve", []):
                found = at(human, metric, epsilon=epsilon, groups=groups)
                assert found.value == pytest.approx(value, rel=1e-6, abs=1e-9)


def test_kendall_variants_of_mt_metrics_eval_at_an_epsilon():
    for case in cases("mtme_kendall_variants"):
        h, m, epsilon = case["h"], case["m"], case["eps"]
        for key, statistic in (
            ("acc23", ties.pairwise_accuracy), ("23", ties.tau_with_ties), ("b", ties.kendall_tau_b)
        ):  # fmt: skip
            found = statistic(h, m, epsilon=epsilon)
            if case[key] is None:
                assert isinstance(found, Undefined)
            else:
                assert found.value == pytest.approx(case[key], rel=1e-6, abs=1e-9)


def test_groupings_of_mt_metrics_eval():
    for case in cases("mtme_grouping"):
        gold, metric = np.array(case["gold"]), np.array(case["metric"])
        place, items = np.arange(gold.size), gold.size // case["num_sys"]
        for name, groups in (("none", place * 0), ("sys", place // items), ("item", place % items)):
            value = ties.pairwise_accuracy(gold, metric, groups=groups).value
            assert value == pytest.approx(case[name]["acc23_eps0"][0], rel=1e-6)
            best = ties.calibrate(gold, metric, groups=groups)
            assert best.accuracy == pytest.approx(case[name]["acc23_opt"][0], rel=1e-6)


def test_sampled_pairs_of_mt_metrics_eval_when_these_pairs_are_fed():
    # A pair is a group of two: their mean is the mean over the sampled pairs.
    for case in cases("mtme_sampled"):
        if len(case["human"]) > 1:
            continue
        human, metric = np.array(case["human"][0]), np.array(case["metric"][0])
        pairs = np.array(case["pairs"])
        best = ties.calibrate(
            human[pairs].ravel(), metric[pairs].ravel(), groups=np.repeat(np.arange(len(pairs)), 2)
        )
        assert best.accuracy == pytest.approx(case["best"], rel=1e-6)


def test_pairwise_accuracy_of_genai_bench():
    for case in cases("genai_calc_metric"):
        if isinstance(case["human"][0], list):
            human, metric, groups = flat(case["human"], case["metric"])
        else:
            human, metric, groups = np.array(case["human"]), np.array(case["metric"]), None
        for key, calibrate in (
            ("pairwise_acc_with_tie_optimization", ties.calibrate),
            ("tau_with_tie_optimization", ties.calibrate_tau),
        ):
            if case[key] is not None:
                best = calibrate(human, metric, groups=groups)
                assert best.accuracy == pytest.approx(case[key][0], rel=1e-6, abs=1e-9)
        if groups is None:
            found, expected = (
                ties.accuracy_without_ties(human, metric),
                case.get("pairwise_acc_ignore_tie"),
            )
            if expected is None:
                assert isinstance(found, Undefined)
            else:
                assert found.value == pytest.approx(expected[0], rel=1e-6)


def test_the_whole_evaluation_of_genai_bench_skill_by_skill():
    study = bundle("genai_image_eval")
    human = np.array(study["ratings"]).mean(axis=2)
    scores = np.array(study["scores"]).reshape(human.shape)
    prompts = np.array(study["prompts"])
    for skill, numbers in study["skills"].items():
        of = np.isin(prompts, numbers)
        best = ties.calibrate(human[:, of].ravel(), scores[:, of].ravel())
        accuracy, epsilon = study["per_skill"][skill]["pairwise_acc"]
        assert (best.accuracy, best.epsilon) == (pytest.approx(accuracy), pytest.approx(epsilon))


def test_tau_b_at_epsilon_zero_is_plain_tau_b():
    rng = np.random.default_rng(3)
    human, metric = rng.integers(0, 4, 50), np.round(rng.normal(size=50), 1)
    found = ties.kendall_tau_b(human, metric).value
    assert found == pytest.approx(kendall_tau_b(human, metric).value)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(-20, 20)), min_size=2, max_size=40),
    st.randoms(),
)
def test_order_and_origin_do_not_matter_to_calibration(pairs, random):
    human, metric = (np.array(side, float) for side in zip(*pairs, strict=True))
    best = ties.calibrate(human, metric)
    random.shuffle(pairs)
    human2, metric2 = (np.array(side, float) for side in zip(*pairs, strict=True))
    assert ties.calibrate(human2, metric2) == best
    assert ties.calibrate(-human, 7 - metric) == best
    doubled = ties.calibrate(np.exp(human), 2 * metric)
    assert (doubled.accuracy, doubled.epsilon) == (best.accuracy, 2 * best.epsilon)
