"""Three watches: they name what moved, and ring falsely in at most 5 % of studies that stay."""

import numpy as np
import pytest
from scipy.stats import t as student

from jurybox_stats import enough
from jurybox_stats.estimate import Undefined
from jurybox_stats.over_time import three_watches as watches

STAYS, GAP, JUDGE, PEOPLE = (0, 0, 0), (0.35, 0, 0), (0, 0.1, 0), (0, 0, 0.15)


def world(seed, moves):
    """480 images of 60 prompts on two sides over 60 days; 200 anchors, scored six times by a judge that
    repeats itself on 95 of 100, and answered about again by three people over 20 days."""
    rng = np.random.default_rng(seed)
    prompts = np.repeat(np.arange(60), 8)
    chance = np.clip(0.6 + rng.normal(0, 0.1, 60)[prompts], 0.02, 0.98)
    people = (rng.random(480) < chance) * 1.0
    judge = np.where(rng.random(480) < 0.6, people, rng.random(480) < chance)
    second = np.tile([False, True], 240)
    judge = np.where(second & (rng.random(480) < moves[0]), 0.0, judge)
    gap = watches.compare_sides(people - judge, second, prompts, rng.permutation(480) // 8)
    of_anchors = np.repeat(np.arange(50), 4)
    scorings = []
    for number in range(6):
        noise = np.where(rng.random(200) < 0.05, rng.normal(0, 0.2, 200), 0.0)
        moved = moves[1] * (rng.random(200) < 0.5) if number >= 2 else 0.0
        scorings.append((noise + moved, of_anchors))
    then = (rng.random((200, 3)) < 0.6).mean(axis=1)
    now = (rng.random((200, 3)) < 0.6 - moves[2]).mean(axis=1)
    again = watches.again(now - then, of_anchors, rng.permutation(200) // 10)
    rang = watches.scored_again(scorings, spread=1.0)[0]
    return gap.rang is not None, rang is not None, again.rang is not None


@pytest.mark.simulation
def test_in_studies_that_stay_at_most_five_in_a_hundred_ring():
    assert sum(any(world(seed, STAYS)) for seed in range(200)) <= 10


@pytest.mark.simulation
@pytest.mark.parametrize(("moves", "which"), [(GAP, 0), (JUDGE, 1), (PEOPLE, 2)])
def test_what_moved_rings_and_the_others_stay_silent(moves, which):
    rang = np.array([world(seed, moves) for seed in range(60)])
    assert rang[:, which].sum() >= 48
    assert np.delete(rang, which, axis=1).sum() <= 2


def test_a_judge_whose_scores_are_the_same_never_rings():
    scorings = [(np.zeros(100), np.arange(100))] * 50
    rang, shown = watches.scored_again(scorings, spread=1.0)
    assert rang is None
    assert [one.value for one in shown] == [0.0] * 50


def test_each_scoring_has_its_share_of_the_level():
    """The same move of 100 anchors, its t just past the second scoring's share of the level: the first
    scoring (a sixth of half) would need less, the second rings, a third would not."""
    rng = np.random.default_rng(3)
    noise = rng.normal(size=100)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    bar = {k: student.isf(watches.EACH / (k * (k + 1)) / 2, 99) for k in (1, 2, 3)}

    def scoring(t):
        return t / 10 + noise, np.arange(100)

    quiet, between = scoring(0.0), scoring((bar[2] + bar[3]) / 2)
    assert watches.scored_again([quiet, between], spread=1.0)[0] == 1
    assert watches.scored_again([quiet, quiet, between], spread=1.0)[0] is None
    assert watches.scored_again([scoring((bar[1] + bar[2]) / 2)], spread=1.0)[0] == 0


def test_the_day_is_the_first_that_shows_it():
    """Nothing until day 10; from then on every image of the second side is judged wrongly."""
    days = np.repeat(np.arange(20), 20)
    second = np.tile([False, True], 200)
    gap = np.where(second & (days >= 10), 1.0, 0.0)
    found = watches.compare_sides(gap, second, np.arange(400), days)
    assert 10 < found.rang <= 13
    assert found.moved.value == pytest.approx(50.0)


@pytest.mark.parametrize("size", [0, 29])
def test_too_few_images_are_no_watch(size):
    found = watches.again(np.zeros(size), np.arange(size), np.zeros(size))
    assert isinstance(found, Undefined)
    assert found == enough.too_few(size)
    both = watches.compare_sides(
        np.zeros(size + 40), np.arange(size + 40) < 40, np.arange(size + 40), np.zeros(size + 40)
    )
    assert both.reason == f"too few to judge: {size} images, at least 30 needed"
    assert watches.scored_again([(np.zeros(size), np.arange(size))], spread=1.0) == (None, [None])


def test_values_off_the_scale_are_refused():
    with pytest.raises(ValueError, match="between -1 and 1"):
        watches.again(np.full(40, 2.0), np.arange(40), np.zeros(40))
    assert "missing or infinite" in watches.again([np.nan] * 40, np.arange(40), np.zeros(40)).reason
