"""One sentence to each question about what a judge may be used for."""

import pytest

from audit.words import decisions

ASKED = (
    "stand in for a person",
    "verdicts may stand",
    "rank the generators",
    "as sure of that ranking",
    "picks the best image",
    "a probability",
    "in line with people",
    "Which of two images",
)


def est(value, low, high, n=80, **more):
    return {"value": value, "low": low, "high": high, "n": n, **more}


def overall(**changed):
    return {
        "alt_test": {"passes": True, "beaten": 2, "raters": 3, "epsilon": 0.15, "n": 80},
        "trusted_share": est(0.582, 0.5, 0.66, to_people=33, risk=0.1),
        "soft_pairwise_accuracy": est(0.9, 0.8, 0.95),
        "best_of_n": {
            "people_gain": est(18.8, 16, 21),
            "judge_gain": est(41.7, 38, 45),
            "ratio": est(0.45, 0.4, 0.51),
        },
        "brier": est(0.17, 0.15, 0.19, over_the_average=est(0.03, 0.01, 0.05)),
        "equivalence": est(1.0, -0.5, 2.5, equivalent=True),
        "pairwise_accuracy_by_prompt_cross_validated": est(0.678, 0.65, 0.7),
        **changed,
    }


def ranked(**changed):
    return {"swaps": [], "by_people": ["new", "old"], "by_judge": ["new", "old"], **changed}


def said(judges, ranking=None, verdicts=None, off=None):
    body = {
        "judges": {
            name: {
                "overall": found,
                "drift": {"by_generator": {"A": {"off": off}} if off else {}},
                "verdict": {"kind": (verdicts or {}).get(name, "trust")},
            }
            for name, found in judges.items()
        },
        "ranking": {"judges": ranking or dict.fromkeys(judges, ranked())},
    }
    found = decisions.answers(body)
    assert len(found) == len(ASKED)
    for answer, words in zip(found, ASKED, strict=True):
        assert words in answer.question
        assert answer.sentence.endswith((".",)) and "{" not in answer.sentence
    return [answer.sentence for answer in found]


def test_a_good_judge_may_be_used():
    lines = said({"some-judge": overall()})
    assert lines == [
        "Yes, for half of the people or more: some-judge. This counts a judge as good enough if it errs "
        "on at most 15 more images of 100 than a person.",
        "58.2 (50.0 to 66.0) of 100 verdicts of some-judge stand at 10 % disagreement or less; 33 "
        "images go to people.",
        "No two generators change places: some-judge.",
        "some-judge comes nearest, 0.900 (0.800 to 0.950); 1 = as confident as people.",
        "Most by some-judge: +18.80 (16.00 to 21.00) over a random choice; the judge sees "
        "+41.70 (38.00 to 45.00), so count 0.45 (0.40 to 0.51) of what a generator tuned on it seems "
        "to gain.",
        "Better than always guessing the average: some-judge.",
        "Within ±3 points, so the mean score may be used: some-judge.",
        "some-judge says what people say on 67.8 (65.0 to 70.0) of 100 pairs of one prompt, with ties "
        "calibrated on other prompts: expect that on new ones.",
    ]


def test_a_bad_judge_may_not():
    bad = overall(
        alt_test={"passes": False, "beaten": 0, "raters": 3, "epsilon": 0.15, "n": 80},
        trusted_share={"undefined": "10 % disagreement or less cannot be shown", "n": 80},
        best_of_n={
            "people_gain": est(-2, -5, 1),
            "judge_gain": est(20, 15, 25),
            "ratio": est(-0.1, -0.3, 0.05),
        },
        brier=est(0.3, 0.25, 0.35, over_the_average=est(-0.05, -0.08, -0.02)),
        equivalence=est(15.0, 12.0, 18.0, equivalent=False),
    )
    swapped = ranked(by_judge=["old", "new"], swaps=[{}])
    lines = said({"bad-judge": bad}, {"bad-judge": swapped}, {"bad-judge": "do not use"})
    assert lines[0] == "Not shown, so let people decide: bad-judge."
    assert lines[1] == "Nothing to rely on: 10 % disagreement or less cannot be shown."
    assert lines[2] == (
        "Its top generator differs from people’s: do not rank generators with it (bad-judge)."
    )
    assert lines[4].endswith("No gain shown, so tune no generator on: bad-judge.")
    assert lines[5] == "Worse than always giving the average, so calibrate first: bad-judge."
    assert lines[6] == "Off by more than 3 points: bad-judge."


