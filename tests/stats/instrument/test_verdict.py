"""One verdict of a judge, from whether it follows people and whether it drifts."""

from __future__ import annotations

from typing import Any

import pytest

from jurybox_stats.instrument.verdict import STOPPED, decide, name_verdict, verdict_of


def follows(state: str, value: float = 0.9, low: float = 0.8, high: float = 0.95) -> dict[str, Any]:
    return {"state": state, "value": value, "low": low, "high": high, "n": 200}


HOLDS = {"state": "holds", "prompts": 50}
OPEN = {"state": "cannot be told", "prompts": 50, "needs": {"images": 80, "prompts": 20}}
DRIFTS = {
    "state": "drifts",
    "since": "2023-11-01",
    "since_between": {"from": "2023-09-01", "to": "2024-01-01"},
}


@pytest.mark.parametrize(
    ("follow", "drift", "verdict"),
    [
        (follows("follows"), HOLDS, {"kind": "trust"}),
        (follows("like a person"), HOLDS, {"kind": "trust"}),
        (follows("follows"), DRIFTS, {"kind": "trust until", "until": "2023-09-01"}),
        # Drift that fell so far that all images together follow no more.
        (follows("does not follow", 0.6, 0.45, 0.69), DRIFTS, {"kind": "trust until", "until": "2023-09-01"}),
        (follows("follows"), {**DRIFTS, "since_between": None}, {"kind": "do not use"}),
        (follows("follows"), {"state": "drifts", "since": "2023-11-01"}, {"kind": "trust until", "until": "2023-11-01"}),
        (follows("does not follow", 0.5, 0.4, 0.6), OPEN, {"kind": "do not use"}),
        (follows("upside down", 0.3, 0.2, 0.4), OPEN, {"kind": "do not use"}),
        (follows("weakly", 0.6, 0.55, 0.65), HOLDS, {"kind": "do not use"}),
        (follows("follows"), OPEN, {"kind": "not yet", "needs": {"prompts": 20}}),
        # Too few second answers: those come first.
        (follows("follows"), {**OPEN, "needs": {"reason": "", "second_answers": 40}}, {"kind": "not yet", "needs": {"second_answers": 40}}),
        # .9 lies .2 above .7, and its lower end .3 below it: (.3 / .2)² − 1 = 1.25 times 50 prompts more.
        (follows("weakly", 0.9, 0.6, 0.98), HOLDS, {"kind": "not yet", "needs": {"prompts": 63}}),
        # Of drift more is needed than of that.
        (follows("weakly", 0.9, 0.6, 0.98), {**OPEN, "needs": {"prompts": 90, "images": 360}}, {"kind": "not yet", "needs": {"prompts": 90}}),
        # .6 lies .1 below, and its upper end .2 above it: (.2 / .1)² − 1 = 3 times.
        (follows("cannot be told", 0.6, 0.45, 0.8), OPEN, {"kind": "not yet", "needs": {"prompts": 150}}),
        # Without prompts that count for drift, by images: 3 times 200.
        (follows("cannot be told", 0.6, 0.45, 0.8), {"state": "cannot be told", "untold": "no dates"}, {"kind": "not yet", "needs": {"images": 600}}),
        # At the bound itself: 100 times at most.
        (follows("weakly", 0.7, 0.6, 0.8), HOLDS, {"kind": "not yet", "needs": {"prompts": 5000}}),
        ({"state": "cannot be told", "undefined": "too few", "n": 4}, {"state": "cannot be told", "untold": "no dates"}, {"kind": "not yet"}),
        # A report of an earlier version does not say whether it follows people.
        ({}, HOLDS, {"kind": "not yet"}),
        ({**follows("cannot be told"), "made_for": "quality"}, DRIFTS, {"kind": "other question", "made_for": "quality"}),
    ],
)  # fmt: skip
def test_a_verdict_follows_from_the_two_facts(follow, drift, verdict):
    assert decide(follow, drift) == verdict


def test_a_judge_whose_run_was_stopped_has_no_verdict_yet():
    assert decide(follows("does not follow"), DRIFTS | {"untold": f"{STOPPED}no memory"}) == {
        "kind": "not yet"
    }


def test_a_report_without_a_verdict_gets_the_one_it_would_have():
    judge = {"follows": follows("follows"), "drift": HOLDS}
    assert verdict_of(judge) == {"kind": "trust"}
    assert verdict_of(judge | {"verdict": {"kind": "do not use"}}) == {"kind": "do not use"}
    # The first versions knew an alarm alone, and not whether a judge follows people.
    first = {"drift": {"alarm": True, "since": "2024-05-01"}}
    assert verdict_of(first) == {"kind": "trust until", "until": "2024-05-01"}
    assert verdict_of({"drift": {"alarm": False}}) == {"kind": "not yet"}


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ({"kind": "trust"}, "Trust"),
        ({"kind": "trust until", "until": "2023-09-01"}, "Trust until 2023-09"),
        ({"kind": "not yet", "needs": {"prompts": 63}}, "Not yet: 63 more prompts"),
        ({"kind": "not yet", "needs": {"second_answers": 1}}, "Not yet: 1 second answer"),
        ({"kind": "not yet"}, "Not yet"),
        ({"kind": "do not use"}, "Do not use"),
        ({"kind": "other question", "made_for": "did"}, "Made for “did”"),
    ],
)
def test_a_chip_says_it_in_few_words(verdict, words):
    assert name_verdict(verdict) == words
