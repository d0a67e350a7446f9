"""The first sentences of the pages, worked by hand."""

import pytest

from audit.reports.compare_judges import best_of, comparison
from audit.view import View
from audit.words import page_sentences
from audit.words import report as report_words

SOME = {"annotations": 60, "images": 60}


def est(value, low, high, n=60):
    return {"value": value, "low": low, "high": high, "n": n}


def judge(**stats):
    return {
        "overall": {"auroc": est(0.9, 0.85, 0.94), "percent_agreement": est(0.8, 0.7, 0.88)} | stats
    }


CEILING = est(0.9, 0.86, 0.93)


def compared(difference, *, ceiling=CEILING, cut=None, **judges):
    return {
        "people": {**SOME, "ceiling": {"percent_agreement": ceiling}},
        "positive_at": cut,
        "judges": judges or {"a": judge(), "b": judge()},
        "comparison": {"best": "a", "judges": {"b": {"auroc": difference}}},
    }


@pytest.mark.parametrize(
    ("difference", "said"),
    [
        (
            est(-0.031, -0.062, -0.001) | {"p_holm": 0.045},
            "b is behind it by more than chance: −0.031 (−0.062 to −0.001).",
        ),
        # As reports have it whose p came from another test than their interval.
        (
            est(-0.031, -0.062, 0.001) | {"p_holm": 0.045},
            "b is statistically tied with it: −0.031 (−0.062 to 0.001).",
        ),
        (
            est(0.031, 0.001, 0.062) | {"p_holm": 0.045},
            "On the images that both have scored, b is ahead of it by more than chance: 0.031 (0.001 to "
            "0.062).",
        ),
    ],
)
def test_behind_by_more_than_chance_only_where_the_interval_leaves_0_out(difference, said):
    assert page_sentences.of_judges(compared(difference))[1] == said


def test_no_judge_is_the_closest_one_from_fewer_images_than_its_table_needs():
    # Thirty images with a score, and on one of them people are two to two.
    stats = {"n": 30, "auroc": est(1.0, 0.9, 1.0, n=29)}
    beside = comparison(best_of({"a": stats}), {})
    assert beside["best"] is None
    body = {
        "people": SOME,
        "positive_at": None,
        "judges": {"a": {"overall": stats}},
        "comparison": beside,
    }
    assert page_sentences.of_judges(body) == [
        "Too few to judge: no judge has 30 images with labels of both kinds."
    ]
    enough = {**stats, "auroc": est(1.0, 0.9, 1.0, n=30)}
    assert comparison(best_of({"a": enough}), {})["best"] == "a"


def test_the_two_ceilings_say_what_each_counts():
    # Ratings from 1 to 5: people seldom give the very same one, but are mostly on one side of 4.
    question = {
        "percent": est(0.4, 0.35, 0.45),
        "ceiling": est(0.551, 0.5, 0.6),
        "change": {"undefined": "too few", "n": 0},
        "alpha": {"nominal": {"undefined": "none", "n": 0}},
    }
    difference = est(-0.1, -0.2, 0.1) | {"p_holm": 0.5}
    body = compared(difference, ceiling=est(0.819, 0.78, 0.85), cut=4)
    assert page_sentences.of_people(question)[1] == (
        "One person gives exactly the answer that most of the others give in 55.1 % (50.0 to 60.0) of "
        "cases. No judge can be expected to hit people’s exact answer more often."
    )
    assert page_sentences.of_judges(body)[-1] == (
        "One person’s rating and the others’ mean lie on the same side of 4 on 81.9 (78.0 to 85.0) of "
        "100 images; whether these agree with people as often is not known yet: a, b."
    )


def test_a_judge_reaches_people_only_where_its_interval_does():
    difference = est(-0.1, -0.2, 0.1) | {"p_holm": 0.5}
    near, far = est(0.91, 0.8, 0.95), est(0.5, 0.4, 0.6)
    sure, few = est(0.95, 0.92, 0.97), est(1.0, 0.95, 1.0, n=4)

    def last(first, second):
        both = {"a": judge(percent_agreement=first), "b": judge(percent_agreement=second)}
        return page_sentences.of_judges(compared(difference, **both))[-1].partition("; ")[2]

    assert last(sure, near) == (
        "a agrees with people as often; whether these agree with people as often is not known yet: b."
    )
    assert last(far, few) == "no judge agrees with people as often."


def slices(**numbers):
    by_tag = {name: {"n": number["n"], "net_deviation": number} for name, number in numbers.items()}
    return {"people": SOME, "judges": {"a": {"by_tag": by_tag}}}


def beside(value, apart, p):
    return est(value, value - 5, value + 5) | {"from_average": apart, "p_bh": p}


