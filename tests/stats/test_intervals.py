import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jurybox_stats import agreement, ranking, roc, ties
from jurybox_stats.estimate import Estimate, Undefined
from jurybox_stats.intervals import bootstrap
from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling import small_samples
from jurybox_stats.resampling.cluster_counts import cluster_counts, remember_tables

KEY_7 = [[1, 1, 2, 0, 1], [1, 1, 0, 3, 0], [0, 0, 2, 1, 2], [1, 0, 2, 2, 0]]


def study(seed=0, n=60, prompts=9):
    """Prompt, yes/no by people, rating, judge score, three raters with holes."""
    rng = np.random.default_rng(seed)
    prompt = rng.integers(0, prompts, n)
    people = rng.integers(0, 2, n)
    rating = rng.integers(1, 6, n).astype(float)
    judge = np.round(people + rng.normal(size=n), seed % 3)
    raters = rng.integers(0, 3, (3, n)).astype(float)
    raters[rng.random(raters.shape) < 0.2] = np.nan
    return prompt, people, rating, judge, raters


def same(fast, slow):
    assert bool(fast) == bool(slow)
    if fast:
        assert fast.value == pytest.approx(slow.value, abs=1e-12)
        assert (fast.low, fast.high) == pytest.approx((slow.low, slow.high), abs=1e-10)
        assert fast.n == slow.n


def test_the_same_seed_gives_the_same_digits_and_more_resamples_begin_alike():
    counts = cluster_counts(5, 4, 7)
    assert counts.astype(int).tolist() == cluster_counts(5, 9, 7)[:4].astype(int).tolist()
    assert (counts.sum(axis=1) == 5).all()
    # Philox 4x64 with key 7 as published: on any machine these and no others.
    assert counts.astype(int).tolist() == KEY_7
    assert cluster_counts(5, 4, 8).tolist() != counts.tolist()


def test_more_images_of_the_same_prompts_do_not_narrow_the_interval():
    rng = np.random.default_rng(0)
    prompt = np.arange(20)
    success = rng.integers(0, 2, 20)
    once = Resamples(prompt).mean(success)
    often = Resamples(np.repeat(prompt, 10)).mean(np.repeat(success, 10))
    assert (often.low, often.high) == (once.low, once.high)


def by_hand(statistic, *series, clusters, scale="plain", reach=1.0):
    return bootstrap(
        statistic, series, clusters=clusters, method="jackknife", scale=scale, reach=reach
    )


@pytest.mark.parametrize("seed", range(3))
def test_a_statistic_without_each_prompt_is_the_plain_one_of_the_other_prompts(seed):
    prompt, people, rating, judge, raters = study(seed, n=200, prompts=30)
    draw, verdict = Resamples(prompt), (judge > 0.5).astype(int)
    other = np.clip(rating + np.random.default_rng(1).integers(-1, 2, 200), 1, 5)
    normal = judge + np.random.default_rng(2).normal(size=(3, 200))
    for found, statistic, series in (
        (draw.auroc(people, judge), roc.auroc, (people, judge)),
        (draw.kendall_tau_b(rating, judge), ranking.kendall_tau_b, (rating, judge)),
        (draw.cohen_kappa(people, verdict), agreement.cohen_kappa, (people, verdict)),
        (draw.fleiss_kappa(np.stack([rating, other])), agreement.fleiss_kappa, ((rating, other),)),
        *(
            (draw.cohen_kappa(rating, other, weights),
             lambda a, b, w=weights: agreement.cohen_kappa(a, b, w), (rating, other))
            for weights in ("linear", "quadratic")
        ),
        *(
            (draw.krippendorff_alpha(table, level),
             lambda r, of=level: agreement.krippendorff_alpha(r, of), (table,))
            for table in (raters, normal) for level in ("nominal", "ordinal", "interval")
            if (table is raters) or level != "nominal"
        ),
    ):  # fmt: skip
        scale = "share" if statistic is roc.auroc else "correlation"
        same(found, by_hand(statistic, *series, clusters=prompt, scale=scale))


