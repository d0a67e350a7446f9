"""Grades in the files of GEdit-Bench, ImgEdit, KRIS-Bench and RISEBench: a judge for each point, one for all."""

import json
import math

import pytest

from jurybox_formats.guess_format import guess
from jurybox_formats.registry import Source, records
from jurybox_formats.sources.records import Rejected, Remark, ScoreRecord
from tests.formats.sets import edit_grades
from tests.formats.sets.edit_layouts import LAYOUTS, put

WANTED = {
    "gedit": {
        ("flux/en/k0", "gpt4o-semantic-consistency"): 9,
        ("flux/en/k0", "gpt4o-perceptual-quality"): 4,
        ("flux/en/k0", "gpt4o"): 6,  # √(9 × 4)
        ("flux/cn/k0", "gpt4o-semantic-consistency"): 0,
        ("flux/cn/k0", "gpt4o-perceptual-quality"): 7,
        ("flux/cn/k0", "gpt4o"): 0,
    },
    "imgedit": {
        ("flux/1082", "imgedit-instruction"): 3,
        ("flux/1082", "imgedit-second"): 5,
        ("flux/1082", "imgedit-third"): 2,
        ("flux/1082", "imgedit"): pytest.approx(8 / 3),  # (3 + min(3, 5) + 2) / 3
        ("flux/673", "imgedit-instruction"): None,
        ("flux/673", "imgedit-second"): None,
        ("flux/673", "imgedit-third"): None,
        ("flux/673", "imgedit"): None,
    },
    "kris": {
        ("flux/physics/1", "kris-visual-consistency"): 4,
        ("flux/physics/1", "kris-visual-quality"): 3,
        ("flux/physics/1", "kris-instruction"): 5,
        ("flux/physics/1", "kris-knowledge"): 2,
        ("flux/physics/1", "kris"): 3.5,
    },
    "rise": {
        ("flux/temporal_reasoning_1", "rise-reasoning"): 5,
        ("flux/temporal_reasoning_1", "rise-consistency"): 4,
        ("flux/temporal_reasoning_1", "rise-plausibility"): 3,
        # .3 × 4 + .5 × 5 + .2 × 3
        ("flux/temporal_reasoning_1", "rise"): pytest.approx(4.3),
        ("flux/spatial_reasoning_2", "rise-reasoning"): None,
        ("flux/spatial_reasoning_2", "rise-consistency"): None,
        ("flux/spatial_reasoning_2", "rise-plausibility"): None,
        ("flux/spatial_reasoning_2", "rise"): None,
    },
}


def of(kind, found):
    return [record for record in found if isinstance(record, kind)]


def values(found):
    return {(one.image, one.judge): one.score for one in of(ScoreRecord, found)}


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_grades_of_a_script_are_scores_of_each_point_and_of_all(tmp_path, name):
    LAYOUTS[name][0](tmp_path)
    file = edit_grades.write(tmp_path, name)
    found = list(records(name, Source(tmp_path)))
    assert guess(tmp_path) == (name, "study")
    assert of(Rejected, found) == []
    assert values(found) == WANTED[name]
    assert not any(file in one.words for one in of(Remark, found))


def test_a_spreadsheet_is_read_as_its_table_is(tmp_path):
    LAYOUTS["rise"][0](tmp_path)
    path = tmp_path / "outputs" / "flux" / "flux_judge.xlsx"
    path.write_bytes(edit_grades.workbook(edit_grades.RISE))
    assert values(records("rise", Source(tmp_path))) == WANTED["rise"]


def test_where_nothing_has_to_stay_as_it_was_two_grades_are_enough(tmp_path):
    items = [
        {
            "index": "causal_reasoning_3",
            "category": "causal_reasoning",
            "instruction": "Drop it",
            "image": "a.png",
            "consistency_free": True,
        },
        {
            "index": "logical_reasoning_4",
            "category": "logical_reasoning",
            "instruction": "Solve it",
            "image": "a.png",
        },
    ]
    put(tmp_path / "data.json", json.dumps(items))
    put(tmp_path / "a.png")
    rows = [
        {"index": "causal_reasoning_3", "Reasoning": 1, "VisualPlausibility": 5},
        {"index": "logical_reasoning_4", "Reasoning": 5, "ApprConsistency": 1},
    ]
    put(tmp_path / "flux" / "judged.json", json.dumps(rows))
    told = values(records("rise", Source(tmp_path)))
    # (.8 × 1 + .2 × 5) / 2 is below 1; .3 × 1 + .7 × 5
    assert told["flux/causal_reasoning_3", "rise"] == 1
    assert told["flux/logical_reasoning_4", "rise"] == pytest.approx(3.8)


ODD = {
    "gedit": ("key,sementics_score,quality_score\nk0,11,4\nk0,math,1\nk9,1,1\n", 3),
    "imgedit": (json.dumps({"1082": "A: 7\nB: 1\nC: 1", "99": "A: 1\nB: 1\nC: 1"}), 2),
    "kris": (
        json.dumps({"1": {"consistency_score": True}, "2": {"consistency_score": 1}, "3": 5}),
        3,
    ),
    "rise": ("index,Reasoning\ntemporal_reasoning_1,6\nnobody,1\n", 2),
}


@pytest.mark.parametrize("name", ODD)
def test_a_grade_that_cannot_be_is_named_with_its_line(tmp_path, name):
    LAYOUTS[name][0](tmp_path)
    content, refused = ODD[name]
    file = {"kris": "results/flux/physics/m.json"}.get(
        name, f"flux/r.{'json' if content[0] == '{' else 'csv'}"
    )
    put(tmp_path / file, content)
    found = list(records(name, Source(tmp_path)))
    rejected = of(Rejected, found)
    assert len(rejected) == refused
    assert all(one.line > 0 and one.reason.endswith(".") for one in rejected)
    assert values(found) == {}


def test_the_formula_of_gedit_is_the_root_of_both():
    assert WANTED["gedit"]["flux/en/k0", "gpt4o"] == math.sqrt(9 * 4)


def test_grades_beside_results_that_lie_elsewhere_are_read_too(tmp_path):
    LAYOUTS["imgedit"][0](tmp_path / "set")
    put(tmp_path / "mine" / "1082.png")
    put(tmp_path / "mine" / "result.json", edit_grades.FILES["imgedit"][1])
    source = Source(tmp_path / "set", images=tmp_path / "mine", generator="kontext", judge="gpt")
    told = values(records("imgedit", source))
    assert told["kontext/1082", "gpt"] == pytest.approx(8 / 3)
    # In a folder of the set they are read once.
    inside = Source(tmp_path / "set", images=tmp_path / "set" / "edited_images")
    edit_grades.write(tmp_path / "set", "imgedit")
    found = of(ScoreRecord, records("imgedit", inside))
    assert len(found) == len({(one.image, one.judge) for one in found}) == 8
