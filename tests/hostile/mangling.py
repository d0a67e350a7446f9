"""Sound files, and what hostile or broken hands make of them: strategies for `test_fuzz`."""

from __future__ import annotations

import copy
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from PIL import Image as Picture

from jurybox_formats.sources import hub_dataset
from tests import making
from tests import test_bad_files as bad
from tests.formats.sets.prompt_sets import small
from tests.leaves import collect
from tests.making import png

# What breaks readers: ends, quotes, numbers without end, half characters, deep nests.
NASTY = (
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b'"',
    b",",
    b"\r",
    b"\n\n",
    b"{",
    b"}",
    b"[[[[",
    b"\\u0000",
    b"\\ud800",
    b"NaN",
    b"1e999",
    b"-1",
    b"9" * 400,
    b"9" * 5000,
    b"null",
    b"true",
    b"../../x",
    b"=1+1",
    "\u2028é\U0001f600".encode(),
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([10**30, 10**400, -(10**400), 2**63, 1e308, 5e-324, -0.0, 0.5])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.sampled_from(["", " ", "\ud800", "\x07", "\x7f", "{prompt}", "{0}", "²", "a" * 300, "|"])
)
ANYTHING = st.recursive(
    LEAVES,
    lambda part: (
        st.lists(part, max_size=4) | st.dictionaries(st.text(max_size=8), part, max_size=4)
    ),
    max_leaves=12,
)


@st.composite
def mangled(draw, sound: bytes) -> bytes:
    """The file with a few stretches cut, doubled, overwritten or replaced by something nasty."""
    content = bytearray(sound)
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(content)))
        end = min(len(content), start + draw(st.integers(0, 12)))
        how = draw(st.integers(0, 4))
        if how == 0:
            del content[start:end]
        elif how == 1:
            content[start:end] = draw(st.binary(max_size=8))
        elif how == 2:
            content[start:end] = draw(st.sampled_from(NASTY))
        elif how == 3:
            content[start:start] = content[start:end]
        else:
            del content[start:]
    return bytes(content)


@st.composite
def reshaped(draw, sound: Any) -> Any:
    """The value with a few of its parts replaced, removed or renamed, whatever they were."""
    whole = [copy.deepcopy(sound)]
    for _ in range(draw(st.integers(0, 3))):
        parent, key = whole, 0
        while isinstance(parent[key], dict | list) and parent[key] and draw(st.integers(0, 4)):
            parent = parent[key]
            keys = sorted(parent, key=str) if isinstance(parent, dict) else range(len(parent))
            key = draw(st.sampled_from(keys))
        how = draw(st.integers(0, 4))
        if how == 0 and parent is not whole:
            del parent[key]
        elif how == 1 and isinstance(parent, dict):
            parent[draw(st.text(max_size=8))] = parent.pop(key)
        else:
            parent[key] = draw(ANYTHING)
    return whole[0]


def written(sound: Any, *, lines: bool = False) -> st.SearchStrategy[bytes]:
    """JSON of a reshaped value, or the sound JSON mangled byte by byte."""

    def text(value: Any) -> bytes:
        if lines and isinstance(value, list):
            return "".join(json.dumps(item) + "\n" for item in value).encode()
        return json.dumps(value).encode()

    return reshaped(sound).map(text) | mangled(text(sound)) | st.binary(max_size=200)


def table(text: str) -> st.SearchStrategy[bytes]:
    """A CSV file with a few cells replaced, or mangled byte by byte."""
    rows = [line.split(",") for line in text.splitlines()]

    @st.composite
    def cells(draw) -> bytes:
        found = copy.deepcopy(rows)
        for _ in range(draw(st.integers(0, 3))):
            row = found[draw(st.integers(0, len(found) - 1))]
            value = draw(LEAVES | st.sampled_from(["1", "0", "nan", "inf", "1e999", "0.5"]))
            row[draw(st.integers(0, len(row) - 1))] = str(value)
        return "\n".join(map(",".join, found)).encode(errors="surrogatepass")

    return cells() | mangled(text.encode()) | st.binary(max_size=200)


