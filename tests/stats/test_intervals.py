import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jurybox_stats import agreement, ranking, roc, ties
from jurybox_stats.estimate import Undefined
from jurybox_stats.intervals import bootstrap
from jurybox_stats.over_time import drift
from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling import crossing, pair_counts
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


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("seed", range(3))
def test_the_counts_give_what_copied_data_give(seed, method):
    prompt, people, rating, judge, raters = study(seed)
    how = {"resamples": 80, "seed": seed, "method": method}
    draw = Resamples(prompt, **how)

    def slow(statistic, *series):
        return bootstrap(statistic, series, clusters=prompt, **how)

    verdict = (judge > 0.5).astype(int)
    same(draw.mean(judge), slow(np.mean, judge))
    same(draw.difference_of_means(people, judge), slow(lambda a, b: a.mean() - b.mean(),
                                                       people, judge))  # fmt: skip
    same(draw.percent_agreement(people, verdict),
         slow(agreement.percent_agreement, people, verdict))  # fmt: skip
    same(draw.cohen_kappa(people, verdict), slow(agreement.cohen_kappa, people, verdict))
    same(draw.auroc(people, judge), slow(roc.auroc, people, judge))
    for x, y in ((rating, judge), (judge, people), (judge, judge + rating)):
        same(draw.kendall_tau_b(x, y), slow(ranking.kendall_tau_b, x, y))
        same(draw.spearman(x, y), slow(ranking.spearman, x, y))
        same(draw.pearson(x, y), slow(ranking.pearson, x, y))
    for epsilon in (0.0, 0.5):
        same(
            draw.pairwise_accuracy(rating, judge, epsilon),
            slow(lambda h, m, e=epsilon: ties.pairwise_accuracy(h, m, epsilon=e), rating, judge),
        )
    for level in ("nominal", "ordinal", "interval"):
        same(
            draw.krippendorff_alpha(raters, level),
            slow(lambda r, of=level: agreement.krippendorff_alpha(r, of), raters),
        )
    same(draw.unanimity(raters), slow(agreement.unanimity, raters))


@pytest.mark.parametrize("method", ["percentile", "bca", "jackknife"])
def test_fleiss_kappa_of_the_counts_is_that_of_copied_data_to_the_last_digit(method):
    rng = np.random.default_rng(4)
    for case in range(4):
        prompt, ratings = rng.integers(0, 12, 50), rng.integers(0, 2 + case, (3, 50))
        how = {"resamples": 60, "method": method}
        slow = bootstrap(
            agreement.fleiss_kappa,
            (ratings,),
            clusters=prompt,
            scale="correlation",
            reach=agreement.beyond_chance(ratings),
            **how,
        )
        assert Resamples(prompt, **how).fleiss_kappa(ratings) == slow


@pytest.mark.parametrize("method", ["percentile", "jackknife"])
def test_verdicts_are_counted_by_kind_to_the_same_digits(method, monkeypatch):
    rng = np.random.default_rng(5)
    prompt, rating = rng.integers(0, 70, 300), rng.integers(0, 4, 300) / 3
    people, judge = (rating > 0.5).astype(int), rng.integers(0, 3, 300) / 2

    def found():
        draw = Resamples(prompt, resamples=50, method=method)
        return [
            draw.auroc(people, judge),
            draw.kendall_tau_b(rating, judge),
            draw.kendall_tau_c(judge, rating),
            draw.spearman(rating, judge),
            *(draw.pairwise_accuracy(rating, judge, epsilon) for epsilon in (0.0, 0.5, 1.0)),
            draw.pairwise_accuracy_calibrated(rating, judge),
        ]

    by_kind = found()
    monkeypatch.setattr(pair_counts, "MOST_CELLS", 0)
    assert found() == by_kind
    # Few items in many clusters are walked; a table of clusters gives the same.
    monkeypatch.setattr(crossing, "WALKED", 1.0)
    by_table = found()
    monkeypatch.setattr(crossing, "WALKED", 0.0)
    assert found() == by_table == by_kind


