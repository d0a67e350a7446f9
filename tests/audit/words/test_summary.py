"""What a judge's line on the Summary says, and which judge comes first."""

from __future__ import annotations

from typing import Any

from audit.words import summary, verdicts


def judge(state: str = "holds", follows: str = "follows") -> dict[str, Any]:
    return {
        "follows": {"state": follows, "value": 0.912, "low": 0.881, "high": 0.938, "n": 200},
        "drift": {
            "state": state,
            "alarm": state == "drifts",
            "since": "2024-08-01",
            "reason": "",
            "gap": {"now": 17.26},
        },
        "overall": {},
    }


def test_the_numbers_of_a_line():
    assert (summary.order_of(judge()), summary.off_of(judge())) == ("0.91", "+17.3")


def test_the_best_come_first():
    judges = {
        "a": judge(follows="does not follow"),
        "b": judge(state="drifts"),
        "c": judge(),
        "d": judge(state="drifts"),
    }
    for name in "bd":
        judges[name]["drift"] |= {"since": "2024-05-01", "alarm": True}
    judges["d"]["follows"] |= {"value": 0.99}
    assert verdicts.best_first(judges) == ["c", "d", "b", "a"]


def test_without_points_nothing_is_off_and_an_older_report_says_nothing_of_following():
    found = judge()
    found["drift"]["gap"] = {"undefined": "its scores are no points", "n": 20}
    del found["follows"]
    assert (summary.off_of(found), summary.order_of(found)) == ("–", "–")
