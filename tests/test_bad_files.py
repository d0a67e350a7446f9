"""Files that nobody should take: each is refused with words, and the database stays as it was."""

from __future__ import annotations

import io
import json
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest
from django.apps import apps
from PIL import Image as Picture

from annotations.errors import ImportRefused
from annotations.jobs import run as run_job
from annotations.models import Study
from judges.intake import bring_in, uploads
from judges.lake import score_files
from judges.models import Upload
from jurybox_formats.registry import FORMATS, Source
from jurybox_formats.sets.edit_sets.items import SETS as EDIT_SETS
from tests import making
from tests.annotations.pictures.test_store import animation, png_claiming
from tests.leaves import collect

pytestmark = pytest.mark.django_db

IMAGES = "image_id,prompt_id,prompt,generator,file\n"
LABELS = "image_id,rater,question,value\n"
SCORES = "image_id,judge,score,correct,atom,error\n"
GENEVAL = {"tag": "colors", "include": [{"class": "cat", "count": 1}], "prompt": "a photo of a cat"}
GENEVAL2 = {
    "prompt": "two cats",
    "atom_count": 2,
    "vqa_list": [["How many cats?", "two"], ["Are there cats?", "Yes"]],
    "skills": ["count", "object"],
}
M3 = {
    "total_number": 2,
    "categories": {"cup": [{"id": 1, "color": "red"}, {"id": 2, "color": "blue"}]},
    "relations": [],
    "prompt": "A photo-realistic image of two cups.",
}
TIFA = {
    "id": "t1",
    "caption": "a cat",
    "question": "a cat?",
    "choices": ["yes", "no"],
    "answer": "yes",
}
DSG = (
    "item_id,text,keywords,proposition_id,dependency,category_broad,category_detailed,tuple,"
    "question_natural_language\n"
)
CROWD = "Input.index,Input.prompt_id,Input.image_id,Input.caption,Answer.task-objects,Answer.task-quality\n"
GENAI = {"00001": {"id": "00001", "prompt": "a cat", "models": {"sd": [1, 2, 3]}}}


def lines(*items) -> bytes:
    return "".join(json.dumps(item) + "\n" for item in items).encode()


def picture(content: bytes):
    """A tidy table of one image, with this file."""
    return {"images.csv": IMAGES + "i1,p1,a cat,sd,a.png\n", "a.png": content}


def table_of(metadata: dict[bytes, bytes] | None = None, **columns) -> bytes:
    """A Parquet file; with metadata it has the columns of a judged lake's part."""
    import pyarrow
    import pyarrow.parquet

    out = pyarrow.BufferOutputStream()
    table = pyarrow.table(columns)
    if metadata is not None:
        table = pyarrow.Table.from_pylist([], schema=score_files.schema().with_metadata(metadata))
    pyarrow.parquet.write_table(table, out)
    return out.getvalue().to_pybytes()


def truncated_jpeg() -> bytes:
    out = io.BytesIO()
    making.noise(64, 64).save(out, "JPEG")
    return out.getvalue()[:-400]


def broken_png() -> bytes:
    content = bytearray(making.png(size=64))
    content[60] ^= 0xFF
    return bytes(content)


def moving(kind: str) -> bytes:
    """Many frames in a small file: each of them would be a picture to decode."""
    out = io.BytesIO()
    frames = [Picture.new("RGB", (8, 8), (shade, 0, 0)) for shade in range(200)]
    frames[0].save(out, kind, save_all=True, append_images=frames[1:])
    return out.getvalue()


def claiming(kind: str) -> bytes:
    """A small file whose header promises as many pixels as the format can."""
    out = io.BytesIO()
    Picture.new("RGB", (8, 8)).save(out, kind, quality=80)
    content = bytearray(out.getvalue())
    if kind == "JPEG":
        # The frame's header: mark, length, 8 bits a sample, height, width.
        place = content.index(b"\xff\xc0") + 5
        content[place : place + 4] = struct.pack(">HH", 65_500, 65_500)
    else:
        # A lossy frame begins with 9d 01 2a; width and height have 14 bits each.
        place = content.index(b"\x9d\x01\x2a") + 3
        content[place : place + 4] = struct.pack("<HH", 16_383, 16_383)
    return bytes(content)


