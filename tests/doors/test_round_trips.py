"""A study goes out to each tool, and what comes back is what was sent."""

import json

import pytest

from annotations.exports.files import ExportRefused
from annotations.forms.versions import publish_form
from judges.intake import bring_in
from jurybox_formats import guess_format
from jurybox_formats.forms.definition import Form, Question
from jurybox_formats.registry import Source
from tests import making
from tests.doors import sample

pytestmark = pytest.mark.django_db
SENT = sample.SENT


@pytest.mark.parametrize("tool", ["label_studio", "argilla", "doccano"])
def test_every_answer_comes_back_to_the_same_person(tmp_path, tool):
    study = sample.study()
    out = sample.export(
        study, tmp_path / f"sent.{'zip' if tool != 'label_studio' else 'json'}", format=tool
    )
    source = out if tool == "label_studio" else sample.unzip(out)
    before = sample.rows(study, "everybody")
    assert len(before) == SENT
    assert guess_format.guess(source) == (tool, "study")
    outcome = bring_in.import_labels(study=study, format=tool, source=Source(source))
    # The same people's same answers: nothing is new.
    assert (outcome.rejected, outcome.answers, outcome.unchanged) == ([], 0, SENT)
    again = sample.study("again", answered=False)
    outcome = bring_in.import_labels(study=again, format=tool, source=Source(source))
    assert (outcome.rejected, outcome.answers) == ([], SENT)
    assert sample.rows(again) == before


def test_argilla_s_settings_hold_each_question_with_its_choices(tmp_path):
    folder = sample.unzip(sample.export(sample.study(), tmp_path / "a.zip", format="argilla"))
    settings = json.loads((folder / ".argilla" / "settings.json").read_text())
    kinds = {q["name"]: q["type"] for q in settings["questions"]}
    assert kinds == {
        "fit": "label_selection",
        "stars": "label_selection",
        "seen": "multi_label_selection",
        # Argilla has a method of this name.
        "count--": "text",
        "remark": "text",
        "atom--0": "label_selection",
        "atom--1": "label_selection",
    }
    records = json.loads((folder / "records.json").read_text())
    options = {
        q["name"]: {o["value"] for o in q["settings"]["options"]}
        for q in settings["questions"]
        if "options" in q["settings"]
    }
    given = {
        one
        for record in records
        for name, answers in record["responses"].items()
        for answer in answers
        for one in (answer["value"] if isinstance(answer["value"], list) else [answer["value"]])
        if name in options and one not in options[name]
    }
    assert given == set()


def test_files_of_people_have_names_that_folders_can_have(tmp_path):
    study = sample.study()
    for old, new in (("ann", "a/b:c"), ("ben", "all"), ("cleo", "A_b_c")):
        study.memberships.filter(name=old).update(name=new)
    out = sample.export(study, tmp_path / "d.zip", format="doccano", people="nobody")
    folder = sample.unzip(out)
    names = sorted(file.name for file in folder.iterdir())
    assert names == ["A_b_c (2).jsonl", "a_b_c.jsonl", "all (2).jsonl"]


def test_an_empty_study_goes_out_as_empty_files(tmp_path):
    study = sample.study(answered=False)
    for tool in ("argilla", "doccano"):
        folder = sample.unzip(sample.export(study, tmp_path / f"{tool}.zip", format=tool))
        records = folder / "records.json"
        assert not records.exists() or json.loads(records.read_text()) == []


def test_a_task_of_potato_says_what_it_cannot_ask(tmp_path):
    study = sample.study(answered=False)
    folder = sample.unzip(sample.export(study, tmp_path / "p.zip", "images", format="potato"))
    about = json.loads((folder / "README.json").read_text())
    assert about["images"] == 8
    assert about["left_out"] == [
        "atom: about each part of a prompt",
        "the pictures: export with them, or put them into media/",
    ]
    lines = [json.loads(line) for line in (folder / "data/images.jsonl").read_text().splitlines()]
    assert set(lines[0]) == {"id", "prompt", "image"}
    withs = sample.export(study, tmp_path / "q.zip", "images", format="potato", pictures=True)
    folder = sample.unzip(withs)
    assert all((folder / line["image"].lstrip("/")).is_file() for line in lines)


def test_a_form_that_potato_cannot_ask_is_refused(tmp_path):
    study = making.study()
    study.form = publish_form(Form("m", "M", "", (Question("where", "Where?", kind="mark"),)))
    with pytest.raises(ExportRefused, match="None of this study’s questions"):
        sample.export(study, tmp_path / "p.zip", "images", format="potato")
