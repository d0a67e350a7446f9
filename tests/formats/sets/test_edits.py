"""A folder of edits: sources, results of each model, and what was asked for."""

from __future__ import annotations

import pytest

from jurybox_formats.guess_format import guess
from jurybox_formats.sets.edits import read
from jurybox_formats.sources.records import (
    ImageRecord,
    Missing,
    PromptPictureRecord,
    PromptRecord,
    Rejected,
    Unreadable,
)
from tests import making

TABLE = "name,instruction,kind\ncup.png,Make it red,recolour\nhat,Remove the hat,remove;hard\n"


@pytest.fixture
def folder(tmp_path):
    for place in ("source", "mask", "flux", "qwen"):
        (tmp_path / place).mkdir()
        for name in ("cup", "hat"):
            (tmp_path / place / f"{name}.png").write_bytes(making.png())
    (tmp_path / "mask" / "cup.png").unlink()
    (tmp_path / "instructions.csv").write_text(TABLE)
    return tmp_path


def of(kind, records):
    return [record for record in records if type(record) is kind]


def test_files_of_one_name_belong_together(folder):
    records = list(read(folder))
    assert [(r.key, r.text, r.tags, r.line) for r in of(PromptRecord, records)] == [
        ("cup", "Make it red", ("recolour",), 2),
        ("hat", "Remove the hat", ("remove", "hard"), 3),
    ]
    assert {(r.prompt, r.place) for r in of(PromptPictureRecord, records)} == {
        ("cup", "source"),
        ("hat", "source"),
        ("hat", "mask"),
    }
    assert [(r.key, r.prompt, r.generator) for r in of(ImageRecord, records)] == [
        ("flux/cup.png", "cup", "flux"),
        ("flux/hat.png", "hat", "flux"),
        ("qwen/cup.png", "cup", "qwen"),
        ("qwen/hat.png", "hat", "qwen"),
    ]
    assert of(Missing, records) == of(Rejected, records) == []
    assert guess(folder) == ("edits", "study")


def test_what_has_no_partner_is_named(folder):
    (folder / "qwen" / "hat.png").unlink()
    (folder / "flux" / "dog.png").write_bytes(making.png())
    (folder / "source" / "sun.png").write_bytes(making.png())
    (folder / "instructions.csv").write_text(f"{TABLE}moon,Add a moon,add\n,Nothing,\ncup,Again,\n")
    records = list(read(folder))
    assert {r.what for r in of(Missing, records)} == {
        "instruction of source/sun.png",
        "result flux/sun",
        "result qwen/sun",
        "result qwen/hat",
    }
    assert {(r.field, r.value, r.line, r.reason) for r in of(Rejected, records)} == {
        ("file", "flux/dog.png", 0, "There is no source picture of this name."),
        ("name", "moon", 4, "There is no source picture of this name."),
        ("name", "", 5, "“name” is empty."),
        ("name", "cup", 6, "This name stood further up."),
    }


def test_without_a_table_a_text_beside_the_source_is_the_instruction(folder):
    (folder / "instructions.csv").unlink()
    for name in ("cup", "hat"):
        (folder / "source" / f"{name}.txt").write_text(f"Change the\n {name}")
    assert [r.text for r in of(PromptRecord, read(folder))] == ["Change the cup", "Change the hat"]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("a,b\n1,2\n", "needs a column “name”"),
        ("name,note\ncup,x\n", "and a column “instruction”; it has name, note."),
    ],
)
def test_a_table_that_says_no_instruction_is_refused_with_its_columns(folder, table, words):
    (folder / "instructions.csv").write_text(table)
    with pytest.raises(Unreadable, match=words):
        list(read(folder))


def test_a_folder_without_sources_is_none_of_edits(folder):
    (folder / "source").rename(folder / "third")
    assert guess(folder)[0] != "edits"
    with pytest.raises(Unreadable, match="no folder “source”"):
        list(read(folder))