# name -> (format, files or one file's content, words of the refusal)
STUDIES = {
    **{
        f"no {name}": (name, one.refused, one.words)
        for name, one in collect("EXAMPLES", "tests/formats").items()
    },
    "checklists of nothing": (
        "corebench",
        {"a.json": '{"a": {"Prompt": "x"}}'},
        "no prompts of T2I",
    ),
    "test points of nothing": (
        "unigenbench",
        {"a.csv": "index,prompt_en\n1,x\n"},
        "no prompts of Uni",
    ),
    "texts of nothing": ("longtext", {"a.jsonl": '{"prompt": "x"}\n'}, "no prompts of LongText"),
    "no table of DPG": ("dpg", {"a.csv": "item_id,text\n1,x\n"}, "no prompts of DPG"),
    "no explanation": (
        "wise",
        {"a.json": '[{"prompt_id": 1, "Prompt": "x"}]'},
        "no prompts of WISE",
    ),
    "no category": ("oneig", {"a.csv": "id,prompt_en\n1,x\n"}, "no prompts of OneIG"),
    "an empty list of data": ("cvtg", {"a.json": '{"data_list": []}'}, "no prompts of CVTG"),
    "no kind": ("tiif", {"a.jsonl": '{"short_description": "x"}\n'}, "no prompts of TIIF"),
    "empty": ("tidy", {"images.csv": b""}, "is empty"),
    "only blank lines": ("tidy", {"images.csv": b"\n\n \n"}, "is empty"),
    "a table without pictures or prompts": (
        "table",
        {"a.csv": "a,b,c,d,e,f,g,h,i,j\n" + "1.5,2,3,4,5,6,7,8,9,x\n"},
        "None of the 10 columns of a.csv is a picture or a prompt",
    ),
    "a picture where a table is wanted": ("table", {"a.csv": making.png()}, "not a text file"),
    "a dataset that is cut off": ("hf", {"a.parquet": b"PAR1" + bytes(40)}, "no sound Parquet"),
    "a table of text by Parquet's name": (
        "table",
        {"a.parquet": b"a,b\n1,2\n"},
        "no sound Parquet",
    ),
    "no list of tasks": ("label_studio", {"a.json": b'{"a": 1}'}, "no list of tasks"),
    "a task of Potato without answers": (
        "potato",
        {"images.jsonl": b'{"id": "a", "prompt": "a cat"}\n'},
        "holds no answers of Potato",
    ),
    "counts of Rapidata alone": (
        "rapidata",
        {"a.csv": b"originalFileName,option,count\na.png,Yes,2\n"},
        "split_details=True",
    ),
    "boxes of COCO": (
        "coco",
        {"a.json": b'{"images": [], "annotations": [{"image_id": 1, "bbox": []}]}'},
        "no captions of COCO",
    ),
    "answers of VQA without questions": (
        "vqa",
        {"a.json": b'{"annotations": [{"question_id": 1, "answers": []}]}'},
        "no questions of VQA",
    ),
    "a state of Potato without labels": (
        "potato",
        {"ann/user_state.json": b'{"user_id": "ann"}'},
        "no state of a person of Potato",
    ),
    "a table that is empty": ("table", {"a.csv": b"path,caption\n"}, "a header and no rows"),
    "no pictures at all": ("pictures", {"a.csv": "a,b\n"}, "no picture"),
    "utf-16": ("tidy", {"images.csv": (IMAGES + "i,p,x,g,\n").encode("utf-16")}, "UTF-16"),
    "latin-1": ("tidy", {"images.csv": (IMAGES + "i,p,caf\xe9,g,\n").encode("latin-1")}, "UTF-8"),
    "a nul byte": ("tidy", {"images.csv": IMAGES + "i\0,p,x,g,\n"}, "NUL"),
    "a picture as a table": ("tidy", {"images.csv": making.png()}, "not a text file"),
    "an archive as a table": ("tidy", {"images.csv": b"PK\x03\x04abc"}, "is an archive"),
    "gzip as a table": ("tidy", {"images.csv": b"\x1f\x8b\x08abc"}, "is an archive"),
    "no such columns": ("tidy", {"images.csv": "a,b\n1,2\n"}, "has no column “image_id”"),
    "a column twice": (
        "tidy",
        {"images.csv": IMAGES.replace("file", "prompt") + "i,p,x,g,x\n"},
        "more than once",
    ),
    "too few cells": ("tidy", {"images.csv": IMAGES + "i1,p1\n"}, "2 cells, the header has 5"),
    "too many cells": ("tidy", {"images.csv": IMAGES + "i,p,x,g,,,\n"}, "7 cells"),
    "an unclosed quote": (
        "tidy",
        {"images.csv": IMAGES + 'i,p,"x,g,\n' + "y" * 200_000},
        "never closed",
    ),
    "a huge field": (
        "tidy",
        {"images.csv": IMAGES + f"i,p,{'x' * 140_000},g,\n"},
        "longer than 131,072 characters",
    ),
    "a line without end": (
        "tidy",
        {"images.csv": IMAGES + "i,p,x,g," + "a" * 5_000_000},
        "not endlessly long",
    ),
    "an id too long": ("tidy", {"images.csv": IMAGES + f"{'i' * 300},p,x,,\n"}, "is empty"),
    "a long id": ("tidy", {"images.csv": IMAGES + f"i,{'p' * 300},x,g,\n"}, "longer than 200"),
    "an empty prompt": ("tidy", {"images.csv": IMAGES + "i,p, ,g,\n"}, "“prompt” is empty"),
    "a file outside": ("tidy", {"images.csv": IMAGES + "i,p,x,g,../../etc/passwd\n"}, "below"),
    "an absolute file": ("tidy", {"images.csv": IMAGES + "i,p,x,g,/etc/passwd\n"}, "below"),
    "a file that is not there": (
        "tidy",
        {"images.csv": IMAGES + "i,p,x,g,b.png\n"},
        "no such file",
    ),
    "an unknown variant": (
        "tidy",
        {"images.csv": IMAGES.replace("file", "variant") + "i,p,x,g,third\n"},
        "original or rewritten",
    ),
    "atomicity in words": (
        "tidy",
        {"images.csv": IMAGES.replace("file", "atomicity") + "i,p,x,g,many\n"},
        "must be a number",
    ),
    "metadata that is no object": (
        "tidy",
        {"images.csv": IMAGES.replace("file", "metadata") + "i,p,x,g,[1]\n"},
        "JSON object",
    ),
    "atoms in a circle": (
        "tidy",
        {
            "images.jsonl": lines(
                {
                    "image_id": "i",
                    "prompt_id": "p",
                    "prompt": "x",
                    "generator": "g",
                    "atoms": [
                        {"kind": "object", "parents": [1]},
                        {"kind": "object", "parents": [0]},
                    ],
                }
            )
        },
        "in a circle",
    ),
    "an svg": ("tidy", picture(b"<svg onload='alert(1)'/>"), "not a PNG, JPEG or WebP"),
    "a gif": ("tidy", picture(b"GIF89a" + b"\0" * 40), "not a PNG, JPEG or WebP"),
    "a truncated png": ("tidy", picture(making.png(size=64)[:-40]), "damaged"),
    "a png with a flipped bit": ("tidy", picture(broken_png()), "damaged"),
    "a truncated jpeg": ("tidy", picture(truncated_jpeg()), "damaged"),
    "a picture of 3.6 billion pixels": ("tidy", picture(png_claiming(60_000, 60_000)), "pixels"),
    "a png that promises more": ("tidy", picture(png_claiming(4_000, 4_000)), "damaged"),
    "a png of 65,500 by 65,500": ("tidy", picture(png_claiming(65_500, 65_500)), "pixels"),
    "a jpeg of 65,500 by 65,500": ("tidy", picture(claiming("JPEG")), "pixels"),
    "a webp of 16,383 by 16,383": ("tidy", picture(claiming("WEBP")), "pixels"),
    "an animation": ("tidy", picture(animation()), "animation"),
    "a webp that moves": ("tidy", picture(moving("WEBP")), "animation"),
    "a gif that moves": ("tidy", picture(moving("GIF")), "not a PNG, JPEG or WebP"),
    "an empty picture": ("tidy", picture(b""), "not a PNG, JPEG or WebP"),
    **{
        f"{name} without instructions": (
            name,
            {"annotation.json": b'{"1": {"ins": "x"}}'},
            "holds no instructions of",
        )
        for name in EDIT_SETS
    },
    "edits without sources": ("edits", {"a.csv": b"name,instruction\n"}, "no folder “source”"),
    "truncated json": ("genai_bench", {"a.json": b'{"00001": {"id": "0'}, "not sound JSON"),
    "json nested deeply": ("genai_bench", {"a.json": b"[" * 100_000}, "nested too deeply"),
    "json with NaN": ("genai_bench", {"a.json": b'{"a": NaN}'}, "NaN is no JSON number"),
    "json with a key twice": ("genai_bench", {"a.json": b'{"a": {}, "a": {}}'}, "stands twice"),
    "json in latin-1": ("genai_bench", {"a.json": b'{"a": "caf\xe9"}'}, "not UTF-8"),
    "json with a nul": ("genai_bench", {"a.json": b'{"a": "\\u0000"}'}, "NUL"),
    "the teaser": (
        "genai_bench",
        {"a.json": lines({"1": {"prompt": "x", "models": {"sd": {"human": "5.00"}}}})},
        "teaser",
    ),
    "ratings of no prompt": ("genai_bench", {"a.json": lines({"1": {"models": {}}})}, "“prompt”"),
    "an id that is another": (
        "genai_bench",
        {"a.json": lines({"1": {"id": "2", "prompt": "x", "models": {}}})},
        "is called",
    ),
    "a list of prompts": ("genai_bench", {"a.json": b"[1, 2]"}, "no object of prompts"),
    "half a line of jsonl": ("geneval", {"a.jsonl": lines(GENEVAL)[:30]}, "Not sound JSON"),
    "no clauses": ("geneval", {"a.jsonl": lines({**GENEVAL, "include": []})}, "at least one"),
    "a count of none": (
        "geneval",
        {"a.jsonl": lines({**GENEVAL, "include": [{"class": "cat", "count": 0}]})},
        "at least 1",
    ),
    "a relation to itself": (
        "geneval",
        {
            "a.jsonl": lines(
                {**GENEVAL, "include": [{"class": "c", "count": 1, "position": ["above", 0]}]}
            )
        },
        "a clause before it",
    ),
    "an unknown relation": (
        "geneval",
        {
            "a.jsonl": lines(
                {
                    **GENEVAL,
                    "include": [
                        {"class": "c", "count": 1},
                        {"class": "d", "count": 1, "position": ["near", 0]},
                    ],
                }
            )
        },
        "“position” must be",
    ),
    "results without boxes": (
        "geneval",
        {"results.jsonl": lines({"filename": "00000/samples/0.png", "correct": True})},
        "“reason” is missing",
    ),
    "results of a nameless picture": (
        "geneval",
        {"results.jsonl": lines({"filename": "x.png", "correct": True})},
        "must end like",
    ),
    "a folder of nothing": ("geneval", {"notes/readme.txt": b"x"}, "holds neither"),
    "crowd answers cut short": ("geneval", {"a.csv": CROWD + "1_0,1,0\n"}, "3 cells"),
    "crowd answers of no prompt": (
        "geneval",
        {"a.csv": CROWD + "x,y,z,cap,cat,4\n"},
        "whole numbers",
    ),
    "skills without questions": (
        "geneval2",
        {"a.jsonl": lines({**GENEVAL2, "skills": ["count"]})},
        "each needs one",
    ),
    "an unknown skill": (
        "geneval2",
        {"a.jsonl": lines({**GENEVAL2, "skills": ["count", "magic"]})},
        "A skill is one of",
    ),
    "a wrong number of atoms": (
        "geneval2",
        {"a.jsonl": lines({**GENEVAL2, "atom_count": 7})},
        "that makes 2",
    ),
    "no prompt files": ("t2i_compbench", {"new_objects.txt": b"cup - cups"}, "no prompt files"),
    "prompts in latin-1": ("t2i_compbench", {"color.txt": b"a caf\xe9\n"}, "UTF-8"),
    "relations in a circle": (
        "m3t2ibench",
        {
            "a.json": lines(
                {
                    **M3,
                    "relations": [["cup", 1, "left", "cup", 2], ["cup", 2, "left", "cup", 1]],
                }
            )
        },
        "at most one relation",
    ),
    "three in a circle": (
        "m3t2ibench",
        {
            "a.json": lines(
                {
                    **M3,
                    "total_number": 3,
                    "categories": {"cup": [{"id": n, "color": "red"} for n in (1, 2, 3)]},
                    "relations": [
                        ["cup", 1, "above", "cup", 2],
                        ["cup", 2, "above", "cup", 3],
                        ["cup", 1, "below", "cup", 3],
                    ],
                }
            )
        },
        "run in a circle",
    ),
    "a colour that is none": (
        "m3t2ibench",
        {"a.json": lines({**M3, "categories": {"cup": [{"id": 1, "color": "mauve"}]}})},
        "A colour is one of",
    ),
    "a wrong total": ("m3t2ibench", {"a.json": lines({**M3, "total_number": 9})}, "2 instances"),
    "a relation to nothing": (
        "m3t2ibench",
        {"a.json": lines({**M3, "relations": [["cup", 1, "left", "cup", 7]]})},
        "There is no cup 7",
    ),
    "two texts of one item": (
        "dsg",
        {"q.csv": DSG + "a,one,k,1,0,entity,whole,t,q?\na,two,k,2,0,entity,whole,t,q?\n"},
        "one id and one text",
    ),
    "a proposition twice": (
        "dsg",
        {"q.csv": DSG + "a,one,k,1,0,entity,whole,t,q?\na,one,k,1,0,entity,whole,t,q?\n"},
        "have this number",
    ),
    "a table of something else": ("dsg", {"q.csv": "a,b\n1,2\n"}, "holds no questions"),
    "an answer that is no choice": (
        "tifa",
        {"q.json": lines([{**TIFA, "answer": "maybe"}])},
        "none of the choices",
    ),
    "something else in json": ("tifa", {"q.json": b"[1, 2]"}, "holds no questions"),
}


