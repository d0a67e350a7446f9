"""Potato's answers. The files are what Potato 2.12.1 wrote: its server had our export of a task (`tests/doors`),
two people answered through it, and `python -m potato.export` made CSV and JSONL of that."""

import json
import shutil
from pathlib import Path

import pytest

from annotations.models import Study
from judges.intake import bring_in
from jurybox_formats import guess_format
from jurybox_formats.registry import Source
from jurybox_formats.sources.records import Unreadable
from tests.doors import sample
from tests.formats.sets.reading import Read

WRITTEN = Path(__file__).parent / "files" / "potato-2.12.1"
# Potato has an address of mail as her name.
ANN = "annotator-ae22cab1f9"
GOOD = {
    "fit": "Yes",
    "stars": "Good",
    "seen": "Red|Circle",
    "count": "2",
    "remark": "fine, “really”",
}
BAD = {"fit": "No", "stars": "Bad", "seen": "Sky", "count": "0.5"}
ANSWERS = {
    ("early-0", ANN): GOOD,
    ("early-1", ANN): BAD,
    ("early-2", ANN): BAD | {"remark": "两个圆"},
    ("early-0", "ben"): BAD,
    ("early-1", "ben"): GOOD,
}


def answers_in(found):
    given = {}
    for one in found.labels:
        given.setdefault((one.image, one.rater), {})[one.question] = one.value
    return given


@pytest.mark.parametrize(
    "name", ["task", "task/annotation_output", "annotations.jsonl", "annotations.csv"]
)
def test_what_potato_wrote_says_who_answered_what(name):
    found = Read("potato", WRITTEN / name)
    assert found.rejected == []
    assert answers_in(found) == ANSWERS
    assert guess_format.guess(WRITTEN / name) == ("potato", "study")


def test_the_items_of_a_task_are_its_images():
    found = Read("potato", WRITTEN / "task")
    assert len(found.images) == 8 and len(found.prompts) == 4
    alone = Read("potato", WRITTEN / "annotations.csv")
    assert alone.images == []


@pytest.mark.django_db
def test_a_study_goes_to_potato_and_its_answers_come_back(tmp_path):
    """The answers are to the task that this study sends out."""
    study = sample.study(answered=False)
    sent = sample.unzip(sample.export(study, tmp_path / "task.zip", "images", format="potato"))
    assert (sent / "data/images.jsonl").read_text() == (
        WRITTEN / "task/data/images.jsonl"
    ).read_text()
    outcome = bring_in.import_labels(
        study=study, format="potato", source=Source(WRITTEN / "annotations.jsonl")
    )
    assert (outcome.rejected, outcome.answers) == ([], 23)
    rows = sample.rows(study)
    assert ("early-0", "ben", "stars", 1, "") in rows
    assert ("early-0", ANN, "seen", "r|c", "") in rows
    assert ("early-0", "ben", "count", 0.5, "") in rows
    assert ("early-2", ANN, "remark", "两个圆", "") in rows


@pytest.mark.django_db
def test_those_who_move_from_potato_get_a_study_that_asks_what_was_asked_there():
    outcome = bring_in.import_study(slug="moved", format="potato", source=Source(WRITTEN / "task"))
    assert (outcome.rejected, outcome.images, outcome.answers) == ([], 8, 23)
    asked = {q["name"] for q in Study.objects.get(slug="moved").form.questions}
    assert asked == {"fit", "stars", "seen", "count", "remark"}


def line(**more):
    return {"instance_id": "a", "user_id": "ann", "labels": {"fit": {"Yes": "Yes"}}} | more


def read(folder, *lines):
    text = "".join(json.dumps(one) + "\n" for one in lines)
    (folder / "annotations.jsonl").write_text(text)
    return Read("potato", folder / "annotations.jsonl")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (line(instance_id=""), "“instance_id” is empty"),
        (line(user_id=None), "“user_id” must be a text or a number"),
        (line(labels=[]), "“labels” must be an object"),
        (line(labels={"fit": {"a": "x", "b": "y"}}), "one value, or the choices ticked"),
        (line(labels={"fit": {"a": None}}), "a number, a text or choices"),
        (line(instance_id="b"), "ann answered about b twice"),
    ],
)
def test_a_line_that_cannot_be_taken_is_named_and_the_others_are_read(tmp_path, wrong, words):
    found = read(tmp_path, line(instance_id="b"), wrong)
    assert [(row.line, words in row.reason) for row in found.rejected] == [(2, True)]
    assert [label.image for label in found.labels] == ["b"]


def test_machines_and_spans_are_left_out_and_counted(tmp_path):
    spans = {"part": [{"start": 0, "end": 2}, {"start": 3, "end": 4}]}
    machine = line(instance_id="m", annotator_origin={"kind": "model"})
    found = read(tmp_path, line(spans=spans), machine)
    said = " ".join(remark.words for remark in found.remarks)
    assert "2 × spans and other marks" in said
    assert "1 × answers of machines" in said
    assert len(found.labels) == 1


def test_a_torn_state_is_refused_with_its_place(tmp_path):
    folder = tmp_path / "task"
    shutil.copytree(WRITTEN / "task", folder)
    state = folder / "annotation_output" / "ben" / "user_state.json"
    state.write_text(state.read_text()[:300])
    with pytest.raises(Unreadable, match="not sound JSON"):
        Read("potato", folder)
    state.write_text("{}")
    with pytest.raises(Unreadable, match="no state of a person of Potato"):
        Read("potato", folder)


def test_what_holds_no_answers_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("id,text\n1,a\n")
    with pytest.raises(Unreadable, match="holds no answers of Potato"):
        Read("potato", tmp_path)
