"""Why the gap moved, in sentences that say no more than their intervals."""

from audit.words import why as words


def est(value, low, high, p=None):
    return {"value": value, "low": low, "high": high, "n": 80} | (
        {} if p is None else {"p_holm": p}
    )


def body(moved, together=(), **parts):
    return {
        "moved": moved,
        "judge": "j",
        "sides": [{"words": "a, b"}, {"words": "c"}],
        "parts": parts,
        "together": [list(row) for row in together],
        "same_version": False,
        "by_server": False,
    }


def test_the_cause_beyond_chance_is_named_first_the_largest():
    told = body(
        est(10.3, 5.1, 15.2),
        judge=est(7.2, 6.5, 8.0, 0.0004),
        people=est(-3.0, -6.3, 0.1, 0.2),
        mix=est(-8.6, -9.4, -7.9, 0.004),
    )
    assert words.sentences(told) == [
        "From a, b to c, people’s score less that of j moved by +10.3 points (5.1 to 15.2).",
        "−8.6 points (−9.4 to −7.9) come from other kinds of images: the second side has other shares "
        "of the kinds of images.",
        "+7.2 points (6.5 to 8.0) come from the judge: its newer version scores the same images "
        "otherwise.",
    ]


def read(offset, gain, assumed=False, sure=True):
    parts = {"generators": est(9.0, 7.0, 11.0), "judge": est(3.0, -1.0, 7.0)}
    told = {"gain": 0.8, "offset": offset, "gain_change": gain, "assumed": assumed, **parts}
    return told | {"sure": {"offset": sure, "gain": sure, "looks": 12}}


def test_of_many_judges_an_offset_that_just_leaves_zero_blames_none():
    found = read(est(3.0, 0.3, 5.7), est(-0.09, -0.16, -0.01), sure=False)
    told = body(est(12.0, 8.0, 16.0)) | {"instrument": found}
    assert words.sentences(told)[2:4] == [
        "Its offset, +3.0 (0.3 to 5.7), may be chance: offset and gain of 12 judges are looked at.",
        "A gain that is 9 % (1 to 16) lower may be chance: offset and gain of 12 judges are looked at.",
    ]


def test_a_gap_that_moved_because_generators_got_better_blames_no_judge():
    told = body(est(12.0, 8.0, 16.0)) | {
        "instrument": read(est(3.8, -1.2, 8.8), est(-0.05, -0.2, 0.1))
    }
    assert words.sentences(told)[1:3] == [
        "Of that, +9.0 (7.0 to 11.0) because people’s answers moved and its gain is 0.80, +3.0 (−1.0 to "
        "+7.0) because it reads the second side otherwise.",
        "Its offset is no other than chance allows: +3.8 (−1.2 to +8.8).",
    ]


def test_a_judge_that_reads_the_second_side_otherwise_is_named_with_its_offset_and_gain():
    told = body(est(12.0, 8.0, 16.0)) | {
        "instrument": read(est(-6.0, -9.0, -3.0), est(-0.3, -0.4, -0.2), assumed=True)
    }
    assert words.sentences(told)[2:5] == [
        "It is 6.0 points (3.0 to 9.0) more lenient than on the first side.",
        "It tells good from bad 30 % (20 to 40) less than on the first side.",
        "Assumed: people’s answers without noise, since too few images have two of them.",
    ]
    assert words.sentences(body(est(1, -1, 3)) | {"instrument": {"undefined": "few", "n": 9}})[
        1
    ] == ("Whether the judge reads the second side otherwise is not known: few.")


def test_a_part_whose_interval_holds_0_is_no_cause_whatever_its_p():
    told = body(est(1.0, -2.0, 4.0), judge=est(1.0, -0.5, 2.0, 0.01))
    assert words.sentences(told) == [
        "From a, b to c, no move of the gap between people and j can be told: +1.0 points (−2.0 to +4.0).",
        "No single cause is beyond chance.",
    ]  # fmt: skip


def test_what_cannot_be_told_apart_says_what_would_tell_it():
    lines = words.sentences(body(est(1.0, -2.0, 4.0), [("people", "wording", "within")]))
    assert lines[2] == (
        "Annotators, wording and errors on the same kinds cannot be separated here. To separate "
        "them: let people answer again about 214 images of the first side, or 640 where they often "
        "change their minds, for ±3 points, some of them with the old form."
    )
    lines = words.sentences(body(est(1.0, -2.0, 4.0), [("judge", "within")]))
    assert lines[2].endswith("To separate them: let both versions of the judge score both sides.")


def test_a_server_is_not_vouched_for():
    told = body(est(1.0, -2.0, 4.0)) | {"same_version": True}
    assert words.sentences(told)[-1] == "The same version of the judge scored both sides."
    told["by_server"] = True
    assert words.sentences(told)[-1].endswith(
        "Whether the server behind it has changed could not be seen, since no anchors were scored again."
    )
    told |= {"same_version": False, "same_scores": [58, 60]}
    assert words.sentences(told)[-1] == "Both versions gave the same score to 58 of 60 images."
