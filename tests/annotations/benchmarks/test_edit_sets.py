"""GEdit-Bench, ImgEdit, KRIS-Bench and RISEBench from files of their own layouts, drawn here."""

import json
from pathlib import Path

import pytest

from annotations.benchmarks.guess_format import guess
from annotations.benchmarks.registry import FORMATS, Source, records
from annotations.forms.papers import edits as forms
from annotations.forms.versions import publish_form
from annotations.imports import write_study
from annotations.imports.outcome import Outcome
from annotations.models import PromptPicture, Study
from annotations.sources.records import (
    ImageRecord,
    Missing,
    PromptPictureRecord,
    PromptRecord,
    Rejected,
    Remark,
    Unreadable,
)
from tests import making

MODELS = ("flux", "qwen")


def put(path: Path, text: str | None = None) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        path.write_bytes(making.png())
    else:
        path.write_text(text)


def gedit(root: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    rows = [
        {
            "task_type": kind,
            "key": f"k{number}",
            "instruction": f"{kind} {number} {language}",
            "instruction_language": language,
            "input_image": {"bytes": making.png(), "path": None},
            "Intersection_exist": number == 0,
        }
        for number, kind in enumerate(("color_alter", "subject-remove"))
        for language in ("en", "cn")
    ]
    put(root / "data" / "about.txt", "A card.")
    parquet.write_table(pyarrow.Table.from_pylist(rows), root / "data" / "train-0.parquet")
    for model in MODELS:
        for row in rows:
            place = root / "results" / model / "fullset" / row["task_type"]
            put(place / row["instruction_language"] / f"{row['key']}.png")
            put(place / row["instruction_language"] / f"{row['key']}_SRCIMG.png")


def imgedit(root: Path) -> None:
    items = {
        "1082": {"id": "animal/1.jpg", "prompt": "Smooth the shell", "edit_type": "adjust"},
        "673": {"id": "style/2.jpg", "prompt": "Make it a woodcut", "edit_type": "style"},
    }
    put(root / "basic_edit.json", json.dumps(items))
    for item in items.values():
        put(root / "original_images" / item["id"])
    for model in MODELS:
        for key in items:
            put(root / "edited_images" / model / f"{key}.png")


def kris(root: Path) -> None:
    for category, source in (("physics", "a.jpg"), ("viewpoint_change", ["b.jpg", "c.jpg"])):
        item = {"ori_img": source, "gt_img": "", "ins_en": f"About {category}"}
        if category == "physics":
            item["explain_en"] = "It falls."
        else:
            item["gt_img"] = "d.jpg"
            put(root / "KRIS_Bench" / category / "d.jpg")
        put(root / "KRIS_Bench" / category / "annotation.json", json.dumps({"1": item}))
        for name in [source] if isinstance(source, str) else source:
            put(root / "KRIS_Bench" / category / name)
        for model in MODELS:
            put(root / "results" / model / category / "1.jpg")


def rise(root: Path) -> None:
    items = [
        {
            "index": "temporal_reasoning_1",
            "category": "temporal_reasoning",
            "subcategory": "common_sense",
            "instruction": "A year later",
            "image": ["temporal_reasoning_images/1.png"],
            "reference_txt": "A rotten banana",
        },
        {
            "index": "spatial_reasoning_2",
            "category": "spatial_reasoning",
            "instruction": "Swap them",
            "image": ["spatial_reasoning_images/2.png"],
            "reference_img": "spatial_reasoning_images/2_ref.png",
        },
    ]
    put(root / "data" / "data_total.json", json.dumps(items))
    for name in ("temporal_reasoning_images/1", "spatial_reasoning_images/2"):
        put(root / "data" / f"{name}.png")
    put(root / "data" / "spatial_reasoning_images" / "2_ref.png")
    for model in MODELS:
        for item in items:
            place = root / "outputs" / model / "images" / item["category"]
            put(place / f"{item['index']}.png")


# The layout → how many prompts and pictures of prompts it has.
LAYOUTS = {
    "gedit": (gedit, 4, 4),
    "imgedit": (imgedit, 2, 2),
    "kris": (kris, 2, 4),
    "rise": (rise, 2, 3),
}
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
