"""Sets of prompts of today: every prompt and question is read, pictures find their prompts."""

import csv
import io
import json
from collections import Counter

import pytest
from PIL import Image

from jurybox_formats import guess_format
from jurybox_formats.forms.papers import FORMS as PAPERS
from jurybox_formats.sets.prompt_sets.items import SETS
from tests import making, needs
from tests.formats.sets.prompt_sets import small
from tests.formats.sets.reading import Read

DATA = needs.SHARED / "data"


def prompt(read, key):
    (found,) = [one for one in read.prompts if one.key == key]
    return found


@pytest.mark.parametrize("name", SETS)
def test_every_prompt_and_question_is_read_and_the_format_is_recognized(tmp_path, name):
    folder = small.write(tmp_path, name)
    read = Read(name, folder)
    assert read.rejected == []
    questions = sum(len(one.atoms) for one in read.prompts)
    assert (len(read.prompts), questions) == small.COUNTS[name]
    assert {one.metadata["benchmark"] for one in read.prompts} == {name}
    assert guess_format.guess(folder) == (name, "study")
    assert SETS[name].form in PAPERS


@pytest.mark.parametrize("name", SETS)
def test_a_single_file_is_enough(tmp_path, name):
    file = small.write(tmp_path, name) / next(iter(small.FILES[name]))
    assert Read(name, file).prompts
    assert guess_format.guess(file) == (name, "study")


def test_what_a_judge_needs_stands_beside_the_prompt(tmp_path):
    def read(name):
        return Read(name, small.write(tmp_path / name, name))

    uni = prompt(read("unigenbench"), "en/0")
    assert uni.metadata["test_points"] == ["Style", "Attribute - Color"]
    assert "“ink”" in uni.atoms[0].question and "Style" in uni.atoms[0].question
    assert prompt(read("longtext"), "en/0000").metadata["text"] == ["OPEN", "9 to 5"]
    assert prompt(read("wise"), "2").metadata["explanation"] == "Tea number 2"
    assert prompt(read("dpg"), "0").atoms[1].parents == (0,)
    # Ids begin anew in each category: none is lost.
    one = read("oneig")
    assert {"Portrait/000", "Text_Rendering/000"} <= {found.key for found in one.prompts}
    assert prompt(one, "Portrait/000").atoms[1].parents == (0,)
    assert prompt(one, "Text_Rendering/001").metadata["text"] == "SALE"
    tiif = prompt(read("tiif"), "color/0/long")
    assert [atom.expected for atom in tiif.atoms] == ["Yes", "No"]


PICTURES = {
    "corebench": (["flux/C-MI/C-MI-001-0.png", "flux/C-MI/C-MI-001-1.png"], {"C-MI-001": 2}),
    "unigenbench": (["flux/zh/0_0.png", "flux/en/0_3.png"], {"zh/0": 1, "en/0": 1}),
    "longtext": (["flux/en/0000_1.png", "flux/zh/0000_4.png"], {"en/0000": 1, "zh/0000": 1}),
    "dpg": (["flux/0.png", "flux/partiprompts7.png"], {"0": 4, "partiprompts7": 4}),
    "wise": (["flux/1.png"], {"1": 1}),
    "oneig": (
        ["human/flux/000.png", "text/flux/000.png"],
        {"Portrait/000": 4, "Text_Rendering/000": 4},
    ),
    "cvtg": (["flux/CVTG/2/0.png", "flux/CVTG/3/0.png"], {"CVTG/2/0": 1, "CVTG/3/0": 1}),
    "tiif": (
        ["color/flux/short_description/0.png", "color/flux/long_description/1.png"],
        {"color/0/short": 1, "color/1/long": 1},
    ),
}


@pytest.mark.parametrize("name", SETS)
def test_pictures_find_their_prompts_by_name_and_folder(tmp_path, name):
    folder = small.write(tmp_path, name)
    files, wanted = PICTURES[name]
    for file in files:
        (tmp_path / "pictures" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pictures" / file).write_bytes(making.png())
    read = Read(name, folder, images=tmp_path / "pictures")
    assert read.rejected == []
    assert Counter(image.prompt for image in read.images) == wanted
    assert {image.generator for image in read.images} == {"flux"}
    assert len({image.key for image in read.images}) == len(read.images)
    assert len(read.missing) == len(read.prompts) - len(wanted)


def test_a_number_that_several_prompts_have_needs_its_folder(tmp_path):
    folder = small.write(tmp_path, "unigenbench")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "0_0.png").write_bytes(making.png())
    (tmp_path / "pictures" / "77.png").write_bytes(making.png())
    read = Read("unigenbench", folder, images=tmp_path / "pictures")
    assert [r.reason for r in read.rejected] == [
        "Several prompts have this number; its folder must say which: en or zh.",
        "No prompt has pictures of this name.",
    ]