@pytest.mark.parametrize("prompts", [9, 300])
def test_what_a_jackknife_counts_is_what_its_counts_give(prompts):
    rng = np.random.default_rng(6)
    n = 80 if prompts < 80 else 700
    prompt, people = rng.integers(0, prompts, n), rng.integers(0, 2, n)
    rating, judge = rng.integers(1, 6, n).astype(float), rng.normal(size=n)
    coarse, many = np.round(judge, 1), np.round(rng.normal(size=n) + judge, 1)
    generator = rng.integers(0, 4, n)
    released = {str(name): f"202{name}-03-01" for name in range(4)}
    ratings = rating + rng.integers(0, 2, (3, n))
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    draw = Resamples(prompt).draw
    prompt = draw.cluster
    for statistic, series, options in (
        (roc.resampled_auroc, (people, judge), {}),
        (roc.resampled_auroc, (people, rating), {}),
        (roc.resampled_auroc, (people, coarse), {}),
        (ranking.resampled_tau_b, (rating, judge), {}),
        (ranking.resampled_tau_b, (many, coarse), {}),
        (ranking.resampled_tau_c, (rating, coarse), {}),
        (ranking.resampled_spearman, (rating, judge), {}),
        (ranking.resampled_spearman, (people, judge), {}),
        (ranking.resampled_spearman, (many, coarse), {}),
        (ranking.resampled_spearman, (judge, many), {}),
        (ranking.resampled_pearson, (rating, judge), {}),
        (ties.resampled_accuracy, (rating, judge, 0.5), {}),
        (ties.resampled_accuracy, (rating, coarse, 0.3), {}),
        (ties.resampled_accuracy, (many, coarse, 0.0), {}),
        (ties.resampled_accuracy, (rating, people, 0.0), {}),
        (ties.resampled_accuracy, (rating, judge), {"groups": prompt}),
        (ties.resampled_accuracy, (rating, judge, 0.4), {"groups": generator}),
        (ties.resampled_calibrated_accuracy, (rating, judge), {}),
        (ties.resampled_calibrated_accuracy, (rating, judge), {"groups": prompt}),
        (ties.resampled_calibrated_accuracy, (rating, coarse), {"groups": 2 * prompt + people}),
        (ties.resampled_calibrated_accuracy, (rating, people), {"groups": prompt}),
        (agreement.resampled_kappa, (rating, rating[::-1], "linear"), {}),
        (agreement.resampled_alpha, (ratings, "nominal"), {}),
        (agreement.resampled_alpha, (ratings, "ordinal"), {}),
        (agreement.resampled_alpha, (ratings + judge, "ordinal"), {}),
        (agreement.resampled_alpha, (ratings, "interval"), {}),
        (agreement.resampled_ac1, (ratings,), {}),
        (drift.resampled_slope, (people, judge, generator, released), {}),
    ):
        found = statistic(draw, *series, **options)
        values = found[0].values if isinstance(found, tuple) else found.values
        expected = values(1.0 - np.eye(draw.clusters)).tolist()
        assert values(draw.left_out).tolist() == pytest.approx(expected, rel=1e-13, nan_ok=True)


def test_a_jackknife_of_some_of_the_items_leaves_out_the_same_prompts():
    rng = np.random.default_rng(8)
    prompt, people, judge = rng.integers(0, 30, 90), rng.integers(0, 3, 90), rng.normal(size=90)
    whole = Resamples(prompt).draw
    inside = np.sort(rng.permutation(90)[: whole.clusters])
    assert (
        np.bincount(prompt[inside]).max() > 1
    )  # as many items as prompts, and yet some have several
    part = whole.part(np.isin(np.arange(90), inside))
    values = ranking.resampled_tau_b(part, people[inside], judge[inside]).values
    everything_but = 1.0 - np.eye(whole.clusters)
    assert values(part.left_out).tolist() == values(everything_but).tolist()


def test_weighted_kappa_of_resamples_is_that_of_copies_with_all_classes():
    prompt, _, rating, _, _ = study(4, n=200, prompts=6)
    other = np.clip(rating + np.random.default_rng(1).integers(-1, 2, 200), 1, 5)
    for weights in ("linear", "quadratic"):
        same(
            Resamples(prompt, resamples=50).cohen_kappa(rating, other, weights),
            bootstrap(lambda a, b, w=weights: agreement.cohen_kappa(a, b, w), (rating, other),
                      clusters=prompt, resamples=50),
        )  # fmt: skip


def test_alpha_of_ratings_with_a_hundred_values_is_resampled_too():
    rng = np.random.default_rng(6)
    prompt = rng.integers(0, 8, 90)
    ratings = rng.normal(size=90) + 0.5 * rng.normal(size=(3, 90))
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    for level in ("nominal", "ordinal", "interval"):
        same(
            Resamples(prompt, resamples=30).krippendorff_alpha(ratings, level),
            bootstrap(lambda r, of=level: agreement.krippendorff_alpha(r, of), (ratings,),
                      clusters=prompt, resamples=30),
        )  # fmt: skip


