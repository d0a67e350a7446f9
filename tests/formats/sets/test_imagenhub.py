"""ImagenHub's ratings: every cell of every rater, with the place of what cannot be read."""

from __future__ import annotations

import json
import math

import pytest

from jurybox_formats.guess_format import guess
from jurybox_formats.sets.imagenhub import read
from jurybox_formats.sources.records import (
    ImageRecord,
    LabelRecord,
    PromptPictureRecord,
    PromptRecord,
    Rejected,
    Unreadable,
)
from tests import making, needs
from tests.formats.example import Example

EXAMPLES = {
    "imagenhub": Example(
        {"E_rater1.tsv": "uid\tone\na.jpg\t[0.5, 1]\n"},
        {"E_rater1.tsv": "name\tone\n"},
        "begin with “uid”",
    )
}
FILES = needs.SHARED / "data" / "imagenhub"
ROWS = "uid\tone\ttwo\n a.jpg\t[0.5, 1]\t[1,1]\nb.jpg\t[0,0]\t[0.5,0.5]\n"


@pytest.fixture
def ratings(tmp_path):
    (tmp_path / "Edit_rater1.tsv").write_text(ROWS)
    (tmp_path / "Edit_rater2.tsv").write_text(ROWS)
    return tmp_path


def of(kind, records):
    return [record for record in records if type(record) is kind]


def test_each_cell_is_two_answers_and_their_overall(ratings):
    records = list(read(ratings))
    assert [(r.key, r.tags) for r in of(PromptRecord, records)] == [
        ("a.jpg", ("Edit",)),
        ("b.jpg", ("Edit",)),
    ]
    assert [r.key for r in of(ImageRecord, records)] == [
        *("one/a.jpg", "two/a.jpg", "one/b.jpg", "two/b.jpg"),
    ]
    first = [(r.rater, r.question, r.value) for r in of(LabelRecord, records)[:3]]
    assert first == [
        ("rater1", "semantic_consistency", 0.5),
        ("rater1", "perceptual_quality", 1.0),
        ("rater1", "overall", math.sqrt(0.5)),
    ]
    assert len(of(LabelRecord, records)) == 2 * 2 * 2 * 3
    assert guess(ratings) == ("imagenhub", "study")


TASKS = {
    "Text-Guided_IE": ({"input": "source"}, "instruction"),
    "Mask-Guided_IE": ({"input": "source", "mask": "mask"}, "instruction"),
    "Subject-Driven_IE": ({"input": "source", "token": "reference"}, "subject"),
    "Text-To-Image": ({}, "prompt"),
    "Subject-Driven_IG": ({"input": "reference"}, "prompt"),
    "Control-Guided_IG": ({"input": "reference"}, "text"),
    "Multi-Concept_IC": ({"input": "reference-1", "token": "reference-2"}, "prompt"),
}


def test_the_pictures_of_each_task_stand_in_their_places(tmp_path):
    for task, (folders, name) in TASKS.items():
        (tmp_path / f"{task}_rater1.tsv").write_text("uid\tone\nx.jpg\t[0.5, 1]\n")
        there = tmp_path / f"ImagenHub_{task}"
        for folder in (*folders, "one"):
            (there / folder).mkdir(parents=True)
            (there / folder / "x.jpg").write_bytes(making.png())
        (there / "dataset_lookup.json").write_text(json.dumps({"x.jpg": {name: f"About {task}"}}))
    records = list(read(tmp_path, tmp_path))
    assert {r.key: r.text for r in of(PromptRecord, records)} == {
        f"{task}/x.jpg": f"About {task}" for task in TASKS
    }
    assert {(r.prompt, r.place) for r in of(PromptPictureRecord, records)} == {
        (f"{task}/x.jpg", place)
        for task, (folders, _) in TASKS.items()
        for place in folders.values()
    }
    assert all(record.content is not None for record in of(ImageRecord, records))


def test_pictures_and_instructions_that_lie_beside_come_along(ratings, tmp_path):
    (tmp_path / "dataset_lookup.json").write_text(json.dumps({"a.jpg": {"instruction": "Red"}}))
    for folder in ("input", "one"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.jpg").write_bytes(making.png())
    records = list(read(ratings, tmp_path))
    assert [r.text for r in of(PromptRecord, records)] == ["Red", "b.jpg"]
    assert [(r.prompt, r.place) for r in of(PromptPictureRecord, records)] == [("a.jpg", "source")]
    assert [r.key for r in of(ImageRecord, records) if r.content] == ["one/a.jpg"]


def test_items_of_several_tasks_do_not_meet(ratings):
    (ratings / "Draw_rater1.tsv").write_text(ROWS)
    keys = {record.key for record in of(PromptRecord, read(ratings))}
    assert keys == {"Edit/a.jpg", "Edit/b.jpg", "Draw/a.jpg", "Draw/b.jpg"}


@pytest.mark.parametrize(
    "cell", ["", "0.5", "[0.5]", "[0.5, 1, 1]", "[0.7, 1]", "[true, 1]", "[NaN, 1]", "[" * 60_000]
)
def test_a_cell_that_is_no_rating_is_named_with_its_line(tmp_path, cell):
    file = tmp_path / "Edit_rater1.tsv"
    file.write_text(f"uid\tone\ta\na.jpg\t[1,1]\t{cell}\n")
    records = list(read(file))
    [refused] = of(Rejected, records)
    assert (refused.line, refused.source) == (2, "Edit_rater1.tsv")
    assert refused.reason == "A rating is [SC, PQ], each 0, 0.5 or 1."
    assert len(of(LabelRecord, records)) == 3


@pytest.mark.parametrize("text", ["", "name\tone\n", "uid\n", "uid\tone\tone\n", "uid\t\n"])
def test_a_file_without_models_is_refused_whole(tmp_path, text):
    file = tmp_path / "Edit_rater1.tsv"
    file.write_text(text)
    with pytest.raises(Unreadable):
        list(read(file))


@pytest.mark.skipif(not FILES.is_dir(), reason="ImagenHub’s files are not beside the checkout.")
def test_the_published_files_are_read_whole():
    records = list(read(FILES))
    tasks = {r.tags[0] for r in of(PromptRecord, records)}
    assert tasks == {"Text-Guided_IE", "Text-To-Image"}
    # 197 prompts × 7 generators and 179 edits × 9 models, three raters, three answers each.
    assert len(of(ImageRecord, records)) == 197 * 7 + 179 * 9
    assert len(of(LabelRecord, records)) + 3 * len(of(Rejected, records)) == 9 * (197 * 7 + 179 * 9)