def test_every_format_meets_a_bad_file():
    assert {format for format, _, _ in STUDIES.values()} == FORMATS.keys()


@pytest.mark.parametrize("name", STUDIES)
def test_a_bad_source_is_refused_with_words_and_leaves_nothing(name, tmp_path, media):
    format, files, words = STUDIES[name]
    folder = tmp_path / "source"
    for file, content in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content if isinstance(content, bytes) else content.encode())
    tables = [f for f in files if not f.endswith(".png")]
    path = folder if "/" in tables[0] else folder / tables[0]
    if format == "t2i_compbench":
        path = folder
    before = rows()
    said = refusal(
        lambda: bring_in.import_study(slug="bad", format=format, source=Source(path), strict=True)
    )
    assert words in said
    assert rows() == before
    assert [p for p in media.rglob("*") if p.is_file()] == []


PARTS = {
    "labels: swapped columns": ("labels", LABELS + "ann,early-0,aligned,1\n", "no such image"),
    "labels: swapped values": ("labels", LABELS + "early-0,ann,1,aligned\n", ""),
    "labels: out of scale": ("labels", LABELS + "early-0,ann,aligned,5\n", "takes one of"),
    "labels: likert of nine": ("labels", LABELS + "early-0,ann,likert,9\n", "from 1 to 5"),
    "labels: infinite": ("labels", LABELS + "early-0,ann,mood,inf\n", "finite"),
    "labels: not a number": (
        "labels",
        LABELS + "early-0,ann,mood,nan\n",
        "NaN, which is no number",
    ),
    "labels: empty value": ("labels", LABELS + "early-0,ann,aligned,\n", "“value” is empty"),
    "labels: nobody": ("labels", LABELS + "early-0,,aligned,1\n", "“rater” is empty"),
    "labels: long name": ("labels", LABELS + f"early-0,{'n' * 300},aligned,1\n", "200"),
    "labels: long question": ("labels", LABELS + f"early-0,ann,{'q' * 99},1\n", "80 characters"),
    "labels: no such atom": (
        "labels",
        LABELS.replace("\n", ",atom\n") + "early-0,ann,atom,1,9\n",
        "no such atom",
    ),
    "labels: an atom without its number": (
        "labels",
        LABELS + "early-0,ann,atom,1\n",
        "which one",
    ),
    "labels: half an atom": (
        "labels",
        LABELS.replace("\n", ",atom\n") + "early-0,ann,atom,1,0.5\n",
        "whole number",
    ),
    "labels: negative time": (
        "labels",
        LABELS.replace("\n", ",seconds\n") + "early-0,ann,aligned,1,-3\n",
        "negative",
    ),
    "labels: a strange moment": (
        "labels",
        LABELS.replace("\n", ",submitted_at\n") + "early-0,ann,aligned,1,yesterday\n",
        "a moment like",
    ),
    "labels: a contradiction": (
        "labels",
        LABELS + "early-0,ann,aligned,1\nearly-0,ann,aligned,0\n",
        "answered this question already",
    ),
    "scores: no such image": ("scores", SCORES + "x,clip,1,,,\n", "no such image"),
    "scores: neither nor": ("scores", SCORES + "early-0,clip,,,,\n", "must say why"),
    "scores: both": ("scores", SCORES + "early-0,clip,1,,,timeout\n", "never both"),
    "scores: a failed verdict": ("scores", SCORES + "early-0,clip,,1,,timeout\n", "no verdict"),
    "scores: in words": ("scores", SCORES + "early-0,clip,good,,,\n", "must be a number"),
    "scores: infinite": ("scores", SCORES + "early-0,clip,1e999,,,\n", "finite"),
    "scores: a verdict of two": ("scores", SCORES + "early-0,clip,1,2,,\n", "0 or 1"),
    "scores: no such atom": ("scores", SCORES + "early-0,clip,1,,7,\n", "no such atom"),
    "scores: nameless": ("scores", SCORES + "early-0,!!!,1,,,\n", "letters and digits"),
    "scores: twice": (
        "scores",
        SCORES + "early-0,clip,1,,,\nearly-0,clip,0,,,\n",
        "said 1 of this image before",
    ),
}