def test_many_small_clusters_walk_the_items_to_the_same_numbers(monkeypatch):
    prompt, people, rating, judge, _ = study(2)
    table = Resamples(prompt, resamples=60)
    expected = [table.auroc(people, judge), table.pairwise_accuracy(rating, judge, 0.4)]
    monkeypatch.setattr("jurybox_stats.resampling.draw.LARGEST_TABLE", 1)
    walk = Resamples(prompt, resamples=60)
    assert [walk.auroc(people, judge), walk.pairwise_accuracy(rating, judge, 0.4)] == expected


def copies(prompt, counts, *series):
    """A resample with every copy of a prompt as a prompt of its own."""
    members = [np.flatnonzero(prompt == p) for p in np.unique(prompt)]
    picked = [g for g, count in enumerate(counts.astype(int)) for _ in range(count)]
    index = np.concatenate([members[g] for g in picked])
    group = np.repeat(np.arange(len(picked)), [members[g].size for g in picked])
    return [s[index] for s in series], group


@pytest.mark.parametrize("seed", range(3))
def test_by_prompt_every_resample_is_calibrated_anew(seed):
    prompt, _, rating, judge, _ = study(seed, n=50)
    draw = Resamples(prompt, resamples=60, seed=seed)
    found = draw.pairwise_accuracy_calibrated(rating, judge, groups=prompt)
    fixed = draw.pairwise_accuracy(rating, judge, 0.5, groups=prompt)
    best, at = [], []
    for counts in cluster_counts(np.unique(prompt).size, 60, seed):
        (h, m), group = copies(prompt, counts, rating, judge)
        best.append(ties.calibrate(h, m, groups=group).accuracy)
        at.append(ties.pairwise_accuracy(h, m, epsilon=0.5, groups=group).value)
    for estimate, values in ((found, best), (fixed, at)):
        low, high = np.quantile(values, [0.025, 0.975])
        assert estimate.low == pytest.approx(min(low, estimate.value), abs=1e-12)
        assert estimate.high == pytest.approx(max(high, estimate.value), abs=1e-12)
    assert found.epsilon == ties.calibrate(rating, judge, groups=prompt).epsilon
    assert found.as_dict()["epsilon"] == found.epsilon


def test_groups_that_prompts_cut_are_drawn_by_prompt_too():
    prompt, _, rating, judge, _ = study(5)
    generator = np.arange(prompt.size) % 3
    same(
        Resamples(prompt, resamples=50).pairwise_accuracy(rating, judge, 0.5, groups=generator),
        bootstrap(
            lambda h, m, g: ties.pairwise_accuracy(h, m, epsilon=0.5, groups=g),
            (rating, judge, generator), clusters=prompt, resamples=50,
        ),
    )  # fmt: skip


def test_a_difference_of_two_judges_comes_from_the_same_resamples():
    prompt, people, _, judge, _ = study(1, n=120)
    other = people + np.random.default_rng(9).normal(size=120)
    draw = Resamples(prompt, resamples=100)
    slow = bootstrap(lambda y, a, b: roc.auroc(y, a).value - roc.auroc(y, b).value,
                     (people, judge, other), clusters=prompt, resamples=100)  # fmt: skip
    same(draw.difference("auroc", (people, judge), (people, other)), slow)
    nothing = draw.difference("auroc", (people, judge), (people, judge))
    assert (nothing.value, nothing.low, nothing.high) == (0, 0, 0)


def test_a_change_since_a_date_compares_two_parts_of_the_same_resamples():
    prompt, people, _, judge, _ = study(1, n=120)
    since = np.arange(120) % 2 == 0
    slow = bootstrap(
        lambda y, a, s: roc.auroc(y[s], a[s]).value - roc.auroc(y[~s], a[~s]).value,
        (people, judge, since), clusters=prompt, resamples=100,
    )  # fmt: skip
    same(Resamples(prompt, resamples=100).change("auroc", (people, judge), since), slow)


