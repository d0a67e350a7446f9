"""A judge that was made for one question of a form, in a report about another one."""

from audit.reports.states import set_aside_others, settle
from audit.words import drift_state, report
from tests.audit.words.test_drift_state import DRIFTS, est, judged

MOVED = {"offset": est(14.2, 8.3, 20.8), "beyond": ["offset"]}


def settled(question, answered=("did", "kept")):
    judges = {"keeper": judged(**MOVED), "doer": judged(**MOVED)}
    set_aside_others(judges, {"keeper": "kept"}, question, answered)
    settle(judges)
    return judges


def test_it_gets_no_verdict_and_counts_in_no_correction():
    judges = settled("did")
    assert judges["doer"]["drift"]["p_holm"] == judges["doer"]["drift"]["p"]
    keeper = judges["keeper"]
    assert (keeper["drift"]["state"], keeper["follows"]["state"]) == 2 * ("cannot be told",)
    assert drift_state.sentence("Keeper", keeper) == (
        "Keeper: It was made for the question “kept”; this report is about “did”."
    )
    assert report.tally(judges) == "0 of 2 judges can be trusted on today’s generators yet."


def test_on_its_own_question_it_is_judged_as_any_other():
    judges = settled("kept")
    assert judges["keeper"]["drift"]["state"] == DRIFTS
    assert "made_for" not in judges["keeper"]["follows"]


def test_where_nobody_answered_its_question_it_is_judged_by_the_one_there_is():
    assert settled("did", answered=("did",))["keeper"]["drift"]["state"] == DRIFTS
