"""doccano's JSONL of image classification. The files are what the exporter of doccano 1.8.4 wrote: of a project of
pictures with two people, and of our own export, imported there by its own importer as texts with labels."""

import json
from collections import Counter
from pathlib import Path

import pytest

from annotations.models import Answer, Study
from judges.intake import bring_in
from jurybox_formats import guess_format
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import Unreadable
from tests.doors import sample
from tests.formats.example import Example
from tests.formats.sets.reading import Read

LABELLED = {"id": 1, "filename": "a.png", "prompt": "a cat", "label": ["fits"], "Comments": []}
EXAMPLES = {
    "doccano": Example(
        {"ann.jsonl": json.dumps(LABELLED) + "\n"},
        {"ann.jsonl": '{"id": 1, "filename": "a.png", "bbox": []}\n'},
        "no export of image classification",
    )
}
WRITTEN = Path(__file__).parent / "files" / "doccano-1.8.4"


def test_what_doccano_wrote_says_who_gave_which_label():
    found = Read("doccano", WRITTEN / "image")
    assert found.rejected == []
    assert [(i.key, i.generator) for i in found.images] == [
        ("cup.png", "sd"),
        ("dog.png", "flux"),
        ("tree.png", "sd"),
    ]
    assert [(one.image, one.rater, one.value) for one in found.labels] == [
        ("cup.png", "ann", "fits|sharp"),
        ("dog.png", "ann", "fits"),
        ("cup.png", "ben", "bad"),
        ("dog.png", "ben", "fits"),
        ("tree.png", "ben", "bad"),
    ]


@pytest.mark.django_db
def test_what_went_to_doccano_and_came_back_are_the_same_answers():
    study = sample.study(answered=False)
    source = Source(WRITTEN / "returned")
    outcome = bring_in.import_labels(study=study, format="doccano", source=source)
    assert (outcome.rejected, outcome.answers) == ([], sample.SENT)
    assert sample.answers(study) == sample.answers(sample.study("sent"))
    assert Counter(row[1].startswith("person-") for row in sample.rows(study)) == {
        True: sample.SENT
    }


def line(number, file, *labels, **meta):
    return {"id": number, "filename": file, **meta, "label": list(labels), "Comments": []}


def wrote(folder, **files):
    for name, lines in files.items():
        text = "".join(json.dumps(one) + "\n" for one in lines)
        (folder / f"{name}.jsonl").write_text(text)
    return folder


CUP = line(1, "cup.png", "fits", "sharp", prompt="a red cup", model="sd")
DOG = line(2, "dog.png", "fits", prompt="two dogs", model="flux")


def test_each_person_s_file_holds_their_labels(tmp_path):
    bare = line(3, "tree.png", prompt="a tree")
    found = Read("doccano", wrote(tmp_path, ann=[CUP, DOG, bare], ben=[DOG]))
    assert found.rejected == []
    assert [(i.key, i.generator) for i in found.images] == [
        ("cup.png", "sd"),
        ("dog.png", "flux"),
        ("tree.png", "unknown"),
    ]
    assert [(one.image, one.rater, one.question, one.value) for one in found.labels] == [
        ("cup.png", "ann", "label", "fits|sharp"),
        ("dog.png", "ann", "label", "fits"),
        ("dog.png", "ben", "label", "fits"),
    ]
    assert "1 × images that nobody gave a label" in found.remarks[-1].words


def test_of_a_project_labelled_together_nobody_is_named(tmp_path):
    found = Read("doccano", wrote(tmp_path, all=[DOG]) / "all.jsonl")
    assert [label.rater for label in found.labels] == ["doccano"]
    assert "does not say who" in found.remarks[0].words


@pytest.mark.django_db
def test_a_study_asks_for_the_labels(tmp_path):
    wrote(tmp_path, ann=[CUP | {"label": ["bad"]}, DOG], ben=[CUP | {"label": ["bad"]}, DOG])
    assert guess_format.guess(tmp_path) == ("doccano", "study")
    outcome = bring_in.import_study(slug="moved", format="doccano", source=Source(tmp_path))
    assert (outcome.rejected, outcome.images, outcome.answers) == ([], 2, 4)
    (question,) = Study.objects.get(slug="moved").form.questions
    assert [choice["value"] for choice in question["choices"]] == ["bad", "fits"]
    assert set(Answer.objects.values_list("annotation__annotator__name", "text")) == {
        ("ann", "bad"),
        ("ann", "fits"),
        ("ben", "bad"),
        ("ben", "fits"),
    }


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (CUP | {"label": "fits"}, "must be a list of texts"),
        (CUP | {"label": [1]}, "must be a list of texts"),
        (CUP | {"filename": ""}, "“filename” is empty"),
        (DOG, "dog.png stands twice in this file"),
    ],
)
def test_a_line_that_cannot_be_taken_is_named_and_the_others_are_read(tmp_path, wrong, words):
    found = Read("doccano", wrote(tmp_path, ann=[DOG, wrong]))
    assert [(row.line, words in row.reason) for row in found.rejected] == [(2, True)]
    assert [label.image for label in found.labels] == ["dog.png"]


def test_boxes_and_captions_are_no_classification(tmp_path):
    with pytest.raises(Unreadable, match="no export of image classification"):
        Read("doccano", wrote(tmp_path, ann=[{"id": 1, "filename": "a.png", "bbox": []}]))