def test_a_slice_is_clearly_apart_only_where_it_passes_the_correction():
    wide, narrow = est(-9.0, -20.0, 2.0), est(-4.0, -6.0, -2.0)
    body = slices(count=beside(-12.0, wide, 0.2), colour=beside(8.0, narrow, 0.01))
    assert page_sentences.of_slices(body, View()) == [
        "Beside people, a is clearly higher on colour than on average, by 4.0 points (2.0 to 6.0)."
    ]
    body = slices(count=beside(-12.0, wide, 0.2), colour=beside(8.0, narrow, 0.06))
    assert page_sentences.of_slices(body, View()) == [
        "a: no skill or tag stands out (largest −9.0 points (−20.0 to +2.0) on count, may be chance)."
    ]


def test_a_slice_that_is_not_tested_is_not_called_clear():
    body = slices(count=est(-9.0, -20.0, -2.0), few=est(30, 20, 40, n=4))
    assert page_sentences.of_slices(body, View()) == [
        "a is furthest from people on count: −9.0 points (−20.0 to −2.0)."
    ]


def test_a_widest_gap_that_may_be_chance_says_so():
    def said(people):
        body = {"people": SOME, "judges": {"a": {**judge(), "curves": {"reliability": [
            {"score": 80.0, "people": people}]}}}}  # fmt: skip
        return page_sentences.of_calibration(body, "a")[1]

    assert said(est(60, 50, 70)) == (
        "Where its score is 80 of 100, people say yes to 60.0 (50.0 to 70.0) of 100 images: its widest "
        "gap."
    )
    assert said(est(70, 55, 85)).endswith("its widest gap, which may be chance.")


def test_no_change_between_the_halves_is_told_with_its_interval():
    question = {
        "percent": est(0.8, 0.7, 0.9),
        "ceiling": {"undefined": "none", "n": 0},
        "change": est(0.01, -0.3, 0.32),
        "alpha": {"nominal": est(0.0, 0.0, 0.0)},
    }
    said = page_sentences.of_people(question)
    assert said[0].endswith("Krippendorff’s α 0.000 (no interval).")
    assert said[1] == (
        "Between the earlier and the later half of the answers no change of agreement can be told: "
        "+1.0 points (−30.0 to +32.0)."
    )


def drifting(alarm=False, **drift):
    told = {"alarm": alarm, "state": "drifts" if alarm else "cannot be told", **drift}
    follows = {"state": "follows", "what": "AUROC", **est(0.9, 0.86, 0.94)}
    return {"drift": told, "by_generator": {}, "follows": follows}


FAILED = {
    "untold": "Its run was stopped by a failure: The key was refused.",
    "needs": {"reason": "Its run was stopped by a failure: The key was refused."},
}


def strict_since_october():
    step = {
        "since": "2024-10-01",
        "offset": est(14.2, 8.3, 20.8),
        "gain_change": est(-0.05, -0.2, 0.1),
    }
    return drifting(
        alarm=True, moved="offset", since="2024-10-01", steps=[step], likeliest=0, kind="verdicts"
    )


def test_a_headline_has_verdicts_only():
    verdict = strict_since_october()
    body = {"people": SOME, "judges": {"broken": drifting(**FAILED), "good": verdict}}
    assert report_words.headline(body) == (
        "good has drifted: 14.2 points (8.3 to 20.8) stricter on generators since 2024-10 than on older "
        "ones."
    )
    assert len(report_words.sentences(body)) == 2
    del body["judges"]["good"]
    assert report_words.headline(body) == (
        "No judge’s run has come to its end, so there is no verdict yet."
    )


def test_a_headline_of_many_judges_counts_those_that_can_be_trusted():
    held = {"state": "holds", "alarm": False}
    judges = {f"holds {number}": drifting(**held) for number in range(7)}
    judges |= {f"drifts {number}": strict_since_october() for number in range(2)}
    judges |= {f"random {number}": drifting(reason="") for number in range(3)}
    for number in range(3):
        judges[f"random {number}"]["follows"]["state"] = "does not follow"
    said = report_words.headline({"people": SOME, "judges": judges})
    assert said.startswith("7 of 12 judges can be trusted on today’s generators; best: holds 0. ")
    assert "drifts 0 has drifted" in said
    one = report_words.tally({"one": drifting(**held)})
    assert one == "one can be trusted on today’s generators."


def test_all_pairs_of_judges_count_as_the_same_data_chose_the_best():
    rows = {
        name: {"auroc": {"value": -0.1, "p": p}, "percent_agreement": {"undefined": "no verdicts"}}
        for name, p in (("b", 0.004), ("c", 0.02), ("d", 0.5))
    }
    told = comparison("a", rows)["judges"]
    # Four judges are six pairs: 6 * .004, 5 * .02, and no more than 1.
    assert [told[name]["auroc"]["p_holm"] for name in "bcd"] == pytest.approx([0.024, 0.1, 1.0])