@pytest.mark.parametrize("name", [name for name in PARTS if PARTS[name][2]])
def test_bad_labels_and_scores_are_refused_with_words_and_leave_nothing(name, study, tmp_path):
    kind, content, words = PARTS[name]
    file = tmp_path / f"{kind}.csv"
    file.write_text(content, encoding="utf-8")
    verb = bring_in.import_labels if kind == "labels" else bring_in.import_scores
    before = rows()
    assert words in refusal(lambda: verb(study=study, source=Source(file), strict=True))
    assert rows() == before


LAKES = {
    "nothing in it": (None, "holds no parts of a judged lake"),
    "another Parquet": (lambda: table_of(a=[1]), "is no part of a judged lake"),
    "no Parquet at all": (lambda: b"words", "is damaged"),
    "another version": (
        lambda: table_of({b"jurybox": b'{"format": 99}'}),
        "of a format that this version does not know",
    ),
    "facts that are no JSON": (lambda: table_of({b"jurybox": b"{"}), "is damaged"),
}


@pytest.mark.parametrize("name", LAKES)
def test_a_bad_lake_of_scores_is_refused_with_words_and_leaves_nothing(name, study, tmp_path):
    pytest.importorskip("pyarrow")
    make, words = LAKES[name]
    folder = tmp_path / "lake"
    folder.mkdir()
    if make is not None:
        (folder / "a.parquet").write_bytes(make())
    before = rows()
    said = refusal(lambda: bring_in.import_lake_scores(study=study, path=folder))
    assert words in said and ("a.parquet" in said or make is None)
    assert rows() == before


