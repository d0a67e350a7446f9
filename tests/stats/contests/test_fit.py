"""Strengths from votes between two; the vectors are in tests/vectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from jurybox_stats.contests.fit import fit, resampled
from tests.stats.contests.worlds import World, share_covered


def test_three_wins_to_one_are_a_strength_of_log_three():
    votes = [(0, "a", "b", "right"), (1, "b", "a", "left"), (2, "b", "a", "left")]
    votes.append((3, "a", "b", "left"))
    found = fit(votes, ties="none")
    assert found.systems == ("a", "b")
    assert found.strengths[1].value == pytest.approx(math.log(3))
    assert [share.value for share in found.win_shares] == pytest.approx([0.25, 0.75])


def test_a_tie_is_half_a_win_where_that_is_asked_for():
    votes = [
        (0, "a", "b", "tie"),
        (1, "a", "b", "left"),
        (2, "b", "a", "left"),
        (3, "b", "a", "left"),
    ]
    assert fit(votes, ties="half").win_shares[1].value == pytest.approx(2.5 / 4)


def test_neither_counts_as_a_tie():
    votes = [(0, "a", "b", "left"), (1, "a", "b", "right"), (2, "a", "b", "tie")]
    neither = [*votes[:2], (2, "a", "b", "neither")]
    assert fit(votes).tie.value == pytest.approx(fit(neither).tie.value)


@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        ([], "there are no votes"),
        ([(0, "a", "b", "left"), (1, "c", "d", "left")], "do not connect all systems"),
        ([(0, "a", "b", "left"), (1, "b", "a", "right")], "no finite answer"),
    ],
)
def test_what_votes_cannot_tell_is_no_number(votes, reason):
    assert reason in fit(votes, ties="half").reason


def test_ties_need_a_model_that_knows_them():
    assert "ties" in fit([(0, "a", "b", "tie")], ties="none").reason


def test_a_vote_that_is_none_is_a_mistake():
    with pytest.raises(ValueError, match="a vote is one of left, right, tie, neither"):
        fit([(0, "a", "b", "both")])


def test_without_ties_the_strengths_are_those_of_a_logistic_regression():
    votes = World(nu=0.0, side=0.3).votes(4)
    rows = np.zeros((votes.n, 5))
    rows[np.arange(votes.n), votes.left] = 1
    rows[np.arange(votes.n), votes.right] = -1
    plain = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000)
    plain.fit(rows[:, 1:], votes.said == 0)
    found = fit(votes, ties="none", side=True)
    assert [one.value for one in found.strengths[1:]] == pytest.approx(plain.coef_[0], abs=1e-6)
    assert found.left.value == pytest.approx(plain.intercept_[0], abs=1e-6)


def test_intervals_by_prompts_hold_the_truth_in_95_of_100_worlds():
    assert 0.93 <= share_covered(World(), 250) <= 0.97


@pytest.mark.nightly("a hundred prompts are held beside it")
def test_with_twenty_prompts_the_intervals_hold_the_truth_as_often():
    # With the normal's 1.96 in 93 of 100.
    assert 0.94 <= share_covered(World(prompts=20), 400) <= 0.97


def test_of_five_prompts_the_interval_has_students_reach():
    found = fit(World(prompts=5).votes(1))
    error = found.covariance[1, 1] ** 0.5
    assert found.strengths[1].high - found.strengths[1].value == pytest.approx(
        2.776 * error, rel=1e-3
    )


@pytest.mark.nightly("why intervals go by prompts; those are held beside it")
def test_intervals_by_single_votes_are_too_narrow_where_prompts_matter():
    assert share_covered(World(prompt_effect=1.2, votes_of_a_prompt=40), 60, "votes") < 0.9


def test_a_left_side_that_wins_ten_points_more_is_found():
    # 55 of 100 against 45: ln(55 / 45), between equal systems without ties.
    world = World(nu=0.0, prompts=300, side=math.log(55 / 45), prompt_effect=0.0)
    planted = math.log(55 / 45)
    found = fit(world.votes(2), ties="none", side=True)
    assert 0 < found.left.low < planted < found.left.high
    none = fit(World(nu=0.0, prompts=300).votes(2), ties="none", side=True)
    assert none.left.low < 0 < none.left.high


def test_one_who_never_lost_is_named():
    votes = [(p, "a", "b", "left") for p in range(30)]
    votes += [(p, "b", "c", said) for p in range(30) for said in ("left", "right")]
    assert fit(votes, ties="half").reason == "no finite answer: a never lost against the others"


def test_resampled_prompts_give_intervals_much_as_wide_as_the_sandwich():
    votes = World().votes(1)
    plain, drawn = fit(votes).win_shares, resampled(votes, resamples=300)
    for one, other in zip(plain, drawn, strict=True):
        assert other.value == one.value
        assert other.high - other.low == pytest.approx(one.high - one.low, rel=0.25)


def test_errors_by_raters_are_wider_where_raters_have_tastes_of_their_own():
    rng = np.random.default_rng(5)
    votes = []
    for rater in range(12):
        taste = rng.normal(0, 1.5)
        for prompt in range(60):
            wins = rng.random() < 1 / (1 + math.exp(-taste))
            votes.append((prompt, "a", "b", "left" if wins else "right", rater))

    def width(clusters):
        share = fit(votes, ties="none", clusters=clusters).win_shares[0]
        return share.high - share.low

    assert width("raters") > 2 * width("prompts")
    assert width("both") > 2 * width("prompts")


def test_errors_by_raters_need_their_names():
    votes = [(0, "a", "b", "left"), (1, "a", "b", "right")]
    with pytest.raises(ValueError, match="who voted"):
        fit(votes, ties="none", clusters="raters")


def test_prompts_that_all_say_the_same_are_no_certainty():
    votes = [(p, "a", "b", said) for p in range(30) for said in ("left", "left", "right")]
    found = fit(votes, ties="none")
    assert found.win_shares[0].value == pytest.approx(2 / 3)
    assert (found.win_shares[0].low, found.win_shares[0].high) == (None, None)
