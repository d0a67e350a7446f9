"""What scripts read in pictures: LongText's lines, CVTG's counts, OneIG's tables, and TIIF's answers."""

import json

import pytest

from tests.formats.sets.prompt_sets import small
from tests.formats.sets.reading import Read


def read_with(tmp_path, name, file, content, **more):
    folder = small.write(tmp_path, name)
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text(content, encoding="utf-8")
    return Read(name, folder, **more)


def values(read):
    return {(one.image, one.judge, one.atom): one.score for one in read.scores}


def line(image, said, prompt, **more):
    return small.lines({"image": image, "prompt": prompt, "ocr_results": said, **more})


def test_a_line_of_longtext_is_a_share_of_words_and_keeps_what_was_read(tmp_path):
    read = read_with(
        tmp_path, "longtext", "flux/r.jsonl", line("o/flux/0_2.png", "open 9", "A sign")
    )
    # OPEN and 9 of “OPEN 9 to 5”, whatever the case.
    assert values(read) == {("flux/en/0000/2", "longtext", None): 0.5}
    assert read.scores[0].evidence["read"] == "open 9"


def test_a_number_of_both_languages_is_told_by_the_prompt_beside_it(tmp_path):
    content = line("o/flux/0000_1.png", "营业", "招牌") + line("o/flux/0000_1.png", "x", "A sign")
    read = read_with(tmp_path, "longtext", "r.jsonl", content)
    assert values(read) == {
        ("flux/zh/0000/1", "longtext", None): pytest.approx(2 / 3),
        ("flux/en/0000/1", "longtext", None): 0.0,
    }
    other = read_with(tmp_path, "longtext", "r.jsonl", line("o/flux/0000.png", "x", "Another"))
    assert [one.field for one in other.rejected] == ["image"]
    assert "Several prompts have this number" in other.rejected[0].reason


def test_each_measure_of_cvtg_is_a_judge_of_its_own(tmp_path):
    told = {"correct_words": 1, "total_words": 4, "ned_word_data": [1, 0, 0.5, 0.5]}
    row = {"image": "flux/CVTG/3/0.png", "prompt": "A sign '3'", **told, "clipscore": 0.7}
    found = values(read_with(tmp_path, "cvtg", "r.jsonl", small.lines(row)))
    image = "flux/CVTG/3/0"
    assert found == {
        (image, "cvtg", None): 0.25,
        (image, "cvtg-ned", None): 0.5,
        (image, "cvtg-clipscore", None): 0.7,
    }


def test_oneig_has_a_column_for_each_generator_and_a_row_for_each_prompt(tmp_path):
    folder = small.write(tmp_path, "oneig")
    tables = {
        "alignment_prompt_score_EN_1.csv": ",flux,sd\nhuman_000,0.75,\n",
        "text_prompt_score_EN_1.csv": ',flux\n000,"[10.0, 0.5, 0.8]"\n001,\n',
        "alignment_score_EN_1.csv": ",alignment\nflux,0.75\n",
    }
    for name, content in tables.items():
        (folder / name).write_text(content)
    read = Read("oneig", folder)
    assert read.rejected == []
    text = "Text_Rendering"
    assert values(read) == {
        ("flux/Portrait/000", "oneig-alignment", None): 0.75,
        ("sd/Portrait/000", "oneig-alignment", None): None,
        # 1 − 10 × (1 − .5) × (1 − .8) / 100
        (f"flux/{text}/000", "oneig-text", None): pytest.approx(0.99),
        (f"flux/{text}/001", "oneig-text", None): None,
    }


def test_a_mean_over_a_grid_is_no_picture_of_it(tmp_path):
    table = ",flux\nhuman_000,0.75\n"
    read = read_with(tmp_path, "oneig", "alignment_prompt_score_EN.csv", table, grid=2)
    assert read.scores == []
    assert any("means over a whole grid" in one.words for one in read.remarks)


def test_an_answer_of_tiif_is_right_where_it_is_the_expected_one(tmp_path):
    told = {"attribute": "color", "desc": "short_description", "line_idx": 0}
    told["model_pred"] = ["No.", "perhaps"]
    file = "eval_results/flux/color/short/0.json"
    read = read_with(tmp_path, "tiif", file, json.dumps(told))
    assert values(read) == {
        ("flux/color/0/short", "tiif", 0): 0.0,
        ("flux/color/0/short", "tiif", 1): None,
        ("flux/color/0/short", "tiif", None): 0.0,
    }


BAD = {
    "longtext": ("r.jsonl", line("o/flux/0_1.png", 7, "A sign"), "must be a text"),
    "cvtg": (
        "r.jsonl",
        small.lines({"image": "flux/CVTG/2/0.png", "correct_words": 5, "total_words": 2}),
        "5 of 2 words",
    ),
    "oneig": ("text_prompt_score_EN.csv", ",flux\n000,0.5\n", "Three numbers"),
    "tiif": (
        "e/flux/color/long/0.json",
        json.dumps(
            {
                "attribute": "color",
                "desc": "long_description",
                "line_idx": 0,
                "model_pred": ["yes"],
            }
        ),
        "2 answers",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_result_that_cannot_be_is_named(tmp_path, name):
    file, content, words = BAD[name]
    read = read_with(tmp_path, name, file, content)
    assert len(read.rejected) == 1 and words in read.rejected[0].reason
    assert read.scores == []


def test_a_line_of_dpg_that_fits_no_prompt_loses_no_other(tmp_path):
    lines = "flux/77.png, 1.0, 1.0\nflux/0.png, 0.5, 0.5\n"
    read = read_with(tmp_path, "dpg", "r.txt", lines)
    assert [one.line for one in read.rejected] == [1]
    assert values(read) == {("flux/0", "dpg", None): 0.5}
