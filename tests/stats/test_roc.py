import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from jurybox_stats.estimate import Undefined
from jurybox_stats.intervals import bootstrap
from jurybox_stats.resamples import Resamples
from jurybox_stats.roc import auroc, compare, curve, delong

scored = st.lists(st.tuples(st.booleans(), st.integers(-9, 9)), min_size=4, max_size=40).filter(
    lambda rows: (
        2 <= sum(label for label, _ in rows) <= len(rows) - 2
        and len({score for _, score in rows}) > 1
    )
)


def test_the_area_worked_by_hand():
    # yes 3 2, no 2 1: wins 3>2 3>1 2>1 and half for 2=2: 3.5 of 4
    labels, scores = [1, 1, 0, 0], [3, 2, 2, 1]
    assert auroc(labels, scores).value == 3.5 / 4
    # V10 of the yeses: 1 and 0.75, variance 1/32; V01 of the noes: 0.75 and 1, the same
    # SE = sqrt(1/64 + 1/64) = 0.176777; 0.875 - 1.959964 SE = 0.528524; above cut at 1
    found = delong(labels, scores)
    assert (found.low, found.high) == (pytest.approx(0.5285238, abs=1e-6), 1.0)


def test_against_scikit_learn():
    rng = np.random.default_rng(0)
    for case in range(80):
        n = int(rng.integers(5, 80))
        labels = np.r_[0, 1, rng.integers(0, 2, n)]
        scores = np.round(rng.normal(size=n + 2) + labels, case % 3)
        area = metrics.roc_auc_score(labels, scores)
        assert auroc(labels, scores).value == pytest.approx(area, abs=1e-12)
        false, true, thresholds = metrics.roc_curve(labels, scores, drop_intermediate=False)
        found = curve(labels, scores)
        assert found.false_positive_rate == pytest.approx(false)
        assert found.true_positive_rate == pytest.approx(true)
        assert (found.threshold == thresholds).all()


@given(scored, st.randoms())
def test_order_and_monotone_transforms_do_not_matter(rows, random):
    labels, scores = (np.array(side) for side in zip(*rows, strict=True))
    found = delong(labels, scores)
    assert found.low <= found.value <= found.high
    same = delong(labels, np.exp(scores / 3.0))
    assert (same.value, same.low) == (found.value, pytest.approx(found.low))
    turned = auroc(~labels, -scores)
    assert turned.value == pytest.approx(found.value, abs=1e-12)
    random.shuffle(rows)
    shuffled = delong(*(np.array(side) for side in zip(*rows, strict=True)))
    assert shuffled.value == pytest.approx(found.value, abs=1e-12)


def test_a_perfect_area_does_not_come_with_a_perfect_interval():
    # Five yes-images all above five no-images: Clopper-Pearson for 5 of 5 begins at 0.025^(1/5).
    found = delong([0] * 5 + [1] * 5, range(10))
    assert (found.value, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(0.025 ** (1 / 5))


def judges(seed=0, n=400, prompts=40):
    rng = np.random.default_rng(seed)
    prompt = rng.integers(0, prompts, n)
    labels = (rng.normal(size=prompts)[prompt] + rng.normal(size=n) > 0).astype(int)
    shared = labels + rng.normal(size=n)
    return prompt, labels, shared + 0.3 * rng.normal(size=n), shared + 0.9 * rng.normal(size=n)


def test_two_judges_are_compared_on_the_same_images():
    prompt, labels, a, b = judges()
    found = compare(labels, a, b)
    assert found.value == pytest.approx(auroc(labels, a).value - auroc(labels, b).value)
    # Paired: narrower than the two intervals by themselves would allow.
    alone = [delong(labels, judge) for judge in (a, b)]
    assert found.high - found.low < max(one.high - one.low for one in alone)
    turned = compare(labels, b, a)
    assert (turned.value, turned.p) == (pytest.approx(-found.value), pytest.approx(found.p))
    assert found.as_dict()["p"] == found.p < 0.01
    same = compare(labels, a, a)
    assert (same.value, same.p) == (0, 1)


def test_clustered_intervals_are_those_of_the_cluster_bootstrap():
    prompt, labels, a, b = judges(1)
    for closed, statistic, series in (
        (delong(labels, a, clusters=prompt), auroc, (labels, a)),
        (compare(labels, a, b, clusters=prompt),
         lambda y, s, t: auroc(y, s).value - auroc(y, t).value, (labels, a, b)),
    ):  # fmt: skip
        drawn = bootstrap(statistic, series, clusters=prompt, resamples=400)
        assert closed.high - closed.low == pytest.approx(drawn.high - drawn.low, rel=0.15)


def test_labels_other_than_yes_and_no_are_refused():
    with pytest.raises(ValueError, match="0 or 1"):
        auroc([1, 2, 1], [0.1, 0.2, 0.3])
    assert auroc([1, 1], [0.1, 0.2]) == Undefined(
        "every label is yes: there is nothing to tell apart", 2
    )


def test_one_score_for_all_has_no_area_as_it_has_no_order():
    nothing = Undefined("all scores are the same: they put nothing in an order", 60)
    labels, same, other = np.arange(60) % 2, np.full(60, 0.5), np.arange(60)
    # Seven yeses, too few for an interval, are no reason to show one half.
    for people in (labels, np.arange(60) < 7):
        drawn = Resamples(np.arange(60))
        assert drawn.auroc(people, same) == nothing
        assert drawn.difference("auroc", (people, other), (people, same)) == nothing
        assert auroc(people, same) == delong(people, same) == nothing
        assert compare(people, other, same) == nothing
