import json

import pytest

from judges.intake import bring_in
from jurybox_formats.registry import Source, records
from jurybox_formats.sources.records import (
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptRecord,
    Rejected,
    Remark,
    ScoreRecord,
    Unreadable,
)
from tests import making


@pytest.fixture
def folder(tmp_path):
    for name in ("a/1.png", "a/2.png", "b/3.png"):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(making.png())
    return tmp_path / "in"


def read(path, format="table", **more):
    found = {}
    for record in records(format, Source(path, **more)):
        found.setdefault(type(record), []).append(record)
    return found


TABLE = """path,caption,model,rating,rater
a/1.png,a red cup,SDXL,5,ann
a/2.png,two dogs,SDXL,1,ann
3.png,a red cup,FLUX,4,ann
a/1.png,a red cup,SDXL,2,ben
b/9.png,a red cup,FLUX,2,ben
"""


def test_a_table_beside_pictures_becomes_prompts_images_and_labels(folder):
    (folder / "images.csv").write_text(TABLE)
    found = read(folder)
    assert [r.text for r in found[PromptRecord]] == ["a red cup", "two dogs"]
    assert [(r.key, r.generator, r.content) for r in found[ImageRecord]] == [
        ("a/1.png", "SDXL", folder / "a/1.png"),
        ("a/2.png", "SDXL", folder / "a/2.png"),
        ("b/3.png", "FLUX", folder / "b/3.png"),
    ]
    assert [(r.image, r.rater, r.question, r.value) for r in found[LabelRecord]] == [
        ("a/1.png", "ann", "rating", 5),
        ("a/2.png", "ann", "rating", 1),
        ("b/3.png", "ann", "rating", 4),
        ("a/1.png", "ben", "rating", 2),
    ]
    assert found[Rejected] == [
        Rejected("path", "b/9.png", "There is no such picture.", 6, "images.csv")
    ]


@pytest.mark.parametrize("alone", [True, False])
def test_a_picture_of_a_kind_that_is_not_taken_is_called_so(alone, tmp_path):
    (tmp_path / "anim.gif").write_bytes(b"GIF89a")
    if not alone:
        (tmp_path / "1.png").write_bytes(b"")
    (tmp_path / "images.csv").write_text("path,prompt,model\nanim.gif,a red cup,SDXL\n")
    words = "anim.gif is not a PNG, JPEG or WebP picture."
    assert read(tmp_path)[Rejected] == [Rejected("path", "anim.gif", words, 2, "images.csv")]


def test_a_column_is_what_a_person_says_that_it_is(folder):
    (folder / "images.csv").write_text(TABLE)
    found = read(
        folder, columns={"rating": "ignore", "model": "tags", "images.csv:rater": "ignore"}
    )
    assert LabelRecord not in found
    assert {r.name for r in found[GeneratorRecord]} == {"a", "b"}
    assert found[PromptRecord][0].tags == ("SDXL",)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"nothing": "prompt"}, "no column “nothing”"),
        ({"rating": "colour"}, "nothing that a column can be"),
        ({"rating": "prompt", "caption": "prompt"}, "are both “prompt”"),
        ({"path": "ignore"}, "None of the 5 columns of images.csv names the pictures"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(folder, columns, words):
    (folder / "images.csv").write_text(TABLE)
    with pytest.raises(Unreadable, match=words):
        read(folder, columns=columns)


def test_a_guess_gives_way_to_what_a_person_says(folder):
    (folder / "images.csv").write_text("path,caption,text,model\na/1.png,x y z,a cat,SDXL\n")
    found = read(folder, columns={"text": "prompt"})
    assert [r.text for r in found[PromptRecord]] == ["a cat"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.tsv", "path\tcaption\tmodel\na/1.png\ta, red cup\tSDXL\n"),
        ("t.csv", "path;caption;model\na/1.png;a, red cup;SDXL\n"),
        ("t.jsonl", json.dumps({"path": "a/1.png", "caption": "a, red cup", "model": "SDXL"})),
        ("t.json", json.dumps([{"path": "a/1.png", "caption": "a, red cup", "model": "SDXL"}])),
    ],
)
def test_every_kind_of_table_is_read(folder, name, content):
    (folder / name).write_text(content)
    found = read(folder)
    assert [(r.text, r.line) for r in found[PromptRecord]][0][0] == "a, red cup"
    assert [r.generator for r in found[ImageRecord]] == ["SDXL"]
    left = [r.words for r in found[Remark] if "left out" in r.words]
    assert left == ["2 files were left out (no row names them): a/2.png, b/3.png."]


