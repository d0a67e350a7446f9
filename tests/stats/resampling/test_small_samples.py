import numpy as np
import pytest
from scipy import stats

from jurybox_stats import roc
from jurybox_stats.estimate import Estimate, Undefined, WithoutInterval
from jurybox_stats.resamples import Resamples
from jurybox_stats.resampling.small_samples import jackknifed, keep_within_ends, share_limits
from tests.stats import coverage

ONE_EACH = np.ones(60)


def drawn(n: int = 60) -> Resamples:
    return Resamples(np.arange(n))


def test_sixty_of_sixty_right_is_not_certainty_worked_by_hand():
    # Half the chance of 60 of 60 is 2.5 % at p: p^60 / 2 = 0.025, p = 0.05^(1/60)
    low, high = share_limits(ONE_EACH, ONE_EACH)
    assert low == pytest.approx(0.05 ** (1 / 60))
    assert high == 1.0
    found = drawn().percent_agreement(ONE_EACH, ONE_EACH)
    assert (found.low, found.high) == (low, high)


def test_four_right_images_and_a_judge_at_eight_tenths_are_no_twenty_points_for_sure():
    found = drawn(4).difference_of_means(np.ones(4), np.full(4, 0.8), scale=100)
    # The lower end of 4 of 4 is 0.05^(1/4) = 0.473, less 0.8, which is the same on a fifth prompt.
    assert found.low == pytest.approx(100 * (0.05 ** (1 / 4) - 0.8))
    assert found.value == pytest.approx(20)


def test_images_of_one_prompt_do_not_count_as_many():
    # 5 prompts of 8 alike: as sure as 5 answers, not 40.
    hits = np.array([8.0, 8, 8, 0, 0])
    many = share_limits(hits, np.full(5, 8.0))
    few = share_limits(hits / 8, np.ones(5))
    # The design effect has 4 degrees of freedom: 5/4 of one answer for each prompt.
    assert many[1] - many[0] >= few[1] - few[0]


@pytest.mark.parametrize(
    "statistic", ["cohen_kappa", "auroc", "kendall_tau_b", "pairwise_accuracy", "spearman"]
)
def test_a_perfect_judge_is_not_sure_to_be_perfect(statistic):
    people = np.arange(60) % 2
    found = getattr(drawn(), statistic)(people, people)
    assert found.value == pytest.approx(1)
    assert found.low < 0.96
    assert found.high == pytest.approx(1)


def test_a_judge_that_never_differed_may_do_so_on_the_next_prompt():
    people = np.arange(60) % 2
    found = drawn().difference_of_means(people, people, scale=100)
    assert found.low < -1
    assert found.high > 1


def test_two_verdicts_are_paired_worked_by_hand():
    first = (np.arange(60) < 50) * 1.0
    second = first.copy()
    second[:6], second[50:52] = 0.0, 1.0
    found = drawn().difference_of_means(first, second)
    # Six times only the first says yes, twice only the second; sixty prompts are worth 59, and one pair
    # more of either makes 61.
    more, less = (6 / 60 * 59 + 1) / 61, (2 / 60 * 59 + 1) / 61
    half = stats.t.ppf(0.975, 59) * np.sqrt((more + less - (more - less) ** 2) / 61)
    assert found.value == pytest.approx(4 / 60)
    assert (found.low, found.high) == pytest.approx((more - less - half, more - less + half))


def test_a_mean_that_judges_help_to_make_keeps_within_its_scale():
    near = keep_within_ends(Estimate(98.0, 95.0, 101.0, 40), 40, (0.0, 100.0))
    assert near.value == 98
    assert 90 < near.low < 95 < 98 < near.high < 100
    middle = keep_within_ends(Estimate(50.0, 47.0, 53.0, 40), 400, (0.0, 100.0))
    assert (middle.low, middle.high) == pytest.approx((47.0, 53.0), abs=0.02)
    beyond = keep_within_ends(Estimate(101.0, 98.0, 104.0, 40), 40, (0.0, 100.0))
    assert beyond.low < 100
    assert beyond.high <= 100
    same = Estimate(50.0, 50.0, 50.0, 40)
    assert keep_within_ends(same, 40, (0.0, 100.0)) == same


def test_a_statistic_that_one_prompt_alone_makes_possible_has_no_interval():
    given = "too few to judge: without one prompt it is undefined"
    found = drawn(10).slope_per_year(
        [1] * 10, np.arange(10) / 10, [0] + [1] * 9, {"0": "2021-01-01", "1": "2022-01-01"}
    )
    assert found == Undefined(given, 10)


