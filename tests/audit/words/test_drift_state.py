"""No sentence says what its numbers contradict."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as some

from audit.reports.states import settle
from audit.words import drift_state, report
from audit.words.drift_state import AUROC, CANNOT_BE_TOLD, DRIFTS, HOLDS


def est(value, low, high, n=60):
    return {"value": value, "low": low, "high": high, "n": n}


UNDEFINED = {"undefined": "no label yet", "n": 0}
WELL = est(0.9, 0.86, 0.94, n=300)
NO_GAP = {"undefined": "no points", "n": 0}


def judged(
    *,
    offset=None,
    gain=None,
    beyond=(),
    inside=False,
    p=0.001,
    order=WELL,
    dates=1,
    constant=False,
    **more,
):
    """Before it is settled: one date, or the likeliest of several."""
    step = {
        "since": "2024-10-01",
        "generators": ["B", "C"],
        "offset": offset or est(1, -3, 5),
        "gain_change": gain or est(-0.05, -0.2, 0.1),
    }
    return {
        "overall": {"auroc": order},
        "by_generator": {},
        "follows": {"what": AUROC, "constant": constant, "newest": {"generators": ["C"], **WELL}},
        "drift": {
            "kind": "verdicts",
            "slope_points_per_year": est(1, 0, 2),
            "steps": [step] * dates,
            "likeliest": 0,
            "p": p,
            "beyond": list(beyond),
            "inside": inside,
            "images_for_that": 600,
            "prompts": 150,
            "prompts_for_that": 75,
            "apart": None,
            "gap": NO_GAP,
            "same_people": 1.0,
            **more,
        },
    }


def settled(**numbers):
    judge = judged(**numbers)
    settle({"some-judge": judge})
    return judge


def test_a_drift_by_offset_says_how_far_which_way_and_since_when():
    judge = settled(offset=est(14.2, 8.3, 20.8), beyond=["offset"])
    assert judge["drift"]["state"] == DRIFTS
    assert drift_state.sentence("GenEval", judge) == (
        "GenEval has drifted: 14.2 points (8.3 to 20.8) stricter on generators since 2024-10 than on "
        "older ones."
    )
    lenient = settled(offset=est(-14.2, -20.8, -8.3), beyond=["offset"])
    assert "14.2 points (8.3 to 20.8) more lenient" in drift_state.sentence("X", lenient)


def test_a_drift_by_gain_says_how_much_less_it_tells():
    judge = settled(gain=est(-0.31, -0.43, -0.18), beyond=["gain"])
    assert drift_state.sentence("VQAScore", judge) == (
        "VQAScore has drifted: on generators since 2024-10 it tells good from bad 31 % (18 to 43) less "
        "than before."
    )


def test_a_judge_that_holds_follows_people_first():
    judge = settled(inside=True, p=0.4)
    assert judge["drift"]["state"] == HOLDS
    assert drift_state.sentence("GenEval", judge) == (
        "GenEval follows people (AUROC 0.900, 0.860 to 0.940), and holds."
    )
    weakly = settled(inside=True, p=0.4, order=est(0.62, 0.58, 0.66, n=300))
    assert "follows people weakly" in drift_state.sentence("GenEval", weakly)


def test_words_of_following_contradict_neither_the_number_nor_its_interval():
    edits = settled(inside=True, p=0.4, order=est(0.974, 0.484, 0.999))
    assert edits["drift"]["state"] == CANNOT_BE_TOLD
    assert drift_state.sentence("X", edits) == (
        "X: not enough data yet to tell whether it follows people (AUROC 0.974, 0.484 to 0.999)."
    )
    surer = settled(inside=True, p=0.4, order=est(0.974, 0.51, 0.999))
    assert drift_state.sentence("X", surer) == (
        "X follows people at least weakly (AUROC 0.974, 0.510 to 0.999), and holds."
    )


@pytest.mark.parametrize(
    ("order", "words"),
    [
        (est(0.51, 0.47, 0.55), "does not follow people (AUROC 0.510, 0.470 to 0.550)."),
        (est(0.30, 0.26, 0.34), "is upside down (AUROC 0.300, 0.260 to 0.340)."),
    ],
)
def test_a_judge_that_does_not_follow_people_is_not_said_to_hold(order, words):
    judge = settled(inside=True, p=0.4, order=order)
    assert judge["drift"]["state"] == CANNOT_BE_TOLD
    assert drift_state.sentence("X", judge) == f"X {words}"


def test_a_judge_of_one_score_does_not_follow_people():
    judge = settled(order={"undefined": "no spread", "n": 300}, constant=True)
    assert judge["follows"]["state"] == "does not follow"
    assert drift_state.sentence("X", judge) == (
        "X does not follow people: it gives every image the same score."
    )


def test_a_date_that_was_chosen_is_told_as_chosen():
    one, five = (settled(beyond=["offset"], dates=dates) for dates in (1, 5))
    assert " (5 dates tested): " in five["drift"]["reason"]
    assert "dates" not in one["drift"]["reason"]


def test_what_cannot_be_told_says_how_many_images_would_tell():
    judge = settled(p=0.4)
    assert judge["drift"]["needs"] == {"images": 600, "prompts": 75}
    assert drift_state.sentence("GenEval", judge) == (
        "GenEval follows people (AUROC 0.900, 0.860 to 0.940); not enough data yet to tell whether it drifts. "
        "About 600 more labelled images, of 75 more prompts, would tell."
    )


def test_with_many_judges_the_same_evidence_is_less():
    def states(count):
        made = {
            f"judge {number}": judged(offset=est(9, 4, 14), beyond=["offset"], p=0.03)
            for number in range(count)
        }
        settle(made)
        return {judge["drift"]["state"] for judge in made.values()}

    assert states(1) == {DRIFTS}
    # Holm: 2 · .03 = .06.
    assert states(2) == {CANNOT_BE_TOLD}


def test_a_person_is_the_measure_of_a_judge_like_one():
    judge = judged(inside=True, p=0.4)
    settle({"some-judge": judge}, {"auroc": est(0.88, 0.86, 0.9, n=300)})
    assert judge["follows"]["state"] == "like a person" or judge["follows"]["state"] == "follows"
    # .9 − .88 − √(.04² + .02²) = −.0247.
    assert judge["follows"]["state"] == "like a person"
    assert "as well as a person does" in drift_state.sentence("X", judge)


def test_the_gap_is_told_in_its_two_parts():
    gap = {
        "before": 3.0,
        "now": 17.0,
        "gain": 0.8,
        "generators": est(9, 7, 11),
        "judge": est(5, 1, 9),
    }
    assert drift_state.gap({"gap": gap}) == (
        "It is off by +17.0 points on the newest, +3.0 before: +9.0 (7.0 to 11.0) because people’s answers "
        "moved and its gain is 0.80, +5.0 (1.0 to 9.0) because it scores newer images differently."
    )
    assert drift_state.gap({"gap": NO_GAP}) == ""


def test_peoples_slips_are_taken_out_in_a_sentence_of_their_own():
    gap = {
        "before": 2.0,
        "now": -6.0,
        "gain": 1.0,
        "generators": est(0, -1, 1),
        "judge": est(0, -1, 1),
    }
    gap["without_slips"] = {"share": 0.06, "now": 0.04, "before": -0.02}
    drift = {"state": "holds", "gap": gap}
    assert drift_state.reason(drift) == (
        "It is off by −6.0 points on the newest, +2.0 before. People err on 6 of 100 single answers, if they err "
        "by slips alone. Without these it would be off by 0.0 points on the newest, 0.0 before."
    )


def test_one_generator_that_is_read_otherwise_is_named():
    apart = {"generator": "D", "offset": est(8, 4, 12), "gain_change": est(-0.5, -0.6, -0.4)}
    reason = settled(inside=True, p=0.4, apart=apart)["drift"]["reason"]
    assert (
        "D alone is read otherwise than all others: offset +8.0 points (4.0 to 12.0), gain −50 % "
        "(−60 to −40)."
    ) in reason


def test_what_an_older_report_says_is_still_told():
    old = {
        "drift": {
            "alarm": True,
            "reason": "Off by much.",
            "slope_points_per_year": est(2, 1, 3),
            "since": "2024-10-01",
            "net_deviation_since": est(14.2, 8.3, 20.8),
        },
        "by_generator": {"A": {"net_deviation": est(1, -1, 3)}},
    }
    assert drift_state.sentence("GenEval", old) == "GenEval has drifted since 2024-10. Off by much."
    old["drift"] |= {"alarm": False, "slope_points_per_year": UNDEFINED}
    assert (
        drift_state.sentence("GenEval", old)
        == "GenEval: not enough data yet on drift. Off by much."
    )
    old["drift"]["state"] = HOLDS
    assert drift_state.sentence("GenEval", old) == "GenEval holds."


NUMBER = some.floats(-30, 30).map(lambda value: round(value, 1))


@given(NUMBER, some.floats(0.1, 30), some.sampled_from([0.001, 0.04, 0.5]), some.booleans())
def test_no_sentence_about_drift_has_an_interval_that_includes_the_contrary(value, half, p, inside):
    size = est(value, value - half, value + half)
    # As `Steps.beyond` decides it.
    beyond = ["offset"] if half < abs(value) and abs(value) + half > 3 else []
    judge = settled(offset=size, beyond=beyond, inside=inside, p=p)
    line, state = drift_state.sentence("X", judge), judge["drift"]["state"]
    if "has drifted" in line:
        assert state == DRIFTS and p <= 0.05
        shown, low, high = re.search(r"drifted: (\S+) points \((\S+) to (\S+)\)", line).groups()
        numbers = [float(text.replace("−", "-")) for text in (shown, low, high)]
        assert min(numbers) >= 0
        assert ("stricter" in line) == (value > 0)
    elif line.endswith("and holds."):
        assert state == HOLDS and inside and not beyond
    else:
        assert state == CANNOT_BE_TOLD
    assert judge["drift"]["alarm"] == (state == DRIFTS)


OTHERS = {"share": 0.6, "compared": False}
GAP = {"before": 3.0, "now": 17.0, "gain": 0.8, "generators": est(9, 7, 11), "judge": est(5, 1, 9)}


def test_where_nobody_can_compare_the_people_no_judge_drifts_and_the_headline_says_so():
    two = {name: settled(beyond=["offset"], others=OTHERS, gap=GAP) for name in ("a", "b")}
    body = {"judges": two, "people": {"annotations": 9}}
    first = (
        "Other people labelled the newer generators, and too few images were answered by people of both "
        "sides: no judge is known to drift or hold."
    )
    assert report.headline(body).startswith(f"{first} ")
    assert report.sentences(body)[0] == first
    assert report.tally(two) == (f"0 of 2 judges can be trusted on today’s generators yet. {first}")
    # What the gap moved by may be theirs, too.
    reason = two["a"]["drift"]["reason"]
    assert reason.endswith("It is off by +17.0 points on the newest, +3.0 before.")
    told = settled(beyond=["offset"], others={**OTHERS, "compared": True}, gap=GAP)
    assert report.tally({"a": told}).startswith("Do not use a")
    assert told["drift"]["reason"].endswith("because it scores newer images differently.")


def test_a_bent_judge_or_a_changed_one_is_said_with_the_prompts_that_would_help():
    judge = settled(p=0.4, contradict=True)
    words = "these data cannot tell a bent judge from a changed one"
    line = drift_state.sentence("X", judge)
    assert words in line
    assert line.endswith("About 600 more labelled images, of 75 more prompts, would tell.")


def test_where_no_number_of_images_is_known_none_is_said():
    judge = settled(p=0.4, images_for_that=0, prompts_for_that=0)
    assert drift_state.sentence("X", judge).endswith(
        "What it makes of newer images lies between holding and drifting: more prompts would tell."
    )


def test_that_no_date_explains_a_change_is_no_proof_that_there_were_several():
    judge = settled(beyond=["offset"], dates=1)
    judge["drift"]["since_between"] = None
    assert "it may have changed more than once" in drift_state.reason(judge["drift"])


def test_nothing_is_said_to_be_taken_out_of_a_judge_of_which_nothing_is_told():
    told = {**OTHERS, "compared": True}
    assert "taken out" in settled(others=told)["drift"]["reason"]
    assert "taken out" not in drift_state.reason({"state": DRIFTS, "others": told})