def zipped(members: dict[str, bytes], **options) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(zipfile.ZipInfo(name) if options.get("raw") else name, content)
    return out.getvalue()


def linked_zip() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        info = zipfile.ZipInfo("images.csv")
        info.external_attr = 0o120777 << 16
        file.writestr(info, "/etc/passwd")
    return out.getvalue()


def twice_zip() -> bytes:
    out = io.BytesIO()
    with pytest.warns(UserWarning), zipfile.ZipFile(out, "w") as file:
        file.writestr("images.csv", IMAGES)
        file.writestr("images.csv", IMAGES)
    return out.getvalue()


def tarred(name: str, kind: bytes = tarfile.REGTYPE, content: bytes = b"x") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as file:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        info.size = len(content) if kind == tarfile.REGTYPE else 0
        file.addfile(info, io.BytesIO(content))
    return out.getvalue()


ARCHIVES = {
    "a zip that climbs out": ("a.zip", lambda: zipped({"../evil.csv": b"x"}), "below"),
    "a zip with an absolute name": ("a.zip", lambda: zipped({"/etc/evil": b"x"}), "below"),
    "a zip with backslashes": ("a.zip", lambda: zipped({"a\\..\\b": b"x"}, raw=True), "below"),
    "a zip with a drive": ("a.zip", lambda: zipped({"C:evil.csv": b"x"}), "below"),
    "a zip with a link": ("a.zip", linked_zip, "is a link"),
    "a zip with a name twice": ("a.zip", twice_zip, "twice"),
    "a zip bomb": ("a.zip", lambda: zipped({"images.csv": b"0" * 30_000_000}), "far more"),
    "a zip in a zip": (
        "a.zip",
        lambda: zipped({"inner.zip": zipped({"images.csv": IMAGES.encode()})}),
        "is an archive",
    ),
    "a tar in a zip in a zip": (
        "a.zip",
        lambda: zipped({"a/b.zip": zipped({"c.tar.gz": tarred("images.csv")})}),
        "is an archive",
    ),
    "a bomb in a zip": (
        "a.zip",
        lambda: zipped({"inner.zip": zipped({"images.csv": b"0" * 30_000_000})}),
        "is an archive",
    ),
    "an empty zip": ("a.zip", lambda: zipped({}), "holds no files"),
    "half a zip": ("a.zip", lambda: zipped({"images.csv": b"x" * 500})[:-30], "neither"),
    "no zip at all": ("a.zip", lambda: b"hello", "neither a zip nor a tar"),
    "a tar that climbs out": ("a.tar.gz", lambda: tarred("../evil"), "below"),
    "a tar with a link": ("a.tar.gz", lambda: tarred("x", tarfile.SYMTYPE), "is a link"),
    "a tar with a hard link": ("a.tar.gz", lambda: tarred("x", tarfile.LNKTYPE), "is a link"),
    "a tar with a device": ("a.tar.gz", lambda: tarred("x", tarfile.CHRTYPE), "a device"),
    "a tar bomb": (
        "a.tar.gz",
        lambda: tarred("images.csv", content=b"0" * 60_000_000),
        "far more",
    ),
    "half a tar": ("a.tar.gz", lambda: tarred("images.csv", content=bytes(9999))[:60], "a.tar.gz"),
}


