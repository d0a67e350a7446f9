"""Why the gap moved, from the rows of a study to the parts: worked by hand."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotations.errors import Refused
from annotations.models import Annotation, Prompt
from audit.questions.why.question import explain, study_called
from audit.why.parameters import Parameters, side
from audit.words import why as words
from tests import making

pytestmark = pytest.mark.django_db
KEYS = [f"{made}-{n}" for made in ("early", "late") for n in range(40)]
GENERATORS = Parameters(judge="some-judge", before="early", after="late")


def told(study, asked=GENERATORS, **more):
    return explain(study, asked, find=study_called, resamples=200, **more)


def value(body, part):
    return body["parts"][part]["value"]


@pytest.fixture
def judged(db):
    """Forty prompts, an image of each by two generators. People say yes to all early images and to
    every other late one; the judge says .9 to all."""
    study = making.study("judged", prompts=40)
    yes = {key: {"ann": 0 if key.startswith("late") and int(key[-1]) % 2 else 1} for key in KEYS}
    making.labels(study, yes)
    making.scores(study, {key: 0.9 for key in KEYS})
    return study


def test_the_gap_and_its_move_worked_by_hand(judged):
    body = told(judged)
    # 100 − 90 = 10 before; 50 − 90 = −40 after.
    assert [side["gap"]["value"] for side in body["sides"]] == pytest.approx([10, -40])
    assert body["moved"]["value"] == pytest.approx(-50)
    # One version judged both, and there is one kind of images.
    assert value(body, "judge") == value(body, "mix") == 0
    assert value(body, "people_and_wording_and_within") == pytest.approx(-50)
    assert body["together"] == [["people", "wording", "within"]]
    assert sum(part["value"] for part in body["parts"].values()) == pytest.approx(-50, abs=1e-9)
    assert body["moved"]["low"] < -50 < body["moved"]["high"] < 0


def test_another_mix_of_kinds_is_told_from_the_rest(judged):
    # Two kinds of prompts. The judge errs by 40 points on the second kind alone, on both sides.
    for number, prompt in enumerate(Prompt.objects.filter(study=judged).order_by("key")):
        prompt.tags = ["colors"] if number % 2 else ["counting"]
        prompt.save()
    kinds = dict(judged.images.values_list("key", "prompt__tags"))
    making.scores(judged, {k: 1 if kinds[k] == ["colors"] else 0.6 for k in KEYS}, name="other")
    Annotation.objects.filter(study=judged).delete()
    # Early: all images are labelled. Late: of the first kind only every second image is.
    counted = {k: {"ann": 1} for k in KEYS}
    dropped = [k for k in KEYS if k.startswith("late") and kinds[k] == ["colors"]][::2]
    making.labels(judged, {k: v for k, v in counted.items() if k not in dropped})
    body = told(judged, Parameters(judge="other", before="early", after="late"))
    # Gaps: 0 and 40, half of each; then 10 of 30 and 20 of 30: 20 -> 80/3.
    assert body["moved"]["value"] == pytest.approx(80 / 3 - 20)
    assert value(body, "mix") == pytest.approx(80 / 3 - 20)
    assert value(body, "people_and_wording_and_within") == pytest.approx(0, abs=1e-9)


def test_another_version_of_the_judge_is_a_part_of_its_own(judged):
    making.scores(judged, {key: 0.7 for key in KEYS}, name="newer")
    body = told(
        judged, Parameters(judge="some-judge", before="early", after="late", judge_now="newer")
    )
    # .9 -> .7 on the same images: the gap grows by 20.
    assert value(body, "judge") == pytest.approx(20)
    assert body["moved"]["value"] == pytest.approx(-30)
    assert body["judge_by"] == "both versions on both sides"
    assert not body["same_version"]


@pytest.mark.parametrize(("scored", "images"), [(30, 30), (29, 60)])
def test_a_version_that_scored_half_of_a_side_is_compared_on_that_half_alone(db, scored, images):
    study = making.study("halves", prompts=60, files=False)
    keys = [image.key for image in study.images.all()]
    making.labels(study, {key: {"ann": 1} for key in keys})
    making.scores(study, {key: 0.9 for key in keys})
    # Of the sixty early images the newer version knows thirty, or one less than half of them.
    known = [f"early-{n}" for n in range(scored)] + [k for k in keys if k.startswith("late")]
    making.scores(study, {key: 0.7 for key in known}, name="newer")
    body = told(
        study, Parameters(judge="some-judge", before="early", after="late", judge_now="newer")
    )
    early = body["sides"][0]
    assert (early["images"], early["without_score"]) == (images, 60 - images)


def test_images_answered_on_both_days_tell_people_from_the_pictures(judged):
    Annotation.objects.filter(study=judged).delete()
    early = {key: {"ann": 1} for key in KEYS if key.startswith("early")}
    late = {key: {"ann": 1} for key in KEYS if key.startswith("late")}
    again = {f"early-{n}": {"ben": 0 if n % 4 == 0 else 1} for n in range(40)}
    for labels in (early, late, again):
        making.labels(judged, labels)
    rows = Annotation.objects.filter(study=judged)
    first = rows.filter(annotator__name="ann", image__generator__name="early")
    rows.update(submitted_at=datetime(2026, 3, 1, tzinfo=UTC))
    first.update(submitted_at=datetime(2026, 1, 1, tzinfo=UTC))
    asked = Parameters("some-judge", "labelled=..2026-01-31", "labelled=2026-02-01..")
    body = told(judged, asked)
    # Ten of forty anchors are seen as wrong today; nothing else has moved: the late images are all right.
    assert body["anchors"] == 40
    assert [side["images"] for side in body["sides"]] == [40, 40]
    assert value(body, "people") == pytest.approx(-25)
    assert value(body, "wording") == 0
    assert value(body, "within") == pytest.approx(25)
    assert body["together"] == []


def test_two_studies_are_held_against_each_other_by_the_same_judge(judged):
    second = making.study("second", prompts=40)
    making.labels(second, {key: {"ann": 1} for key in KEYS})
    making.scores(second, {key: 0.6 for key in KEYS})
    body = told(judged, Parameters("some-judge", "early, late", "study=second"))
    # 75 − 90 = −15, then 100 − 60 = 40.
    assert body["moved"]["value"] == pytest.approx(55)
    assert body["sides"][1]["prompts"] == 40


def test_no_name_and_no_order_changes_a_digit(judged):
    making.labels(judged, {k: {"ben": int(k[-1]) % 3 == 0, "cem": int(k[-1]) % 2} for k in KEYS})
    making.scores(judged, {k: (hash_of(k) % 97) / 97 for k in KEYS}, name="varied")
    asked = Parameters(judge="varied", before="early", after="late")
    before = told(judged, asked)
    for number, prompt in enumerate(Prompt.objects.filter(study=judged).order_by("-key")):
        prompt.key = f"renamed-{number * 7 % 40}"
        prompt.save()
    for number, image in enumerate(judged.images.order_by("-key")):
        image.key = f"image-{number * 3 % 80:02}"
        image.save()
    after = told(judged, asked)
    assert (before["moved"], before["parts"]) == (after["moved"], after["parts"])


def hash_of(key: str) -> int:
    return sum(ord(letter) * (place + 3) ** 2 for place, letter in enumerate(key))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"judge": "nobody"}, "“nobody” has no scores in study judged."),
        ({"before": "earlie"}, "No generator of study judged is called “earlie”. There are: early, late."),
        ({"before": ""}, "Say what “from” is: generators with commas between them"),
        ({"after": "released=2024"}, "“to”: a span is written as 2024-01-01..2024-12-31"),
        ({"after": "released=2024-02-30.."}, "“to”: “2024-02-30” is no day; write it as 2024-01-31."),
        ({"after": "released=2025-01-01..2024-01-01"}, "“to”: the span ends before it begins."),
        ({"after": "released=2031-01-01.."}, "The second side has 0 images with labels and scores of some-judge; at least 30"),
        ({"after": "labelled=2024-01-01.."}, "Days of labelling are compared with days of labelling"),
        ({"before": "study=judged"}, "“from” is a part of this study"),
        ({"after": "study=nowhere"}, "There is no study “nowhere”."),
        ({"question": "mood"}, "Nobody answered a question “mood”."),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_said(judged, asked, sentence):
    with pytest.raises(Refused) as refusal:
        told(judged, Parameters(**{**asdict(GENERATORS), **asked}))
    assert sentence in refusal.value.message


def test_imported_answers_without_times_have_no_days(judged):
    with pytest.raises(Refused, match="No answer has a known time"):
        told(judged, Parameters("some-judge", "labelled=..2026-01-01", "labelled=2026-01-02.."))


def test_scores_on_another_scale_have_no_gap(judged):
    making.scores(judged, {key: 32 for key in KEYS}, name="clip")
    with pytest.raises(Refused, match="have no gap in points"):
        told(judged, Parameters(judge="clip", before="early", after="late"))


def test_a_side_says_what_it_holds():
    assert side("released=..2024-05-31", "from").sentence == "generators released up to 2024-05-31"
    assert side("labelled=2025-01-01..", "to").sentence == "images first labelled since 2025-01-01"
    assert side(" a , b,a", "to").sentence == "a, b"


def test_the_command_prints_what_the_page_is_made_from(judged):
    def run(*more):
        out = StringIO()
        call_command(
            *("why", "judged", "--judge", "some-judge", "--from", "early", "--to", "late"),
            *more,
            stdout=out,
        )
        return out.getvalue()

    body = json.loads(run("--json", "--resamples", "200"))
    unseen = {"undefined": "the judge has not scored anchors again"}
    wanted = {**told(judged), "certificates": []}
    wanted["watches"]["judge"] = unseen
    assert body == wanted
    assert "people’s score less that of some-judge moved by −50.0 points" in run()
    with pytest.raises(CommandError, match="at least 100 resamples"):
        run("--resamples", "5")


def test_offset_and_gain_by_one_answer_each_are_those_of_the_line_worked_by_hand(db):
    study = making.study("read", prompts=40)
    # Yes to half of the early images, to three quarters of the late ones. The judge
    # says .2 and .8 (a gain of .6) on early images, and .1 less of each on late ones.
    answers, scores = {}, {}
    for key in KEYS:
        early, number = key.startswith("early"), int(key.split("-")[1])
        yes = number % 2 == 0 if early else number % 4 != 0
        answers[key] = {"ann": int(yes)}
        scores[key] = (0.8 if yes else 0.2) - (0 if early else 0.1)
    making.labels(study, answers)
    making.scores(study, scores)
    found = told(study)["instrument"]
    assert found["gain"] == pytest.approx(0.6)
    # People moved by 25 points, the judge by .6 * 25 − 10 = 5; 25 − 5 / .6
    assert found["offset"]["value"] == pytest.approx(25 - 5 / 0.6)
    assert found["gain_change"]["value"] == pytest.approx(0)
    # The gap moved by 20: (1 − .6) * 25 and .6 * 16.7
    assert found["generators"]["value"] == pytest.approx(10)
    assert found["judge"]["value"] == pytest.approx(10)
    assert found["assumed"] is True
    # With second answers it is read by cuts: the order of images has not changed, so nothing has.
    making.labels(study, {key: {"ben": given["ann"]} for key, given in answers.items()})
    found = told(study)["instrument"]
    assert found["assumed"] is False
    assert found["offset"]["value"] == pytest.approx(0, abs=0.5)
    assert found["generators"]["value"] + found["judge"]["value"] == pytest.approx(20)


def test_where_people_call_every_image_of_the_first_side_right_no_gain_is_known(judged):
    # All early images are yes: people's answers do not vary together there.
    assert "undefined" in told(judged)["instrument"]


def test_a_move_that_is_the_same_on_every_prompt_is_told(db):
    study = making.study("constant", prompts=40)
    answers, scores = {}, {}
    for key in KEYS:
        early, number = key.startswith("early"), int(key.split("-")[1])
        yes = number % 2 == 0
        answers[key] = {"ann": int(yes), "ben": int(yes)}
        scores[key] = (0.9 if yes else 0.3) - (0 if early else 0.2)
    making.labels(study, answers)
    making.scores(study, scores)
    body = told(study)
    # Only another prompt could tell how far they differ: ± t(39) · .75 · 100 / 40 points.
    half = 2.0227 * 0.75 * 100 / 40
    moved = body["moved"]
    assert moved["value"] == pytest.approx(20)
    assert (moved["low"], moved["high"]) == pytest.approx((20 - half, 20 + half), abs=1e-3)
    assert "moved by +20.0 points (16.2 to 23.8)" in words.sentences(body)[0]
    # No other version of the judge: this part is none, and no interval is made up for it.
    assert (body["parts"]["mix"]["value"], body["parts"]["mix"]["low"]) == (pytest.approx(0), None)


def read_by(people_of_late):
    """Forty prompts; each person says yes to half of the early images, and `people_of_late` to half of the late ones."""
    study = making.study("people", prompts=40)
    answers, scores = {}, {}
    for key in KEYS:
        number = int(key.split("-")[1])
        who = ("ann", "ben") if key.startswith("early") else people_of_late
        # Now and then two people differ.
        answers[key] = {
            name: int((number + (number % 7 == 0) * place) % 2 == 0)
            for place, name in enumerate(who)
        }
        scores[key] = 0.8 if number % 2 == 0 else 0.2 + 0.01 * (number % 5)
    making.labels(study, answers)
    making.scores(study, scores)
    return told(study)


def test_where_others_labelled_the_second_side_the_judge_is_not_said_to_read_it_otherwise(db):
    body = read_by(("cyd", "dan"))
    line = (
        "Whether the judge reads the second side otherwise is not known: other people labelled the second "
        "side, and too few images were answered by people of both sides."
    )
    assert line in words.sentences(body)


def test_how_strict_each_person_is_is_taken_out_where_people_overlap(db):
    body = read_by(("ann", "cyd"))
    assert body["instrument"]["others"] is True
    assert any(
        line.startswith("With how strict each person is taken out: ")
        for line in words.sentences(body)
    )
