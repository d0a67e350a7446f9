"""Label Studio's JSON export, in the fields that its documentation names."""

import io
import json
import uuid
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone

from annotations.exports.labels import label_rows
from annotations.forms.versions import publish_form
from annotations.models import Annotation, Answer, Membership, Study
from judges.intake import bring_in
from jurybox_formats import guess_format
from jurybox_formats.forms.definition import Choice, Form, Question
from jurybox_formats.forms.papers import FORMS
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import Unreadable
from tests import making
from tests.formats.example import Example
from tests.formats.sets.reading import Read

TASK = {
    "data": {"image_id": "i1", "image": "a.png", "prompt": "a cat"},
    "annotations": [
        {
            "completed_by": {"id": 3, "email": "a@b.c"},
            "lead_time": 2.5,
            "created_at": "2026-01-31T12:00:00Z",
            "result": [
                {"from_name": "fit", "type": "choices", "value": {"choices": ["yes"]}},
                {"from_name": "atom.0", "type": "number", "value": {"number": 1}},
                {"from_name": "note", "type": "textarea", "value": {"text": ["fine"]}},
            ],
        }
    ],
}
EXAMPLES = {
    "label_studio": Example(
        {"a.json": json.dumps([TASK])},
        {"a.json": '[{"image": "a.png"}]'},
        "holds no annotations",
    )
}
FILES = Path(__file__).parent / "files"


def answer(name, kind, **value):
    return {"from_name": name, "to_name": "image", "type": kind, "value": value}


def task(*results, who=12, data=None, **more):
    annotation = {
        "id": 1001,
        "result": list(results),
        "was_cancelled": False,
        "ground_truth": False,
        "created_at": "2026-03-09T22:16:08.728353Z",
        "lead_time": 4.288,
        "completed_by": who,
    }
    about = {"image": "/data/upload/1/0a1b2c3d-cup.png", "prompt": "a red cup"}
    return {
        "id": 1,
        "data": data or about,
        "annotations": [annotation | more],
        "predictions": [],
        "project": 83,
    }


def read(tmp_path, *tasks, **more):
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    return Read("label_studio", tmp_path / "tasks.json", **more)


def test_each_kind_of_answer_is_a_label_of_its_person(tmp_path):
    found = read(
        tmp_path,
        task(
            answer("aligned", "choices", choices=["Yes"]),
            answer("colours", "choices", choices=["red", "white"]),
            answer("stars", "rating", rating=4),
            answer("count", "number", number=2.5),
            answer("remark", "textarea", text=["two", "lines"]),
            answer("atom.3", "number", number=1),
        ),
    )
    assert [(one.question, one.value, one.atom) for one in found.labels] == [
        ("aligned", "Yes", None),
        ("colours", "red|white", None),
        ("stars", 4.0, None),
        ("count", 2.5, None),
        ("remark", "two\nlines", None),
        ("atom", 1.0, 3),
    ]
    first = found.labels[0]
    assert (first.image, first.rater, first.seconds) == ("cup.png", "annotator-12", 4.288)
    assert first.submitted_at.isoformat() == "2026-03-09T22:16:08.728353+00:00"
    assert [(i.key, i.generator) for i in found.images] == [("cup.png", "unknown")]
    assert found.rejected == []


def test_people_are_told_apart_and_no_address_of_mail_comes_in(tmp_path):
    stars = answer("stars", "rating", rating=4)
    found = read(
        tmp_path,
        task(stars, who={"id": 3, "email": "ann@example.org"}),
        task(stars, who=4),
        task(stars, who="person-0123456789"),
    )
    raters = [label.rater for label in found.labels]
    assert raters == ["annotator-3", "annotator-4", "person-0123456789"]