RESULT = {
    "filename": "00000/samples/0000.png",
    "tag": "colors",
    "prompt": "a photo of a cat",
    "correct": True,
    "reason": "",
    "metadata": json.dumps(bad.GENEVAL),
    "details": json.dumps({"cat": [[0, 0, 9, 9, 0.5]]}),
}
DETAILS = {
    "question_details": {
        "t1": {"a cat?": {**bad.TIFA, "scores": 1, "multiple_choice_vqa": "yes"}},
    },
    "tifa_average": 1.0,
}
HUMAN = {
    "t1_sd": {"text_id": "t1", "text": "a cat", "human_scores": [1, 5], "human_avg": 3, "clip": 0.2}
}
IMAGE = {
    "image_id": "i1",
    "prompt_id": "p1",
    "prompt": "a cat",
    "generator": "sd",
    "variant": "original",
    "sample": 0,
    "tags": "a;b",
    "atomicity": 1,
    "metadata": {"tag": "x"},
    "file": "",
    "atoms": [
        {"index": 0, "kind": "object", "text": "cat", "question": "a cat?", "expected": "Yes"},
        {"index": 1, "kind": "count", "text": "one", "question": "one?", "parents": [0]},
    ],
}
IMAGES = (
    "image_id,prompt_id,prompt,generator,variant,sample,tags,atomicity,metadata,file\n"
    "i1,p1,a cat,sd,original,0,a;b,1,,\ni2,p2,a dog,sd,rewritten,1,,2,{},\n"
)
GENERATORS = "generator,release_date,family,note\nsd,2023-01-31,diffusion,old\n"
LABELS = (
    "image_id,rater,question,value,atom,form,seconds,submitted_at\n"
    "early-0,ann,aligned,1,,,3.5,2024-01-31T12:00:00+01:00\nearly-1,ben,atom,0,1,geneval v1,,\n"
    "late-0,ann,likert,4,,,,\nlate-1,ann,mood,0.3,,,,\n"
)
SCORES = (
    "image_id,judge,score,correct,atom,reason,error\n"
    "early-0,clip,0.5,1,,because,\nearly-1,clip,,,,,timeout\nlate-0,clip,1,,0,,\n"
)
DSG = (
    "item_id,text,keywords,proposition_id,dependency,category_broad,category_detailed,tuple,"
    "question_natural_language\n"
    "a,one cat,k,1,0,entity,whole,entity - whole (cat),Is there a cat?\n"
    "a,one cat,k,2,1,attribute,color,attribute - color (cat),Is it red?\n"
)
ANSWERED = (
    "t2i_model,item_id,question,question_id,dependency_id,answer\nsd,a,q,1,0,yes\nsd,a,q,2,1,no\n"
)
RATED = "t2i_model,item_id,worker_id,answer\nsd,a,w,3\nsd,a,v,4\n"
CROWD = bad.CROWD + "1_0,0,1,a cat,cat,4\n1_1,0,2,a cat,dog,3\n"