def test_a_grid_is_cut_row_by_row_from_the_upper_left_unless_said_otherwise(tmp_path):
    folder = small.write(tmp_path, "dpg")
    grid = Image.new("RGB", (6, 4))
    colors = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (9, 9, 9)]
    for place, color in enumerate(colors):
        grid.paste(color, (place % 2 * 3, place // 2 * 2, place % 2 * 3 + 3, place // 2 * 2 + 2))
    (tmp_path / "flux").mkdir()
    grid.save(tmp_path / "flux" / "0.png")
    read = Read("dpg", folder)
    cut = [Image.open(io.BytesIO(image.content())) for image in read.images]
    assert [(one.size, one.getpixel((1, 1))) for one in cut] == [((3, 2), c) for c in colors]
    assert [image.sample for image in read.images] == [0, 1, 2, 3]
    assert [one.content.name for one in Read("dpg", folder, grid=1).images] == ["0.png"]


BAD = {
    "corebench": (
        "C-MI.json",
        json.dumps(
            {"C-MI-001": {"Prompt": "", "Checklist": []}, "C-MI-002": small.CORE["C-MI-002"]}
        ),
        "empty",
    ),
    "unigenbench": (
        "a.csv",
        small.table(small.unigen(0, "a", Style="x"), {**small.unigen(1, "b"), "sub_dims_en": "{"}),
        "no JSON",
    ),
    "longtext": (
        "a.jsonl",
        small.lines(
            {"category": "a", "length": "b", "prompt": "c", "text": ["d"]},
            {"category": "a", "length": "b", "prompt": "c", "text": 5},
        ),
        "list of texts",
    ),
    "dpg": (
        "a.csv",
        small.table(small.dpg("0", 1, "0", "q"), small.dpg("0", 2, "right", "q")),
        "numbers of questions",
    ),
    "wise": (
        "a.json",
        json.dumps([small.wise(1), {**small.wise(1), "Prompt": "another"}]),
        "another prompt",
    ),
    "oneig": (
        "a.csv",
        small.table(small.oneig("Portrait", "0", "a"), small.oneig("Portrait", "1", "")),
        "empty",
    ),
    "cvtg": ("2.json", json.dumps({"data_list": [{"prompt": "a"}, {"prompt": ""}]}), "empty"),
    "tiif": (
        "a.jsonl",
        small.lines(small.TIIF, {**small.TIIF, "yn_question_list": ["a"], "yn_answer_list": []}),
        "1 questions have 0 answers",
    ),
}


@pytest.mark.parametrize("name", SETS)
def test_a_bad_row_is_named_and_the_others_are_read(tmp_path, name):
    file, content, words = BAD[name]
    (tmp_path / file).write_text(content)
    read = Read(name, tmp_path / file)
    assert len(read.rejected) == 1 and words in read.rejected[0].reason
    assert read.rejected[0].line > 0 and read.prompts


def test_results_of_the_official_scripts_become_scores(tmp_path):
    rows = {key: json.loads(json.dumps(row)) for key, row in small.CORE.items()}
    for point, score in zip(rows["C-MI-001"]["Checklist"], (1, 0), strict=True):
        point["score"] = score
    rows["C-MI-002"]["Checklist"][0]["score"] = ""
    folder = small.write(tmp_path / "core", "corebench")
    (folder / "flux").mkdir()
    (folder / "flux" / "C-MI-qwen.json").write_text(json.dumps({**rows, "mean_score": 0.5}))
    read = Read("corebench", folder)
    assert [(s.image, s.judge, s.atom, s.score) for s in read.scores] == [
        ("flux/C-MI-001", "qwen", 0, 1.0),
        ("flux/C-MI-001", "qwen", 1, 0.0),
        ("flux/C-MI-001", "qwen", None, 0.5),
        ("flux/C-MI-002", "qwen", 0, None),
        ("flux/C-MI-002", "qwen", None, None),
    ]
    assert len(read.prompts) == 2
    # The results alone hold the prompts, too.
    assert len(Read("corebench", folder / "flux" / "C-MI-qwen.json").prompts) == 2

    folder = small.write(tmp_path / "wise", "wise")
    grades = {
        "prompt_id": 1,
        "Subcategory": "Food",
        "consistency": 2,
        "realism": 1,
        "aesthetic_quality": 999,
    }
    (folder / "flux").mkdir()
    (folder / "flux" / "s.jsonl").write_text(small.lines(grades))
    told = {s.judge: s.score for s in Read("wise", folder).scores}
    assert told == {"wise-consistency": 2, "wise-realism": 1, "wise-aesthetic_quality": None}

    folder = small.write(tmp_path / "dpg", "dpg")
    (folder / "r.txt").write_text("out/flux/0.png, 0.5, 1.0, 0.0, 0.5, 0.5\nModel: flux\n")
    assert [(s.image, s.score) for s in Read("dpg", folder).scores] == [
        ("flux/0/0", 0.5),
        ("flux/0/1", 1.0),
        ("flux/0/2", 0.0),
        ("flux/0/3", 0.5),
    ]

    folder = small.write(tmp_path / "uni", "unigenbench")
    row = {
        "index": 0,
        "prompt": "A red cup",
        "testpoint": "[]",
        "output": "",
        "result_json": json.dumps({"score": [1, 0]}),
        "img_path": "out/flux/0_2.png",
    }
    (folder / "flux_en.csv").write_text(small.table(row))
    assert [(s.image, s.atom, s.score) for s in Read("unigenbench", folder).scores] == [
        ("flux/en/0/2", 0, 1.0),
        ("flux/en/0/2", 1, 0.0),
        ("flux/en/0/2", None, 0.5),
    ]


@pytest.mark.skipif(not (DATA / "corebench").is_dir(), reason="the official files are not here")
@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("corebench", "corebench"),
        ("unigenbench", "unigenbench"),
        ("longtext", "longtext"),
        ("dpg", "dpg"),
    ],
)
def test_the_official_files_are_read_to_the_last_question(name, path):
    """Counted by hand from the files, not by the reader."""
    read = Read(name, DATA / path)
    counted = {
        "corebench": lambda: [
            len(row["Checklist"])
            for file in (DATA / path).glob("*.json")
            for row in json.loads(file.read_text()).values()
        ],
        "unigenbench": lambda: [
            len(json.loads(row["sub_dims_en"])["Testpoints"])
            for row in csv.DictReader(
                (DATA / path / "test_prompts_en.csv").read_text().splitlines(keepends=True)
            )
        ],
        "longtext": lambda: [
            0 for _ in (DATA / path / "text_prompts.jsonl").read_text().splitlines()
        ],
        "dpg": lambda: [0 for _ in (DATA / path).glob("*.txt")],
    }[name]()
    assert (len(read.prompts), sum(len(p.atoms) for p in read.prompts)) == (
        len(counted),
        sum(counted),
    )
    assert read.rejected == []