def test_what_is_drawn_skipped_or_predicted_is_left_out_and_counted(tmp_path):
    box = answer("box", "rectanglelabels", x=1, y=2, width=3, height=4, rectanglelabels=["cup"])
    part = answer("part", "choices", x=1, y=2, choices=["broken"])
    one = task(box, part, answer("stars", "rating", rating=4))
    one["predictions"] = [{"result": []}]
    skipped = task(answer("stars", "rating", rating=1), was_cancelled=True)
    found = read(tmp_path, one, skipped)
    assert [label.value for label in found.labels] == [4.0]
    said = " ".join(remark.words for remark in found.remarks)
    assert "1 × “box” (rectanglelabels)" in said
    assert "1 × “part” (choices)" in said
    assert "1 × tasks that somebody skipped" in said
    assert "1 × predictions of models" in said


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (task(answer("stars", "rating", rating="many")), "must be a number"),
        (task(answer("stars", "rating", rating=4), who=None), "must say who made it"),
        (task(answer("a", "choices", choices=[])), "is empty"),
        (task(answer("a", "rating", rating=1), answer("a", "rating", rating=2)), "twice"),
        (task(data={"sound": "a.wav"}), "Neither “image_id” nor an image"),
        ({"data": {"image": "a.png"}}, "“annotations” is missing"),
        ("words", "An object is wanted"),
    ],
)
def test_a_task_that_cannot_be_taken_is_named_and_the_others_are_read(tmp_path, wrong, words):
    found = read(tmp_path, wrong, task(answer("stars", "rating", rating=4)))
    assert [row.line for row in found.rejected] == [1]
    assert words in found.rejected[0].reason
    assert [label.line for label in found.labels] == [2]


def test_json_min_that_label_studio_wrote_says_what_its_json_says():
    # label-studio-sdk 2.1.2, Converter.convert_to_json_min: two tasks, two people, four questions, a box.
    found = Read("label_studio", FILES / "label-studio-sdk-2.1.2-json-min.json")
    assert found.rejected == []
    assert [image.key for image in found.images] == ["cup1.png", "cup2.png"]
    assert {(one.image, one.question, one.value) for one in found.labels} == {
        ("cup1.png", "aligned", "Yes"),
        ("cup1.png", "colours", "red|white"),
        ("cup1.png", "stars", 4.0),
        ("cup1.png", "remark", "fine"),
        ("cup2.png", "aligned", "No"),
        ("cup2.png", "colours", "red"),
        ("cup2.png", "stars", 2.0),
        ("cup2.png", "remark", "fine"),
    }
    # Each of both people said all of it.
    assert len(found.labels) == 16
    assert {one.rater for one in found.labels} == {"annotator-12", "annotator-13"}
    assert found.labels[0].seconds == 4.288
    said = " ".join(remark.words for remark in found.remarks)
    assert "1 × “box” (drawn or other)" in said


def test_a_list_without_annotations_is_refused_with_a_word_on_how_to_export(tmp_path):
    with pytest.raises(Unreadable, match="as JSON or as JSON-MIN"):
        read(tmp_path, {"id": 1, "image": "a.png", "stars": 4})