def parquet(**columns: list[Any]) -> bytes:
    """Only its first letters where pyarrow is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return b"PAR1"
    out = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(columns), out)
    return out.getvalue().to_pybytes()


DATASET = parquet(
    **{name: [None] for name in hub_dataset.COLUMNS}
    | {"image_id": ["i1"], "prompt_id": ["p1"], "prompt": ["a cat"], "generator": ["sd"]}
    | {"answers": [[{"rater": "ann", "question": "aligned", "value": 1.0}]], "tags": [["a"]]}
)
TABLE_WITH_PICTURES = parquet(image=[{"bytes": b"x", "path": "a"}], text=["a cat"], rating=[4])
TABLE_OF_EDITS = parquet(
    task_type=["add"],
    key=["k"],
    instruction=["Add a cup"],
    instruction_language=["en"],
    input_image=[{"bytes": b"x", "path": "a"}],
)
POTATO = {
    "instance_id": "i1",
    "user_id": "ann",
    "labels": {"fit": {"Yes": "Yes"}, "n": {"number": 2}},
}
STATE = {
    "user_id": "ann@lab.org",
    "origin": {"kind": "human"},
    "instance_id_to_label_to_value": {
        "i1": [
            [{"schema": "fit", "name": "Yes"}, "Yes"],
            [{"schema": "n", "name": "number"}, "2"],
        ]
    },
    "instance_id_to_span_to_value": {"i1": [[{"schema": "part", "start": 0}, "x"]]},
    "instance_id_to_behavioral_data": {"i1": {"total_time_ms": 2500}},
}
POTATO_CELLS = "instance_id,user_id,fit.Yes,fit.No,n.number\ni1,ann,Yes,,2\ni1,ben,,No,\n"
ORDER_CELLS = "originalFileName,context,privateMetadata,selectedCategory\na.png,a cat,{'image_id': 'i1'},Yes\n"
CAPTIONS = {
    "images": [{"id": 1, "file_name": "a.png"}, {"id": 2, "file_name": "b.png"}],
    "annotations": [{"id": 3, "image_id": 1, "caption": "a cat"}],
}
ASKED = {
    "data_type": "mscoco",
    "data_subtype": "val2014",
    "questions": [{"question_id": 1, "image_id": 42, "question": "A cat?"}],
    "annotations": [{"question_id": 1, "answers": [{"answer": "yes"}, {"answer": "no"}]}],
}


def broken(name: str, content: str) -> st.SearchStrategy[bytes]:
    if name.endswith((".json", ".jsonl")):
        lines = name.endswith("l")
        values = [json.loads(line) for line in content.splitlines()] if lines else None
        return written(values or json.loads(content), lines=lines)
    return table(content) if name.endswith(".csv") else mangled(content.encode())


# name -> (format, what the file is called, the files that hostile hands make)
FILES: dict[str, tuple[str, str, st.SearchStrategy[bytes]]] = {
    "tidy images": ("tidy", "images.csv", table(IMAGES)),
    "tidy objects": ("tidy", "images.jsonl", written([IMAGE], lines=True)),
    "tidy list": ("tidy", "images.json", written([IMAGE])),
    "any table": ("table", "a.csv", table("path,caption,model,rating\na.png,a cup,sd,4\n")),
    "any objects": ("table", "a.json", written([{"file": "a.png", "prompt": "a", "label": 1}])),
    "a dataset": ("hf", "a.parquet", mangled(DATASET)),
    "a dataset of somebody": ("hf", "a.parquet", mangled(TABLE_WITH_PICTURES)),
    "a folder with metadata": ("hf", "a.jsonl", written([{"file_name": "a.png", "text": "a"}])),
    "answers of Potato": ("potato", "annotations.jsonl", written([POTATO], lines=True)),
    "cells of Potato": ("potato", "annotations.csv", table(POTATO_CELLS)),
    "a state of Potato": ("potato", "user_state.json", written(STATE)),
    "cells of Rapidata": ("rapidata", "a.csv", table(ORDER_CELLS)),
    "captions of COCO": ("coco", "a.json", written(CAPTIONS)),
    "questions of VQA": ("vqa", "a.json", written(ASKED)),
    "a name": ("pictures", "a.png", st.binary(max_size=100)),
    **{
        f"a set: {name}": (name, Path(file).name, mangled(content.encode()))
        for name, files in small.FILES.items()
        for file, content in list(files.items())[:1]
    },
    "tidy generators": ("tidy", "generators.csv", table(GENERATORS)),
    "geneval prompts": ("geneval", "a.jsonl", written([bad.GENEVAL], lines=True)),
    "geneval results": ("geneval", "results.jsonl", written([RESULT], lines=True)),
    "geneval crowd": ("geneval", "a.csv", table(CROWD)),
    "geneval2 prompts": ("geneval2", "a.jsonl", written([bad.GENEVAL2], lines=True)),
    "genai_bench": ("genai_bench", "a.json", written(bad.GENAI)),
    **{
        f"{format}: {name}": (format, name, broken(name, content))
        for format, example in collect("EXAMPLES", "tests/formats").items()
        for name, content in example.files.items()
    },
    "edits": ("edits", "instructions.csv", table("name,instruction,kind\ncup,Make it red,a\n")),
    "imgedit": (
        "imgedit",
        "basic_edit.json",
        written({"7": {"id": "a.jpg", "prompt": "Add a cup", "edit_type": "add"}}),
    ),
    "kris": (
        "kris",
        "annotation.json",
        written({"7": {"ori_img": ["a.jpg", "b.jpg"], "gt_img": "", "ins_en": "Add a cup"}}),
    ),
    "rise": (
        "rise",
        "data.json",
        written([{"index": "a_1", "category": "a", "instruction": "Add", "image": ["a.png"]}]),
    ),
    "gedit": ("gedit", "a.parquet", mangled(TABLE_OF_EDITS)),
    "t2i_compbench": ("t2i_compbench", "color_val.txt", mangled(b"a red cat\na blue dog\n")),
    "m3t2ibench": ("m3t2ibench", "a.json", written([bad.M3])),
    "dsg questions": ("dsg", "q.csv", table(DSG)),
    "dsg answers": ("dsg", "q.csv", table(ANSWERED)),
    "dsg ratings": ("dsg", "q.csv", table(RATED)),
    "tifa questions": ("tifa", "q.json", written([bad.TIFA])),
    "tifa images": ("tifa", "q.json", written({"t1": "a.png"})),
    "tifa results": ("tifa", "q.json", written(DETAILS)),
    "tifa ratings": ("tifa", "q.json", written(HUMAN)),
}


def picture(kind: str, **options: Any) -> bytes:
    out = io.BytesIO()
    exif = Picture.Exif()
    exif[0x0112] = 6
    making.noise(24, 16).save(out, kind, exif=exif, **options)
    return out.getvalue()


PICTURES = {
    "PNG": png(size=24),
    "PNG that EXIF turns": picture("PNG"),
    "JPEG": picture("JPEG"),
    "JPEG in passes": picture("JPEG", progressive=True),
    "WebP": picture("WEBP"),
    "WebP without loss": picture("WEBP", lossless=True),
}


def zipped() -> bytes:
    return bad.zipped({"images.csv": IMAGES.encode(), "pictures/a.png": png()})


def tarred(mode: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{mode}") as file:
        for name, content in (("images.csv", IMAGES.encode()), ("pictures/a.png", png())):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            file.addfile(info, io.BytesIO(content))
    return out.getvalue()


@st.composite
def members(draw) -> bytes:
    """A sound zip of hostile names."""
    out = io.BytesIO()
    names = st.text(max_size=12) | st.sampled_from(["../x", "/x", "a/../b", "C:x", "a\\b", "."])
    with zipfile.ZipFile(out, "w") as file:
        for name in draw(st.lists(names, max_size=3, unique=True)):
            info = zipfile.ZipInfo("x")
            info.filename = name.encode(errors="replace").decode()
            info.external_attr = draw(st.sampled_from([0, 0o120777, 0o100644, 0o040755])) << 16
            file.writestr(info, draw(st.binary(max_size=20)))
    return out.getvalue()


ARCHIVES = {
    "zip": mangled(zipped()),
    "tar": mangled(tarred("")),
    "tar.gz": mangled(tarred("gz")),
    "tar.xz": mangled(tarred("xz")),
    "names": members(),
}