def test_pairwise_accuracy_at_an_epsilon_is_the_plain_one_and_groups_lie_in_clusters():
    prompt, _, rating, judge, _ = study(5)
    draw = Resamples(prompt)
    for epsilon in (0.0, 0.4):
        for groups in (None, prompt):
            plain = ties.pairwise_accuracy(rating, judge, epsilon=epsilon, groups=groups)
            found = draw.pairwise_accuracy(rating, judge, epsilon, groups=groups)
            assert found.value == pytest.approx(plain.value, abs=1e-12)
    same(
        draw.pairwise_accuracy(rating, judge, 0.4),
        by_hand(
            lambda h, m: ties.pairwise_accuracy(h, m, epsilon=0.4), rating, judge,
            clusters=prompt, scale="share",
        ),
    )  # fmt: skip
    same(
        draw.pairwise_accuracy(rating, judge, 0.4, groups=prompt),
        by_hand(
            lambda h, m, g: ties.pairwise_accuracy(h, m, epsilon=0.4, groups=g),
            rating, judge, prompt, clusters=prompt, scale="share",
        ),
    )  # fmt: skip
    with pytest.raises(ValueError, match="several clusters"):
        draw.pairwise_accuracy(rating, judge, groups=np.arange(prompt.size) % 3)


def test_a_change_since_a_date_has_the_intervals_of_both_sides_and_their_correlation():
    prompt, people, _, judge, _ = study(1, n=120, prompts=12)
    since = np.arange(120) % 2 == 0
    found = Resamples(prompt).change("auroc", (people, judge), since)
    sides, left = [], []
    for side in (since, ~since):
        y, a, p = people[side], judge[side], prompt[side]
        point = roc.auroc(y, a)
        # A prompt without an image on this side takes nothing away.
        without = [roc.auroc(y[p != one], a[p != one]).value for one in np.unique(prompt)]
        left.append(np.array(without))
        sides.append(small_samples.jackknifed(point, left[-1], "share", 1.0))
    whole = Estimate(sides[0].value - sides[1].value, None, None, 120)
    same(found, small_samples.difference_jackknifed(whole, tuple(sides), tuple(left)))


def test_a_slope_over_release_dates_leaves_out_prompts_and_keeps_generators():
    prompt, people, _, judge, _ = study(3, n=90)
    generator = np.array(["old", "mid", "new"])[np.arange(90) % 3]
    released = {"old": "2021-01-01", "mid": "2023-01-01", "new": "2024-01-01"}
    years = np.array([0.0, 730 / 365.25, 1095 / 365.25])

    def slope(h, j, g):
        points = [100 * (h[g == k].mean() - j[g == k].mean()) for k in ("old", "mid", "new")]
        return float(np.polyfit(years, points, 1)[0])

    found = Resamples(prompt).slope_per_year(people, judge, generator, released)
    assert found.value == pytest.approx(slope(people, judge, generator))
    left = [
        slope(*(v[prompt != one] for v in (people, judge, generator))) for one in np.unique(prompt)
    ]
    point = Estimate(found.value, None, None, 90)
    same(found, small_samples.jackknifed(point, np.array(left), "plain", 1.0))
    only = {"old": "2021-01-01", "new": None}
    undated = Resamples(prompt).slope_per_year(people, judge, generator, only)
    assert undated == Undefined("a slope needs generators of two release dates", 30)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_intervals_contain_their_estimate(seed):
    prompt, people, rating, judge, raters = study(seed, n=24, prompts=6)
    draw = Resamples(prompt)
    for found in (
        draw.mean(judge), draw.auroc(people, judge), draw.kendall_tau_b(rating, judge),
        draw.spearman(rating, judge), draw.pearson(rating, judge),
        draw.cohen_kappa(people, judge > 0.5), draw.pairwise_accuracy(rating, judge),
        draw.pairwise_accuracy_calibrated(rating, judge),
        draw.pairwise_accuracy_calibrated(rating, judge, groups=prompt),
        draw.krippendorff_alpha(raters, "ordinal"), draw.unanimity(raters),
        roc.delong(people, judge),
    ):  # fmt: skip
        assert not found or found.low is None or found.low <= found.value <= found.high