YES = "Yes, for half of the people or more: "
DRIFTED = overall(
    alt_test={
        "passes": True,
        "beaten": 2,
        "raters": 3,
        "epsilon": 0.15,
        "n": 80,
        "since": "2023-09",
    }
)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        ("not yet", "Not enough data yet: other."),
        ("do not use", "Not shown, so let people decide: other."),
        ("other question", "Not shown, so let people decide: other."),
        ("trust until", "Not on today’s generators, since it drifted: other."),
    ],
)
def test_only_a_judge_whose_verdict_is_trust_stands_in_for_a_person(verdict, words):
    """Whatever the test of the people alone says of it."""
    line = said({"other": overall(), "good": overall()}, verdicts={"other": verdict})[0]
    assert line.startswith(f"{YES}good. ") and line.endswith(words)
    assert said({"other": overall()}, verdicts={"other": verdict})[0] == words


def test_a_judge_that_changed_more_than_once_has_drifted_too():
    line = said({"other": DRIFTED}, verdicts={"other": "do not use"})[0]
    assert line == "Not on today’s generators, since it drifted: other."


def test_a_judge_whose_own_gain_is_not_known_has_no_share_of_it_told():
    unknown = {"undefined": "the judge likes all images of each prompt the same", "n": 80}
    gain, ratio = est(18.8, 16, 21), est(0.45, 0.4, 0.51)
    row = overall(best_of_n={"people_gain": gain, "judge_gain": unknown, "ratio": ratio})
    assert said({"some-judge": row})[4] == (
        "Most by some-judge: +18.80 (16.00 to 21.00) over a random choice."
    )


def test_where_one_cannot_be_told_the_reason_stands_there():
    nothing = {"undefined": "no image has two answers", "n": 0}
    gone = dict.fromkeys(overall(), nothing)
    for line in said({"some-judge": gone}, {"some-judge": nothing}):
        assert "no image has two answers" in line


def test_a_report_that_is_older_than_these_numbers_says_so():
    body = {"judges": {"some-judge": {"overall": {"n": 80}}}}
    for answer in decisions.answers(body):
        assert "older than this statistic" in answer.sentence


def test_many_judges_are_named_up_to_three():
    names = [f"judge-{number}" for number in range(5)]
    assert said(dict.fromkeys(names, overall()))[2] == (
        "No two generators change places: judge-0, judge-1 and 3 more."
    )


@pytest.mark.parametrize(("low", "high", "least"), [(2, 5, 2), (-5, -2, 2), (-1, 5, 0)])
def test_how_far_off_it_is_at_least(low, high, least):
    assert decisions.abs_low(est(3, low, high)) == least


def test_a_judge_that_is_in_line_on_average_alone_gives_no_mean_of_a_generator():
    # Too strict on A by 8 points, by 5 at least.
    line = said({"balanced": overall()}, off=est(8, 5, 11))[6]
    assert line == "Within ±3 points over all images, but not on each generator: balanced."
    near = said({"near": overall()}, off=est(5, 2, 8))[6]
    assert near == "Within ±3 points, so the mean score may be used: near."


def test_a_judge_that_gives_all_generators_one_score_ranks_none():
    alone = {"undefined": "all generators have the same score", "n": 8}
    ranking = {"constant": ranked(kendall_tau_b=alone), "good": ranked()}
    assert said({"constant": overall(), "good": overall()}, ranking)[2] == (
        "No two generators change places: good. Not enough data yet: constant."
    )
    assert said({"constant": overall()}, {"constant": ranking["constant"]})[2] == (
        "Not enough data yet: all generators have the same score."
    )
