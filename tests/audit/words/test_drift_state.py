"""No sentence says what its numbers contradict."""

import re
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from audit.reports.drift import _beyond
from audit.reports.states import settle
from audit.words import drift_state
from audit.words.drift_state import AUROC, CANNOT_BE_TOLD, DRIFTS, HOLDS


def est(value, low, high, n=60):
    return {"value": value, "low": low, "high": high, "n": n}


UNDEFINED = {"undefined": "no label yet", "n": 0}


@pytest.mark.parametrize(
    ("deviation", "expected"),
    [
        (est(11.2, 9.8, 12.7), True),
        (est(-8.0, -12.0, -4.0), True),
        (est(3.0, 1.0, 5.0), False),
        (est(9.0, -1.0, 19.0), False),
        (est(20.0, 18.0, 22.0, n=4), False),
        (UNDEFINED, False),
    ],
)
def test_beyond_the_band_means_three_points_and_an_interval_without_zero(deviation, expected):
    assert drift_state.beyond_band(deviation) is expected


def claim(size, *, evidence=1000.0, beyond=True, would_show=5.0, scale=1.0):
    return {
        "evidence": evidence,
        "since": "2024-10-01",
        "change": size,
        "later": size,
        "size": size,
        "newest": "C",
        "generators": ["B", "C"],
        "before": 0.91,
        "after": 0.78,
        "would_show": would_show * scale,
        "images_for_that": 900,
        "beyond": beyond,
    }


def settled(kind, claims, **numbers):
    drift = {
        "kind": kind,
        "order": AUROC,
        "slope_points_per_year": est(1, 0, 2),
        "reference": {"rule": "oldest third", "generators": ["A"], "calibration": "none"},
        "by_generator": {
            name: {
                "net_deviation": numbers.get(name, est(0, -2, 2)),
                "agreement": est(0.8, 0.7, 0.9),
            }
            for name in "ABC"
        },
        "claims": claims,
        "prevalence": {"from": 34.0, "to": 90.0, "explains": 11.2},
    }
    judge = {"drift": drift, "by_generator": {}}
    settle({"some-judge": judge})
    return judge


def test_a_verdict_that_drifts_says_how_far_which_way_and_since_when():
    judge = settled(
        "verdicts", {"net_deviation": claim(est(14.2, 8.3, 20.8))}, C=est(17.7, 9.0, 26.0)
    )
    assert judge["drift"]["state"] == DRIFTS
    assert drift_state.sentence("GenEval", judge) == (
        "GenEval has drifted: +14.2 points (8.3 to 20.8) too strict on generators since 2024-10."
    )
    # What holds since that month and what holds for the newest are one sentence, not two claims.
    assert judge["drift"]["reason"].endswith(
        "On all of these together it is off by +14.2 points (8.3 to 20.8), on the newest alone, C, by "
        "+17.7 points (9.0 to 26.0)."
    )


def test_a_score_that_drifts_by_its_order_says_from_where_to_where():
    claims = {
        "net_deviation": claim(est(1, -2, 4), evidence=0.5, beyond=False),
        "agreement": claim(est(-0.13, -0.18, -0.08), scale=0.01),
    }
    judge = settled("scores", claims)
    assert drift_state.sentence("VQAScore", judge) == (
        "VQAScore has drifted: its AUROC fell by 0.130 (0.080 to 0.180), from 0.910 to 0.780, on "
        "generators since 2024-10."
    )


def test_a_date_that_was_chosen_is_told_as_chosen():
    size = est(14.2, 8.3, 20.8)
    one = settled("verdicts", {"net_deviation": {**claim(size), "dates": 1}})
    five = settled("verdicts", {"net_deviation": {**claim(size), "dates": 5}})
    chosen = "The date is the likeliest of 5, and the interval is wide enough for any of them."
    assert chosen in five["drift"]["reason"]
    assert "likeliest" not in one["drift"]["reason"]


