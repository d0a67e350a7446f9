"""Strengths from votes between two; the vectors are in tests/vectors."""

from __future__ import annotations

import math

import pytest

from audit.stats.contests import fit


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