def test_labels_and_scores_may_stand_in_tables_of_their_own(folder):
    (folder / "images.csv").write_text("id,path,caption,model\ni1,a/1.png,a cup,SDXL\n")
    (folder / "answers.csv").write_text("path,annotator,aligned\na/1.png,ann,yes\n")
    (folder / "judged.csv").write_text("image_id,judge,score\ni1,clip,0.3\n")
    found = read(folder)
    assert [(r.image, r.value) for r in found[LabelRecord]] == [("i1", 1.0)]
    assert [(r.image, r.judge, r.score) for r in found[ScoreRecord]] == [("i1", "clip", 0.3)]


def test_without_a_table_of_images_names_say_what_the_pictures_are(tmp_path):
    for name in ("sdxl/a red cup.png", "flux/a red cup.png", "sdxl/a dog.png", "flux/a dog.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(making.png())
    (tmp_path / "rated.csv").write_text("file,rating\nsdxl/a red cup.png,3\nsdxl/a red cup.png,4\n")
    found = read(tmp_path)
    assert [(i.generator, i.prompt) for i in found[ImageRecord]] == [("sdxl", "a-red-cup")]
    assert [r.rater for r in found[LabelRecord]] == ["imported", "imported 2"]


def test_bare_pictures_with_captions_beside_them(folder):
    (folder / "a/1.txt").write_text("a red cup\n")
    (folder / "a/notes.md").write_text("x")
    found = read(folder, "pictures")
    assert [r.text for r in found[PromptRecord]][0] == "a red cup"
    assert [r.generator for r in found[ImageRecord]] == ["a", "a", "b"]
    assert any("a/notes.md" in r.words for r in found[Remark])


def test_pictures_of_nobody_are_by_unknown(tmp_path):
    (tmp_path / "a red cup.png").write_bytes(making.png())
    assert [r.generator for r in read(tmp_path, "pictures")[ImageRecord]] == ["unknown"]
    named = read(tmp_path, "pictures", generator="sdxl")
    assert [r.generator for r in named[ImageRecord]] == ["sdxl"]


def test_a_folder_without_pictures_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(Unreadable, match="holds no picture"):
        read(tmp_path, "pictures")
    with pytest.raises(Unreadable, match="no row|is a picture or a prompt"):
        read(tmp_path)


def test_a_table_with_a_header_alone_is_refused(tmp_path):
    (tmp_path / "a.csv").write_text("path,caption\n")
    with pytest.raises(Unreadable, match="has a header and no rows"):
        read(tmp_path / "a.csv")


def test_a_column_without_a_name_is_nobodys(tmp_path):
    (tmp_path / "a.csv").write_text("path,caption,\nx.png,a red cup,not a date\n")
    found = read(tmp_path / "a.csv")
    assert [(r.name, r.release_date) for r in found[GeneratorRecord]] == [("unknown", None)]


@pytest.mark.django_db
@pytest.mark.parametrize("file", ["\ud800", ["\ud800"], ["\ud800", None], {"\ud800": 1}])
def test_half_a_character_in_an_object_is_refused_or_taken_and_nothing_breaks(tmp_path, file):
    (tmp_path / "a.json").write_text(json.dumps([{"file": file, "prompt": "a", "label": 1}]))
    outcome = bring_in.import_study(
        slug="half", format="table", source=Source(tmp_path / "a.json"), strict=False
    )
    assert all(row["reason"].endswith(".") for row in outcome.rejected)