def test_a_slope_over_release_dates_draws_prompts_and_keeps_generators():
    prompt, people, _, judge, _ = study(3, n=90)
    generator = np.array(["old", "mid", "new"])[np.arange(90) % 3]
    released = {"old": "2021-01-01", "mid": "2023-01-01", "new": "2024-01-01"}
    years = np.array([0.0, 730 / 365.25, 1095 / 365.25])

    def slope(h, j, g):
        points = [100 * (h[g == k].mean() - j[g == k].mean()) for k in ("old", "mid", "new")]
        return float(np.polyfit(years, points, 1)[0])

    fast = Resamples(prompt, resamples=40).slope_per_year(people, judge, generator, released)
    slow = bootstrap(slope, (people, judge, generator), clusters=prompt, resamples=40)
    same(fast, slow)
    only = {"old": "2021-01-01", "new": None}
    undated = Resamples(prompt, resamples=40).slope_per_year(people, judge, generator, only)
    assert undated == Undefined("a slope needs generators of two release dates", 30)


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


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.sampled_from(["percentile", "bca"]))
def test_intervals_contain_their_estimate(seed, method):
    prompt, people, rating, judge, raters = study(seed, n=24, prompts=6)
    draw = Resamples(prompt, resamples=40, seed=seed, method=method)
    for found in (
        draw.mean(judge), draw.auroc(people, judge), draw.kendall_tau_b(rating, judge),
        draw.spearman(rating, judge), draw.pearson(rating, judge),
        draw.cohen_kappa(people, judge > 0.5), draw.pairwise_accuracy(rating, judge),
        draw.pairwise_accuracy_calibrated(rating, judge),
        draw.pairwise_accuracy_calibrated(rating, judge, groups=prompt),
        draw.krippendorff_alpha(raters, "ordinal"), draw.unanimity(raters),
        roc.delong(people, judge),
    ):  # fmt: skip
        assert isinstance(found, Undefined) or found.low <= found.value <= found.high


def test_bca_moves_the_ends_of_a_skewed_mean_outwards():
    skewed = np.random.default_rng(3).exponential(size=60)
    plain = Resamples(np.arange(60)).mean(skewed)
    bca = Resamples(np.arange(60), method="bca").mean(skewed)
    assert bca.high > plain.high and bca.low > plain.low


def test_resamples_that_lack_a_class_are_counted_and_refused_when_many():
    found = Resamples(np.arange(10), resamples=200).auroc([1] + [0] * 9, np.arange(10))
    assert "resamples leave it undefined" in found.reason


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


def test_a_ratio_worked_by_hand_and_drawn_as_copies_are():
    # 3 of 4 pairs of the first image alike, 0 of 1 of the second, nothing asked of the third.
    draw = Resamples([0, 1, 2], resamples=80)
    found = draw.ratio([3, 0, 0], [4, 1, 0])
    assert found.value == pytest.approx(3 / 5)
    assert found.n == 2
    rng = np.random.default_rng(1)
    prompt, under = rng.integers(0, 9, 60), rng.integers(1, 4, 60)
    over = rng.integers(0, under + 1)
    same(
        Resamples(prompt, resamples=80).ratio(over, under),
        bootstrap(
            lambda a, b: a.sum() / b.sum(), (over, under), clusters=prompt, resamples=80, seed=0
        ),
    )


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


@pytest.mark.parametrize(
    ("prompts", "method"), [(12, "jackknife"), (210, "jackknife"), (30, "bca")]
)
def test_a_p_value_and_its_interval_never_say_the_contrary(prompts, method):
    rng = np.random.default_rng(prompts)
    small = 0
    for _ in range(12):
        prompt = np.repeat(np.arange(prompts), 3)
        yes = (rng.random(prompt.size) < 0.5) * 1.0
        good = yes + rng.normal(size=prompt.size)
        other = yes * rng.uniform(-1, 1.2) + rng.normal(size=prompt.size)
        draw = Resamples(prompt, resamples=400, method=method)
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
    draw = Resamples(prompt, method="jackknife")
    found = draw.difference("mean", (a,), (b,))
    t = 3 / (2.5 / 5) ** 0.5
    assert found.low == pytest.approx(3 - stats.t.ppf(0.975, 4) * (2.5 / 5) ** 0.5)
    assert draw.chance_of_none("mean", (a,), (b,)) == pytest.approx(2 * stats.t.sf(t, 4), abs=2e-6)


def test_a_p_value_with_a_formula_goes_below_the_share_of_one_resample():
    rng = np.random.default_rng(5)
    yes = np.arange(600) % 2
    good, bad = yes + rng.normal(size=600) / 2, yes + 4 * rng.normal(size=600)
    compared = "auroc", (yes, good), (yes, bad)
    formula = Resamples(np.arange(600), resamples=400, method="jackknife")
    drawn = Resamples(np.arange(600), resamples=400)
    # Of twenty judges there are 190 pairs: at 1 in 400 none could ever be told apart.
    assert formula.chance_of_none(*compared) < 1e-5
    assert drawn.chance_of_none(*compared) == 1 / 400
