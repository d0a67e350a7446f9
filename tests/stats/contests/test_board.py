"""A contest as people read it."""

from __future__ import annotations

import numpy as np
import pytest

from jurybox_stats.contests.board import board, chances_ahead, soft_pairwise, swaps, told_without
from jurybox_stats.contests.fit import fit
from jurybox_stats.estimate import Estimate
from tests.stats.contests.worlds import World


def duels(times: dict[tuple[str, str], tuple[int, int]], prompts: int = 40):
    """Votes of which the first won so many and the second so many, dealt over the prompts at random."""
    rng, votes = np.random.default_rng(0), []
    for (one, two), (won, lost) in times.items():
        dealt = rng.permutation(np.arange(won + lost) % prompts).tolist()
        said = ["left"] * won + ["right"] * lost
        votes += [(prompt, one, two, which) for prompt, which in zip(dealt, said, strict=True)]
    return votes


CLEAR = duels({("a", "b"): (150, 50), ("b", "c"): (101, 99), ("a", "c"): (150, 50)})


def test_the_strongest_comes_first_and_who_cannot_be_told_apart_stands_in_one_group():
    found = board(fit(CLEAR, ties="none"))
    assert [place.system for place in found.places] == ["a", "b", "c"]
    assert found.groups == (("a",), ("b", "c"))
    assert [(place.first, place.last) for place in found.places] == [(1, 1), (2, 3), (2, 3)]


def test_odds_of_ten_to_one_are_400_points_of_elo_around_1000():
    found = board(fit(duels({("a", "b"): (400, 40)}), ties="none"))
    assert [place.elo.value for place in found.places] == pytest.approx([1200, 800])


def test_nineteen_prompts_are_too_few():
    few = board(fit(duels({("a", "b"): (40, 30)}, prompts=19), ties="none"))
    assert few.reason == "too few to judge: 19 prompts, at least 20 needed"
    assert board(fit(duels({("a", "b"): (40, 30)}, prompts=20), ties="none"))


def test_a_system_may_stand_in_two_groups():
    close = duels({("a", "b"): (108, 92), ("b", "c"): (108, 92), ("a", "c"): (125, 75)})
    assert board(fit(close, ties="none")).groups == (("a", "b"), ("b", "c"))


def test_a_contest_agrees_wholly_with_itself():
    found = fit(World().votes(3))
    assert soft_pairwise(found, found).value == 1
    assert swaps(found, found) == ()


def test_a_judge_that_turns_two_around_is_named_with_both_chances():
    people = fit(CLEAR, ties="none")
    judge = fit(
        duels({("a", "b"): (50, 150), ("b", "c"): (101, 99), ("a", "c"): (150, 50)}), ties="none"
    )
    (swap,) = swaps(people, judge)
    assert (swap.first, swap.second) == ("a", "b")
    assert swap.people > 0.999 and swap.judge < 0.001
    first, second = chances_ahead(people), chances_ahead(judge)
    pairs = ((0, 1), (0, 2), (1, 2))
    gaps = [abs(first[pair] - second[pair]) for pair in pairs]
    assert soft_pairwise(people, judge).value == pytest.approx(1 - sum(gaps) / 3)


def test_leaving_out_each_prompt_gives_a_mean_its_own_error():
    # The jackknife of a mean is its standard error: values 0, 1, 0, 1 have sd .577, error .289.
    values = np.array([0.0, 1.0, 0.0, 1.0])
    found = told_without(
        Estimate(0.5, None, None, 4),
        np.arange(4),
        lambda kept: Estimate(values[kept].mean(), None, None, 3),
    )
    assert (found.low, found.high) == (0.0, 1.0)
    narrow = told_without(
        Estimate(0.5, None, None, 4),
        np.arange(4),
        lambda kept: Estimate(0.5 + (values[kept].mean() - 0.5) / 10, None, None, 3),
    )
    # t with three degrees of freedom is 3.1824.
    assert narrow.high - 0.5 == pytest.approx(3.1824 * 0.288675 / 10, abs=1e-5)
