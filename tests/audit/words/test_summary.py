"""A judge's line on the summary follows from the three facts of the report."""

from __future__ import annotations

from typing import Any

import pytest

from audit.words import summary, verdicts
from audit.words.drift_state import BENT_OR_CHANGED


def judge(state: str = "holds", follows: str = "follows", **overall: Any) -> dict[str, Any]:
    return {
        "follows": {"state": follows, "value": 0.912, "low": 0.881, "high": 0.938, "n": 200},
        "drift": {
            "state": state,
            "alarm": state == "drifts",
            "since": "2024-08-01",
            "reason": "",
            "gap": {"now": 17.26},
        },
        "overall": overall,
    }


def line_of(found: dict[str, Any]) -> summary.Line:
    return summary.describe_judge({"judges": {"a": found}}, "a")


def test_the_three_facts_of_a_judge_that_follows_and_holds():
    line = line_of(judge())
    assert (line.follows, line.order) == ("yes", "0.91 (0.88 to 0.94)")
    assert (line.stable, line.off) == ("holds", "+17.3")
    assert line.use == "nothing shown yet"


def test_a_judge_that_does_not_follow_people_is_never_said_to_hold():
    line = line_of(judge(state="holds", follows="does not follow"))
    assert (line.state, line.follows, line.stable, line.use) == ("against", "no", "–", "–")


def test_a_judge_of_which_too_little_is_known_may_be_used_for_nothing_yet():
    line = line_of(
        judge(state="cannot be told", follows="cannot be told", alt_test={"passes": True})
    )
    assert (line.follows, line.use) == ("not enough data yet", "nothing shown yet")


def test_a_number_that_would_be_enough_and_is_not_sure_is_at_least_weak():
    found = judge(follows="weakly")
    assert line_of(found).follows == "at least weakly"
    found["follows"]["value"] = 0.69
    assert line_of(found).follows == "weakly"


def test_a_judge_that_drifts_may_be_used_for_older_generators():
    line = line_of(judge(state="drifts", alt_test={"passes": True}))
    assert line.stable == "drifts since 2024-08"
    assert line.use == "generators before 2024-08"


@pytest.mark.parametrize(
    ("overall", "use"),
    [
        ({"alt_test": {"passes": True}}, "labelling"),
        ({"alt_test": {"passes": False}}, "nothing shown yet"),
        ({"equivalence": {"equivalent": True}}, "mean scores"),
        (
            {"best_of_n": {"people_gain": {"value": 4.0, "low": 1.0, "high": 7.0}}},
            "best image",
        ),
        (
            {"best_of_n": {"people_gain": {"value": 4.0, "low": -1.0, "high": 7.0}}},
            "nothing shown yet",
        ),
    ],
)
def test_it_may_be_used_for_what_the_report_shows(overall, use):
    assert line_of(judge(**overall)).use == use


def test_it_ranks_generators_where_none_changes_places():
    body = {"judges": {"a": judge()}, "ranking": {"judges": {"a": {"swaps": []}}}}
    assert summary.describe_judge(body, "a").use == "ranking"
    body["ranking"]["judges"]["a"] = {"swaps": [{}]}
    assert summary.describe_judge(body, "a").use == "nothing shown yet"


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
    line = line_of(found)
    assert (line.off, line.follows, line.order) == ("–", "–", "")


def test_a_judge_that_changed_gradually_has_no_generators_before():
    found = judge(state="drifts")
    found["drift"]["since_between"] = None
    assert line_of(found).use == "nothing shown yet"


def test_a_judge_that_may_be_bent_or_changed_says_so_in_its_line():
    found = judge(state="cannot be told")
    assert line_of(found).stable == "not enough data yet"
    found["drift"]["needs"] = {"reason": BENT_OR_CHANGED, "images": 600}
    assert line_of(found).stable == "not enough data yet: bent or changed"


def test_a_judge_that_is_in_line_on_average_alone_is_not_for_means():
    found = judge(equivalence={"equivalent": True})
    found["drift"]["by_generator"] = {"new": {"off": {"value": 8, "low": 5, "high": 11}}}
    assert line_of(found).use == "nothing shown yet"


def test_a_judge_that_gives_all_generators_one_score_ranks_none():
    ranked = {"swaps": [], "kendall_tau_b": {"undefined": "all are the same", "n": 8}}
    body = {"judges": {"a": judge()}, "ranking": {"judges": {"a": ranked}}}
    assert summary.describe_judge(body, "a").use == "nothing shown yet"