def test_pictures_are_found_by_the_names_they_had_before_the_upload(tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    (folder / "cup.png").write_bytes(making.png())
    (image,) = read(tmp_path, task(answer("s", "rating", rating=1)), images=folder).images
    assert image.content == folder / "cup.png"


@pytest.mark.django_db
def test_a_study_goes_to_label_studio_and_its_labels_come_back(study, tmp_path):
    making.labels(study, {"early-0": {"ann": 1, "ben": 0}, "late-1": {"ann": 1}})
    making.labels(study, {"early-0": {"ann": 1}}, question="quality")
    making.labels(study, {"late-1": {"ben": 0.25}}, question="mood")
    out = tmp_path / "tasks.json"
    call_command(
        "export_labels",
        "shapes",
        format="label_studio",
        out=out,
        pseudonyms="nobody",
        stderr=io.StringIO(),
    )
    again = making.study("again")
    outcome = bring_in.import_labels(study=again, format="label_studio", source=Source(out))
    assert (outcome.rejected, outcome.answers) == ([], 5)
    assert Answer.objects.filter(annotation__study=again).count() == 5
    assert list(label_rows(again, people="nobody")) == list(label_rows(study, people="nobody"))


COLOURS = Form(
    "colours",
    "Colours",
    "",
    (
        Question("fit", "Fits?", (Choice(2, "Very well"), Choice(1, "So so"), Choice(0, "1"))),
        Question("shade", "Shade?", (Choice("d", "Dark, or black"), Choice("l", "Light"))),
        # Each text is the value of the other, and two texts are the same but for a capital.
        Question("mixed", "Mixed?", (Choice("left", "right"), Choice("right", "left"))),
        Question("alike", "Alike?", (Choice(1, "Good"), Choice(2, "good"))),
        Question(
            "seen", "Seen?", (Choice("r", "Red"), Choice("w", "White | pale")), kind="choices"
        ),
    ),
)


def answers_of(study):
    given = Answer.objects.filter(annotation__study=study)
    return set(given.values_list("question", "value", "text"))


def write_tasks(study, out):
    call_command("export_labels", study.slug, format="label_studio", out=out, stderr=io.StringIO())
    return json.loads(out.read_text())


@pytest.mark.django_db
def test_choices_go_out_as_people_read_them_and_come_back_as_their_values(study, tmp_path):
    study.form = publish_form(COLOURS)
    study.save()
    person = making.person(study, "ann")
    image = study.images.get(key="early-0")
    annotation = Annotation.objects.create(
        study=study,
        image=image,
        annotator=person,
        form=study.form,
        submission=uuid.uuid4(),
        submitted_at=timezone.now(),
    )
    for question, value, text in [
        ("fit", 0, ""),
        ("shade", None, "d"),
        ("mixed", None, "left"),
        ("alike", 2, ""),
        ("seen", None, "r|w"),
    ]:
        annotation.answers.create(question=question, value=value, text=text)
    (sent,) = write_tasks(study, tmp_path / "tasks.json")
    results = {r["from_name"]: r["value"] for r in sent["annotations"][0]["result"]}
    assert results == {
        "fit": {"choices": ["1"]},
        "shade": {"choices": ["Dark, or black"]},
        "mixed": {"choices": ["left"]},
        "alike": {"number": 2},
        "seen": {"choices": ["Red", "w"]},
    }
    again = making.study("again")
    again.form = study.form
    again.save()
    source = Source(tmp_path / "tasks.json")
    outcome = bring_in.import_labels(study=again, format="label_studio", source=source)
    assert outcome.rejected == []
    assert answers_of(again) == answers_of(study)


@pytest.mark.django_db
def test_a_paper_s_form_is_known_by_the_texts_of_its_choices(study, tmp_path):
    study.form = publish_form(FORMS["t2i-compbench-spatial"])
    study.save()
    making.labels(study, {"early-0": {"ann": 5, "ben": 2}, "late-1": {"ann": 1}}, question="likert")
    tasks = write_tasks(study, tmp_path / "tasks.json")
    first = tasks[0]["annotations"][0]["result"][0]
    assert first["value"]["choices"] in (
        ["Perfect: correct spatial layout"],
        [FORMS["t2i-compbench-spatial"].questions[0].choices[3].text],
    )
    source = Source(tmp_path / "tasks.json")
    outcome = bring_in.import_study(slug="moved", format="label_studio", source=source)
    moved = Study.objects.get(slug="moved")
    assert (outcome.rejected, moved.form.slug) == ([], "t2i-compbench-spatial")
    assert answers_of(moved) == {("likert", 5.0, ""), ("likert", 2.0, ""), ("likert", 1.0, "")}


@pytest.mark.django_db
def test_those_who_move_get_a_study_that_asks_what_was_asked_there(tmp_path):
    tasks = [
        task(
            answer("Fits?", "choices", choices=[word]),
            answer("stars", "rating", rating=stars),
            data={"image": f"/data/upload/1/0a1b2c3d-{stars}.png", "prompt": "a red cup"},
        )
        for word, stars in [("Yes", 5), ("No", 2)]
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    assert guess_format.guess(tmp_path / "tasks.json") == ("label_studio", "study")
    source = Source(tmp_path / "tasks.json", generator="sd")
    outcome = bring_in.import_study(slug="moved", format="label_studio", source=source)
    assert (outcome.rejected, outcome.images, outcome.answers) == ([], 2, 4)
    moved = Study.objects.get(slug="moved")
    asked = {q["name"]: [c["value"] for c in q["choices"]] for q in moved.form.questions}
    assert asked == {"fits": [1, 0], "stars": [1, 2, 3, 4, 5]}
    given = Answer.objects.filter(annotation__study=moved)
    assert set(given.values_list("annotation__image__key", "question", "value")) == {
        ("5.png", "fits", 1),
        ("5.png", "stars", 5),
        ("2.png", "fits", 0),
        ("2.png", "stars", 2),
    }
    assert Membership.objects.get(study=moved).name == "annotator-12"


@pytest.mark.django_db
def test_a_label_about_an_image_that_is_not_here_is_named_and_strict_leaves_nothing(
    study, tmp_path
):
    tasks = [
        task(answer("aligned", "number", number=1), data={"image_id": key})
        for key in ("early-0", "nowhere")
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    outcome = bring_in.import_labels(
        study=study, format="label_studio", source=Source(tmp_path / "tasks.json"), strict=True
    )
    assert [(row["line"], row["value"]) for row in outcome.rejected] == [(2, "nowhere")]
    assert not Answer.objects.exists()