def test_what_cannot_be_told_says_how_many_images_would_tell():
    judge = settled(
        "verdicts",
        {"net_deviation": claim(est(4, -6, 14, n=300), evidence=0.4, beyond=False, would_show=14)},
    )
    assert judge["drift"]["needs"] == {"images": 600}
    assert drift_state.sentence("GenEval", judge) == (
        "GenEval: drift cannot be told yet. About 600 more labelled images would tell."
    )


def test_with_many_judges_the_same_evidence_is_less():
    def judges(count):
        made = {
            f"judge {number}": {
                "drift": settled("verdicts", {"net_deviation": claim(est(9, 4, 14), evidence=30)})[
                    "drift"
                ],
                "by_generator": {},
            }
            for number in range(count)
        }
        settle(made)
        return {judge["drift"]["state"] for judge in made.values()}

    assert judges(1) == {DRIFTS}
    assert judges(2) == {HOLDS}


def test_an_order_that_got_better_is_no_drift_and_evidence_of_one_claim_is_none_of_another():
    sure = claim(est(1, -2, 4), evidence=1e6, beyond=False)
    fell = claim(est(-0.13, -0.18, -0.08), evidence=0.5, scale=0.01)
    assert settled("scores", {"net_deviation": sure, "agreement": fell})["drift"]["state"] == HOLDS
    moved = SimpleNamespace(moved=SimpleNamespace(value=0.13))
    assert not _beyond("agreement", moved, est(0.13, 0.08, 0.18))
    assert _beyond("net_deviation", moved, est(13, 8, 18))


def test_people_whose_score_rises_move_every_difference_of_means():
    judge = settled("verdicts", {"net_deviation": claim(est(1, -1, 3), evidence=1, beyond=False)})
    assert drift_state.prevalence({"GenEval": judge}) == (
        "People’s own score went from 34 to 90 points between the oldest and the newest generator. "
        "That alone can move a difference of means: GenEval would move by +11.2 points with the errors "
        "of the reference generators."
    )


def test_a_report_from_before_there_were_states_knows_its_alarm():
    old = {
        "drift": {
            "alarm": True,
            "reason": "Off.",
            "slope_points_per_year": est(2, 1, 3),
            "since": "2024-10-01",
            "net_deviation_since": est(14.2, 8.3, 20.8),
        },
        "by_generator": {"A": {"net_deviation": est(1, -1, 3)}},
    }
    assert drift_state.sentence("GenEval", old).startswith("GenEval has drifted: +14.2 points")
    old["drift"] |= {"alarm": False, "slope_points_per_year": UNDEFINED}
    assert drift_state.sentence("GenEval", old) == "GenEval: drift cannot be told yet. Off."


NUMBER = some.floats(-30, 30).map(lambda value: round(value, 1))


@given(
    NUMBER,
    some.floats(0.1, 30),
    some.sampled_from([0.2, 19.0, 30.0, 1e6]),
    some.booleans(),
    some.sampled_from([2.0, 12.0]),
)
def test_no_sentence_about_drift_has_an_interval_that_includes_the_contrary(
    value, half, evidence, beyond, would_show
):
    size = est(value, value - half, value + half)
    # As `reports.drift` decides it.
    beyond = beyond and abs(value) > 3 and half < abs(value)
    judge = settled(
        "verdicts",
        {"net_deviation": claim(size, evidence=evidence, beyond=beyond, would_show=would_show)},
    )
    line, state = drift_state.sentence("X", judge), judge["drift"]["state"]
    if "has drifted" in line:
        assert state == DRIFTS and evidence >= 20
        shown, low, high = re.search(r"drifted: (\S+) points \((\S+) to (\S+)\)", line).groups()
        numbers = [float(text.replace("−", "-")) for text in (shown, low, high)]
        assert min(numbers) * max(numbers) >= 0
        assert ("too strict" in line) == (numbers[0] > 0)
    elif line == "X holds.":
        assert state == HOLDS and would_show <= 10
    else:
        assert state in (CANNOT_BE_TOLD, HOLDS)
    assert judge["drift"]["alarm"] == (state == DRIFTS)