# How many prompts each category of OneIG has; the last one is there in Chinese alone.
ONEIG = {
    "Anime_Stylization": 245,
    "Portrait": 244,
    "General_Object": 206,
    "Text_Rendering": 200,
    "Knowledge_Reasoning": 225,
    "Multilingualism": 200,
}


def whole_oneig(folder, *, chinese):
    """Both languages as large as they are, with ids that begin anew in each category."""
    known = {name: size for name, size in ONEIG.items() if chinese or name != "Multilingualism"}
    rows = [
        small.oneig(name, f"{n:03d}", f"{name} {n}") for name in known for n in range(known[name])
    ]
    if chinese:
        rows = [
            {("prompt_cn" if name == "prompt_en" else name): value for name, value in row.items()}
            for row in rows
        ]
    ending = "-ZH" if chinese else ""
    (folder / f"OneIG-Bench{ending}.csv").write_text(small.table(*rows))
    questions = {f"{n:03d}": small.ONEIG_QUESTIONS["000"] for n in range(ONEIG["Portrait"])}
    file = folder / "Q_D" / f"human{'_zh' if chinese else ''}.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(questions))


def test_all_of_oneig_is_read_in_both_languages_side_by_side(tmp_path):
    whole_oneig(tmp_path, chinese=False)
    read = Read("oneig", tmp_path)
    assert (len(read.prompts), read.rejected) == (1120, [])
    whole_oneig(tmp_path, chinese=True)
    read = Read("oneig", tmp_path)
    keys = [one.key for one in read.prompts]
    assert (len(keys), len(set(keys)), read.rejected) == (1120 + 1320, 2440, [])
    counted = Counter(key.rpartition("/")[0] for key in keys)
    assert counted["zh/Multilingualism"] == 200 and counted["Portrait"] == 244
    assert sum(len(one.atoms) for one in read.prompts) == 2 * 2 * 244


def test_pictures_of_both_languages_are_told_by_their_folders(tmp_path):
    whole_oneig(tmp_path, chinese=False)
    whole_oneig(tmp_path, chinese=True)
    for place in ("human/flux", "zh/human/flux", "multilingualism/flux"):
        (tmp_path / "pictures" / place).mkdir(parents=True)
        (tmp_path / "pictures" / place / "007.png").write_bytes(making.png())
    read = Read("oneig", tmp_path, images=tmp_path / "pictures", grid=1)
    assert {one.prompt for one in read.images} == {
        "Portrait/007",
        "zh/Portrait/007",
        "zh/Multilingualism/007",
    }
