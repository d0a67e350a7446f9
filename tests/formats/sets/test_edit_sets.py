"""GEdit-Bench, ImgEdit, KRIS-Bench and RISEBench from files of their own layouts, drawn here."""

import json

import pytest

from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import PromptPicture, Study
from jurybox_formats.forms.papers import edits as forms
from jurybox_formats.guess_format import guess
from jurybox_formats.registry import FORMATS, Source, records
from jurybox_formats.sources.records import (
    ImageRecord,
    Missing,
    PromptPictureRecord,
    PromptRecord,
    Rejected,
    Remark,
    Unreadable,
)
from tests.formats.sets.edit_layouts import LAYOUTS, MODELS, imgedit, put

CASES = [(name, *case) for name, case in LAYOUTS.items()]


def of(kind, found):
    return [record for record in found if isinstance(record, kind)]


@pytest.mark.parametrize(("name", "make", "prompts", "pictures"), CASES)
def test_every_instruction_picture_and_result_comes(tmp_path, name, make, prompts, pictures):
    make(tmp_path)
    assert guess(tmp_path) == (name, "study")
    found = list(records(name, Source(tmp_path)))
    assert of(Rejected, found) == of(Missing, found) == []
    assert len(of(PromptRecord, found)) == prompts
    assert len(of(PromptPictureRecord, found)) == pictures
    images = of(ImageRecord, found)
    assert len(images) == len(MODELS) * prompts
    assert {image.generator for image in images} == set(MODELS)
    assert all(
        prompt.tags and prompt.metadata["benchmark"] == name for prompt in of(PromptRecord, found)
    )
    remarks = [remark.words for remark in of(Remark, found)]
    assert len(remarks) == (1 if name == "gedit" else 0)  # the dataset's card


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "make", "prompts", "pictures"), CASES)
def test_a_study_of_a_set_has_its_pictures_and_asks_its_form(
    tmp_path, settings, name, make, prompts, pictures
):
    settings.MEDIA_ROOT = tmp_path / "media"
    make(tmp_path / "set")
    form = next(one for one in forms.FORMS if one.slug == FORMATS[name].form)
    study = Study.objects.create(slug="set", title="Set", form=publish_form(form))
    outcome = Outcome()
    found = records(name, Source(tmp_path / "set"))
    write_study.import_records(study=study, records=found, outcome=outcome)
    assert outcome.rejected == []
    assert (study.prompts.count(), study.images.count()) == (prompts, 2 * prompts)
    assert PromptPicture.objects.filter(prompt__study=study).count() == pictures
    assert set(study.prompts.values_list("picture_count", flat=True)) <= {1, 2, 3}


def test_results_may_lie_elsewhere_and_be_of_one_model(tmp_path):
    imgedit(tmp_path / "set")
    put(tmp_path / "mine" / "1082.png")
    put(tmp_path / "mine" / "holiday.png")
    (tmp_path / "set" / "original_images" / "style" / "2.jpg").unlink()
    source = Source(tmp_path / "set", images=tmp_path / "mine", generator="kontext")
    found = list(records("imgedit", source))
    assert [(image.key, image.generator) for image in of(ImageRecord, found)] == [
        ("kontext/1082", "kontext")
    ]
    assert {one.what for one in of(Missing, found)} == {
        "picture style/2.jpg",
        "result kontext/673",
    }
    (remark,) = of(Remark, found)
    assert "holiday.png" in remark.words


def test_a_row_that_does_not_fit_is_named_with_its_line(tmp_path):
    items = {
        "1": {"id": "a.jpg", "prompt": "", "edit_type": "add"},
        "2": {"id": "../a.jpg", "prompt": "Add one", "edit_type": "add"},
        "3": {"id": "a.jpg", "prompt": "Add two", "edit_type": 7},
        "4": 5,
    }
    put(tmp_path / "basic_edit.json", json.dumps(items))
    refused = of(Rejected, records("imgedit", Source(tmp_path)))
    assert [(one.line, one.field) for one in refused] == [
        (1, "prompt"),
        (2, "image"),
        (3, "edit_type"),
        (4, "prompt"),
    ]


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_folder_without_instructions_is_refused(tmp_path, name):
    put(tmp_path / "other.json", "[1]")
    put(tmp_path / "a.png")
    with pytest.raises(Unreadable, match="holds no instructions of"):
        list(records(name, Source(tmp_path)))