@pytest.mark.simulation
@pytest.mark.parametrize("kind", ["mean", "auroc", "delong", "tau"])
@pytest.mark.nightly("thousands of drawn worlds; the tests beside it work one by hand")
def test_intervals_of_95_per_cent_hold_the_truth_in_93_to_97_per_cent(kind):
    rng = np.random.default_rng(11)
    lives, prompts, images = 600, 60, 4
    truth = {"mean": 0.0, "auroc": 0.760250, "delong": 0.760250, "tau": 1 / 3}
    hits = 0
    for life in range(lives):
        prompt = np.repeat(np.arange(prompts), images)
        if kind == "mean":
            x = rng.normal(size=prompts)[prompt] + rng.normal(size=prompt.size)
            found = Resamples(prompt, resamples=500, seed=life).mean(x)
        elif kind in ("auroc", "delong"):
            # Scores of yes and no one deviation apart: AUROC = Phi(1 / sqrt 2).
            labels = np.arange(prompt.size) % 2
            scores = labels + rng.normal(size=prompt.size)
            if kind == "auroc":
                found = Resamples(prompt, resamples=500, seed=life).auroc(labels, scores)
            else:
                found = roc.delong(labels, scores)
        else:
            # A bivariate normal with r = 1/2 has tau 2/pi asin r = 1/3.
            x = rng.normal(size=120)
            y = x / 2 + np.sqrt(0.75) * rng.normal(size=120)
            found = Resamples(np.arange(120), resamples=400, seed=life).kendall_tau_b(x, y)
        hits += found.low <= truth[kind] <= found.high
    assert 0.93 <= hits / lives <= 0.97


def test_a_ratio_worked_by_hand():
    # 3 of 4 pairs of the first image alike, 0 of 1 of the second, nothing asked of the third.
    draw = Resamples([0, 1, 2])
    found = draw.ratio([3, 0, 0], [4, 1, 0])
    assert found.value == pytest.approx(3 / 5)
    assert found.n == 2


def test_tables_of_draws_are_kept_as_long_as_there_is_room(monkeypatch):
    made = []

    @remember_tables
    def table(clusters, resamples, seed):
        made.append(clusters)
        return np.zeros((resamples, clusters))

    monkeypatch.setattr("jurybox_stats.resampling.cluster_counts.KEPT_BYTES", 10 * 8 * 3)
    for clusters in (10, 20, 10, 20, 5, 10):
        table(clusters, 1, 0)
    # 10 and 20 fill the room; 5 drives out 10, which was used longest ago.
    assert made == [10, 20, 5, 10]


@pytest.mark.parametrize("prompts", [12, 210])
def test_a_p_value_and_its_interval_never_say_the_contrary(prompts):
    rng = np.random.default_rng(prompts)
    small = 0
    for _ in range(12):
        prompt = np.repeat(np.arange(prompts), 3)
        yes = (rng.random(prompt.size) < 0.5) * 1.0
        good = yes + rng.normal(size=prompt.size)
        other = yes * rng.uniform(-1, 1.2) + rng.normal(size=prompt.size)
        draw = Resamples(prompt)
        right, wrong = ((good > 0.5) == yes) * 1.0, ((other > 0.5) == yes) * 1.0
        for found, p in (
            (
                draw.difference("auroc", (yes, good), (yes, other)),
                draw.chance_of_none("auroc", (yes, good), (yes, other)),
            ),
            (draw.difference_of_means(right, wrong), draw.chance_of_equal_means(right, wrong)),
        ):
            assert (p <= 0.05) == (not found.low <= 0 <= found.high)
            small += p <= 0.05
    assert 0 < small < 24


def test_a_p_value_of_a_difference_is_that_of_students_t():
    # Five prompts, differences of means 1, 2, 3, 4 and 5: t = 3 / sqrt(2.5 / 5) with 4. No number
    # lies between 0 and 1, where means are nearly shares.
    prompt = np.arange(5)
    a, b = np.array([8.0, 9, 10, 11, 12]), np.full(5, 7.0)
    draw = Resamples(prompt)
    found = draw.difference("mean", (a,), (b,))
    t = 3 / (2.5 / 5) ** 0.5
    assert found.low == pytest.approx(3 - stats.t.ppf(0.975, 4) * (2.5 / 5) ** 0.5)
    assert draw.chance_of_none("mean", (a,), (b,)) == pytest.approx(2 * stats.t.sf(t, 4), abs=2e-6)


def test_a_p_value_with_a_formula_goes_below_the_share_of_one_resample():
    rng = np.random.default_rng(5)
    yes = np.arange(600) % 2
    good, bad = yes + rng.normal(size=600) / 2, yes + 4 * rng.normal(size=600)
    compared = "auroc", (yes, good), (yes, bad)
    # Of twenty judges there are 190 pairs: at 1 in 400 none could ever be told apart.
    assert Resamples(np.arange(600)).chance_of_none(*compared) < 1e-5