@pytest.mark.parametrize("name", ARCHIVES)
def test_a_bad_archive_is_refused_with_words_and_leaves_nothing(
    name, study, alice, media, django_capture_on_commit_callbacks
):
    file, content, words = ARCHIVES[name]
    upload = uploads.accept(study=study, by=alice.user, content=io.BytesIO(content()), name=file)
    before = rows()
    with django_capture_on_commit_callbacks(execute=True):
        run_job(upload.pk)
    upload.refresh_from_db()
    assert upload.state == Upload.State.REFUSED
    assert words in upload.reason
    assert rows() == before
    assert not list((media / "uploads").iterdir())


def test_the_corpus_has_at_least_sixty_files():
    assert len(STUDIES) + len(PARTS) + len(ARCHIVES) >= 100


def test_a_bad_row_stops_no_good_one_unless_strict(study, tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text(LABELS + "early-0,ann,aligned,1\nnowhere,ann,aligned,1\nlate-0,ann,aligned,0\n")
    strict = bring_in.import_labels(study=study, source=Source(file), strict=True)
    assert (strict.rejected_in_all, study.annotations.count()) == (1, 0)
    loose = bring_in.import_labels(study=study, source=Source(file))
    assert (loose.answers, loose.rejected_in_all, study.annotations.count()) == (2, 1, 2)


def refusal(verb) -> str:
    """What was said, whether of the whole file or of its rows."""
    try:
        outcome = verb()
    except ImportRefused as error:
        return error.message
    assert outcome.rejected_in_all > 0
    assert outcome.changes == 0 or outcome.dry_run
    return " ".join(row["reason"] for row in outcome.rejected)


def rows() -> dict[str, int]:
    names = ("annotations", "judges")
    models = [model for name in names for model in apps.get_app_config(name).get_models()]
    return {model.__name__: model.objects.count() for model in models}


def test_no_study_is_left_behind_by_rows_that_were_all_refused(tmp_path):
    file = tmp_path / "images.csv"
    file.write_text(IMAGES + "i1,p1,,sd,\n")
    outcome = bring_in.import_study(slug="ghost", format="tidy", source=Source(Path(file)))
    assert outcome.rejected_in_all == 1
    assert not Study.objects.filter(slug="ghost").exists()