def test_agreement_and_order_have_no_interval_where_few_prompts_hold_the_rarer_answer():
    people = np.arange(60) < 7
    judge = people + np.random.default_rng(8).normal(size=60)
    reason = "too few to tell: 7 prompts have another answer than the commonest, at least {} needed"
    table = np.vstack([people, people]) * 1.0
    for found, needed in (
        (drawn().auroc(people, judge), 8),
        (drawn().cohen_kappa(people, people), 8),
        (drawn().krippendorff_alpha(table, "nominal"), 10),
        (drawn().fleiss_kappa(table), 10),
        (drawn().pearson(people, judge), 8),
        (drawn().kendall_tau_b(people, judge), 8),
        (drawn().difference("auroc", (people, judge), (people, -judge)), 8),
    ):
        assert found == WithoutInterval(found.value, None, None, 60, reason.format(needed))
        assert found.as_dict()["no_interval"] == reason.format(needed)
    p = drawn().chance_of_none("auroc", (people, judge), (people, -judge))
    assert p == Undefined(reason.format(8), 60)
    enough = np.arange(60) < 8
    assert drawn().auroc(enough, judge).low is not None
    # Of fewer prompts than that, all may hold both answers.
    few = Resamples(np.arange(60) // 12)
    assert few.auroc(np.arange(60) % 2, judge).low is not None


def test_a_spread_that_few_prompts_make_is_known_no_better_than_from_these():
    left_out = np.full(40, 0.5)
    left_out[:2] = 0.48, 0.52
    found = jackknifed(Estimate(0.5, None, None, 40), left_out, "plain", 1.0)
    error = np.sqrt(39 / 40 * 2 * 0.02**2)
    # Kurtosis 40 · 2 / 2² = 20: 80 / 19 degrees of freedom.
    half = stats.t.ppf(0.975, 80 / 19) * error
    assert (found.low, found.high) == pytest.approx((0.5 - half, 0.5 + half))


def test_neither_seed_nor_the_order_of_prompts_changes_a_digit():
    rng = np.random.default_rng(5)
    prompt, people = rng.integers(0, 20, 80), rng.integers(0, 2, 80)
    judge = people + rng.normal(size=80)
    one = Resamples(prompt).auroc(people, judge)
    assert one == Resamples(19 - prompt, seed=7).auroc(people, judge)


def test_many_prompts_are_left_out_one_by_one_too_worked_by_hand():
    rng = np.random.default_rng(6)
    people = rng.integers(0, 2, 300)
    judge = people + rng.normal(size=300)
    found = drawn(300).auroc(people, judge)
    others = [np.arange(300) != gone for gone in range(300)]
    without = np.array([roc.auroc(people[kept], judge[kept]).value for kept in others])
    error = np.sqrt(299 / 300 * ((without - without.mean()) ** 2).sum())
    area = found.value
    half = stats.t.ppf(0.975, 299) * error / (area * (1 - area))
    ends = [1 / (1 + np.exp(-np.log(area / (1 - area)) - sign * half)) for sign in (-1, 1)]
    assert (found.low, found.high) == pytest.approx(ends)


def test_a_scale_of_many_steps_is_drawn_where_prompts_are_many_in_an_order_that_no_name_decides():
    rng = np.random.default_rng(7)
    prompt = rng.integers(0, 220, 400)
    table = rng.normal(size=(1, 400)) + rng.normal(size=(2, 400))
    one = Resamples(prompt, resamples=20).krippendorff_alpha(table, "ordinal")
    other = Resamples(219 - prompt, resamples=20)
    assert one.low < one.value < one.high
    assert other.krippendorff_alpha(table, "ordinal") == one


@pytest.mark.simulation
@pytest.mark.parametrize("name", coverage.STATISTICS)
@pytest.mark.nightly("thousands of drawn worlds; the tests beside it work one by hand")
def test_intervals_hold_the_truth_with_twenty_prompts(name):
    # 150 worlds: 95 % less three standard errors of the count. `make bench-stats` counts thousands.
    assert coverage.coverage(name, 20, 4, 150, seed=2).share >= 0.897


@pytest.mark.simulation
@pytest.mark.parametrize("name", coverage.COURSES)
def test_intervals_over_time_hold_the_truth_with_forty_images_of_a_generator(name):
    assert coverage.course_coverage(name, 40, 4, 300, seed=2).share >= 0.912


@pytest.mark.simulation
def test_means_near_the_end_of_a_scale_hold_the_truth():
    # Student's t holds it in 92 of 100 worlds here.
    assert coverage.coverage("people's mean", 40, 1, 400, kind="at the ends").share >= 0.925


def test_a_mean_near_the_end_of_a_scale_does_not_leave_it_worked_by_hand():
    # Sixty answers, all 5 of 1 to 5: as sure as sixty of sixty, on the way from 1 to 5.
    found = drawn().mean(np.full(60, 5.0), ends=(1.0, 5.0))
    assert found.low == pytest.approx(1 + 4 * 0.05 ** (1 / 60))
    assert found.high == 5.0


def test_a_kappa_that_no_prompt_can_change_says_nothing_of_how_sure_it_is():
    # A judge that always says yes has a kappa of 0 in every resample.
    kappa = drawn().cohen_kappa(np.arange(60) % 2, np.ones(60))
    assert kappa == Undefined("no prompt differs from another: nothing tells how sure it is", 60)


@pytest.mark.parametrize(
    ("score", "ends"), [(0.5, None), (0.8, None), (22.0, None), (3.0, (1.0, 5.0)), (0.1, None)]
)
def test_the_interval_of_one_number_for_all_is_what_it_shrinks_to_as_its_jitter_vanishes(
    score, ends
):
    jitter = np.random.default_rng(3).normal(size=60)
    widths = []
    for size in (1e-3, 1e-6, 1e-9, 1e-11, 0.0):
        found = drawn().mean(score + size * jitter, ends=ends)
        assert found.low <= found.value <= found.high
        widths.append(found.high - found.low)
        # Twice t of 59 degrees times the error of the mean, and a little for the bend near an end.
        assert widths[-1] <= 4.1 * size * jitter.std() / np.sqrt(59) * 1.1 + 1e-12
    assert widths == sorted(widths, reverse=True)


def test_the_gap_of_a_judge_with_one_number_is_as_sure_as_people_are():
    people = (np.arange(1200) % 100 < 61) * 1.0
    judge = np.full(1200, 0.5)
    level = drawn(1200).mean(judge, scale=100)
    assert (level.low, level.high) == pytest.approx((50, 50))
    own = drawn(1200).mean(people, scale=100)
    gap = drawn(1200).difference_of_means(people, judge, scale=100)
    assert gap.value == pytest.approx(11)
    assert (gap.low, gap.high) == pytest.approx((own.low - 50, own.high - 50))


def test_a_judge_that_always_says_yes_may_say_no_to_the_next_prompt():
    found = drawn().mean(np.ones(60))
    assert (found.low, found.high) == pytest.approx((0.05 ** (1 / 60), 1.0))


def test_a_difference_comes_from_the_limits_of_both_sides_and_their_correlation():
    rng = np.random.default_rng(8)
    people = np.arange(24) % 2
    good, other = people + rng.normal(size=24) / 2, people + rng.normal(size=24)
    found = drawn(24).difference("auroc", (people, good), (people, other))
    a, b = drawn(24).auroc(people, good), drawn(24).auroc(people, other)
    without = [np.delete(np.arange(24), prompt) for prompt in range(24)]
    moves = [
        [roc.auroc(people[kept], judge[kept]).value for kept in without] for judge in (good, other)
    ]
    r = np.corrcoef(moves)[0, 1]
    low, high = (
        np.sqrt(mine**2 + theirs**2 - 2 * r * mine * theirs)
        for mine, theirs in (
            (a.value - a.low, b.high - b.value),
            (a.high - a.value, b.value - b.low),
        )
    )
    assert found.value == pytest.approx(a.value - b.value)
    assert (found.low, found.high) == pytest.approx((found.value - low, found.value + high))


def test_nine_yes_of_sixty_tell_little_of_a_perfect_judge_worked_by_hand():
    people = (np.arange(60) < 9) * 1.0
    # All nine could have been wrong: 1 - (1 - 0.05^(1/9)).
    assert drawn().auroc(people, people).low == pytest.approx(0.05 ** (1 / 9))


def test_a_judge_compared_with_itself_has_no_interval_and_two_perfect_ones_have():
    rng = np.random.default_rng(9)
    people = np.arange(60) % 2
    judge = people + rng.normal(size=60)
    assert not drawn().difference("auroc", (people, judge), (people, judge))
    found = drawn().difference("auroc", (people, people), (people, 2 * people))
    assert found.low < 0 == found.value < found.high


def test_a_side_that_no_prompt_can_change_is_a_number_that_is_known():
    # A judge with one verdict has a kappa of 0 whatever prompts are drawn.
    rng = np.random.default_rng(10)
    people = np.arange(60) % 2
    judge = np.where(rng.random(60) < 0.2, 1 - people, people)
    own = drawn().cohen_kappa(people, judge)
    found = drawn().difference("cohen_kappa", (people, judge), (people, np.ones(60)))
    assert (found.low, found.high) == pytest.approx((own.low, own.high))


@pytest.mark.simulation
@pytest.mark.parametrize(
    "name", ["difference of AUROC, one worse", "change of AUROC since a release, to a worse one"]
)
def test_differences_hold_the_truth_where_one_side_is_at_the_end(name):
    # Student's t on the jackknife of the difference holds it in 86 of 100 worlds here.
    assert coverage.coverage(name, 220, 1, 150, kind="at the ends").share >= 0.9


@pytest.mark.simulation
@pytest.mark.parametrize("rate", coverage.RATES)
@pytest.mark.parametrize("prompts", coverage.SIZES)
def test_shares_hold_the_truth_at_the_ends(prompts, rate):
    # Near the ends counts are few and the interval errs on the safe side.
    assert coverage.share_coverage(prompts, 1, rate, 400).share >= 0.93
