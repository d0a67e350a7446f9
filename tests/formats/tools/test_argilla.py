"""Argilla's records: the file is one that argilla 2.8.0 wrote, by `JsonIO.to_json`."""

import base64
import json
from pathlib import Path

import pytest

from annotations.models import Answer, Study
from judges.intake import bring_in
from jurybox_formats import guess_format
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import Unreadable
from tests import making
from tests.doors import sample
from tests.formats.example import Example
from tests.formats.sets.reading import Read

RECORD = {
    "id": "r1",
    "fields": {"image": "data:image/png;base64,aGVsbG8=", "prompt": "a cat"},
    "metadata": {"image_id": "i1"},
    "suggestions": {"fit": {"value": "yes"}},
    "responses": {
        "fit": [{"value": "yes", "user_id": "u1"}],
        "seen": [{"value": ["red", "white"], "user_id": "u1"}],
        "stars": [{"value": 4, "user_id": "u2"}],
    },
}
EXAMPLES = {
    "argilla": Example(
        {"a.json": json.dumps([RECORD])},
        {"a.json": '[{"fields": {"image": "a.png"}}]'},
        "no list of Argilla",
    )
}
WRITTEN = Path(__file__).parent / "files" / "argilla-2.8.0.json"
RETURNED = WRITTEN.with_name("argilla-2.8.0-returned.json")
ANN, BEN = (f"annotator-00000000-0000-0000-0000-00000000000{number}" for number in (1, 2))


def record(image="a.png", who="ann", value="yes", **more):
    return {
        "id": "r1",
        "fields": {"image": image, "prompt": "a cat"},
        "metadata": {},
        "suggestions": {},
        "responses": {"fit": [{"value": value, "user_id": who}]},
    } | more


def read(folder, *records):
    (folder / "records.json").write_text(json.dumps(records))
    return Read("argilla", folder / "records.json")


def test_what_argilla_wrote_says_who_answered_what():
    found = Read("argilla", WRITTEN)
    assert found.rejected == []
    assert [(i.key, i.generator) for i in found.images] == [("cup1.png", "sd"), ("dog.png", "flux")]
    assert [prompt.text for prompt in found.prompts] == ["a red cup", "two dogs"]
    assert [(one.image, one.rater, one.question, one.value) for one in found.labels] == [
        ("cup1.png", ANN, "fit", "yes"),
        ("cup1.png", BEN, "fit", "no"),
        ("cup1.png", ANN, "stars", 4.0),
        ("cup1.png", ANN, "colours", "red|white"),
        ("cup1.png", BEN, "remark", "fine"),
        ("dog.png", ANN, "fit", "no"),
        ("dog.png", ANN, "stars", 2.0),
    ]
    said = " ".join(remark.words for remark in found.remarks)
    assert "1 × “part”, no answer about the whole image" in said
    assert "1 × suggestions of models" in said


@pytest.mark.django_db
def test_those_who_move_from_argilla_get_a_study_that_asks_what_was_asked_there():
    assert guess_format.guess(WRITTEN) == ("argilla", "study")
    outcome = bring_in.import_study(slug="moved", format="argilla", source=Source(WRITTEN))
    assert (outcome.rejected, outcome.images, outcome.answers) == ([], 2, 7)
    asked = {q["name"]: len(q["choices"]) for q in Study.objects.get(slug="moved").form.questions}
    assert (asked["fit"], asked["stars"]) == (2, 5)
    given = Answer.objects.filter(question="fit").values_list("annotation__image__key", "value")
    assert sorted(given) == [("cup1.png", 0.0), ("cup1.png", 1.0), ("dog.png", 0.0)]


@pytest.mark.django_db
def test_what_went_to_argilla_and_came_back_are_the_same_answers():
    """argilla 2.8.0 read our export by its own `JsonIO` and `Settings.from_json`, and wrote it again."""
    study = sample.study(answered=False)
    outcome = bring_in.import_labels(study=study, format="argilla", source=Source(RETURNED))
    assert (outcome.rejected, outcome.answers) == ([], sample.SENT)
    assert sample.answers(study) == sample.answers(sample.study("sent"))
    assert all(row[1].startswith("person-") for row in sample.rows(study))


def test_a_picture_in_the_record_comes_in_and_the_record_s_id_names_it(tmp_path):
    inline = f"data:image/png;base64,{base64.b64encode(making.png()).decode()}"
    (image,) = read(tmp_path, record(inline)).images
    assert (image.key, image.content) == ("r1", making.png())


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (record("data:image/png;base64,%%"), "no sound Base64"),
        (record(who=None), "“user_id” must be a text"),
        (record(value=None), "A response is a number, a text or a list of texts"),
        (record(responses={"fit": "yes"}), "are a list"),
        (record(fields={}, id=None), "Neither “image_id”, an image nor an id"),
        (
            record(responses={"fit": [{"value": "yes", "user_id": "a"}] * 2}),
            "answered “fit” twice about a.png",
        ),
    ],
)
def test_a_record_that_cannot_be_taken_is_named_and_the_others_are_read(tmp_path, wrong, words):
    found = read(tmp_path, wrong, record("b.png"))
    assert [(row.line, words in row.reason) for row in found.rejected] == [(1, True)]
    assert [label.image for label in found.labels] == ["b.png"]


def test_what_is_no_list_of_records_is_refused(tmp_path):
    with pytest.raises(Unreadable, match="no list of Argilla"):
        read(tmp_path, {"image": "a.png", "label": "x"})
