"""The official numbers of known sets: by hand, and against what the official functions gave."""

import json
from dataclasses import replace

import numpy as np
import pytest

from audit.set_scores.figures import FIRST_ROW, LAST_CROP, ScoredImage, figures
from tests import needs

GOLDEN = needs.SHARED / "golden" / "today_scores.json"


def told(name, rows, *slips, edition="verified"):
    return {one.name: one.value(slice(None)) for one in figures(name, rows, slips, edition)}


def row(prompt, score, *, sample=0, metadata=None, points=None, evidence=None, answers=None):
    return ScoredImage(prompt, metadata or {}, sample, score, points or {}, evidence or {}, answers)


def question(number, on, category, place=9):
    values = {"proposition_id": str(number), "dependency": on, "tuple": f"{category} (a cup)"}
    return {"form": "table", "place": place, "row": values}


def test_dpg_is_the_mean_of_prompts_and_its_categories_of_all_pictures_after_zeroing():
    asked = [question(1, "0", "entity - whole"), question(2, "1", "attribute - color")]
    metadata = {"rows": asked}
    # Of the first picture nothing counts, though the color was answered yes; of the second all does.
    rows = [
        row("a", 0.0, metadata=metadata, answers=(0.0, 1.0)),
        row("a", 1.0, sample=1, metadata=metadata, answers=(1.0, 1.0)),
        row("b", 0.25),
    ]
    # a: (0 + 1) / 2, b: .25
    assert told("dpg", rows) == {"DPG-Bench score": 0.375, "entity": 0.5, "attribute": 0.5}
    # The slip: the last picture alone, before anything is zeroed.
    last = rows[:1] + [row("a", 0.5, sample=1, metadata=metadata, answers=(0.0, 1.0))]
    assert told("dpg", last, LAST_CROP)["attribute"] == 1.0
    assert told("dpg", last)["attribute"] == 0.0


def test_without_the_first_row_of_the_table_its_question_is_not_asked():
    free = [question(1, "0", "entity - whole", place=0), question(2, "0", "entity - whole")]
    resting = [question(1, "0", "entity - whole", place=0), question(2, "1", "entity - whole")]
    one = row("a", 0.5, metadata={"rows": free}, answers=(0.0, 1.0))
    other = row("b", 0.5, metadata={"rows": resting}, answers=(1.0, 0.0))
    assert told("dpg", [one], FIRST_ROW) == {"DPG-Bench score": 1.0, "entity": 1.0}
    # Where another question rests on it the script fails, and the picture is left out.
    assert told("dpg", [one, other], FIRST_ROW)["DPG-Bench score"] == 1.0


def test_wise_weighs_its_categories_and_has_no_mean_without_one_of_them():
    numbers = {1: 1.0, 401: 0.0, 521: 1.0, 641: 0.0, 761: 1.0, 881: 1.0}
    rows = [row(str(n), score, metadata={"number": n}) for n, score in numbers.items()]
    found = told("wise", rows)
    # .4 + .12 × (0 + 1 + 0 + 1 + 1)
    assert found["WiScore"] == pytest.approx(0.76)
    assert found["TIME"] == 0.0
    # The older edition has other bounds (TIME ends at 567) and other weights.
    older = told("wise", rows, edition="legacy")
    assert older["TIME"] == 0.5 and np.isnan(older["WiScore"]) and "CHEMISTRY" not in older


def test_unigenbench_counts_test_points_by_the_part_before_the_dash():
    points = {"test_points": ["Style", "Attribute - Color", "Attribute - Size"]}
    rows = [row("en/0", 2 / 3, metadata=points, points={0: 1.0, 1: 1.0, 2: 0.0})]
    rows += [row("en/0", 0.5, sample=1, metadata=points, points={0: 0.0, 1: 1.0, 2: None})]
    assert told("unigenbench", rows) == {
        "all test points": 0.6,
        "Style": 0.5,
        "Attribute": pytest.approx(2 / 3),
        "Attribute - Color": 1.0,
        "Attribute - Size": 0.0,
    }


def test_corebench_is_a_mean_of_images_by_task():
    rows = [row("C-MI-001", 1.0), row("C-MI-002", 0.5), row("R-LR-001", 0.0)]
    assert told("corebench", rows) == {"all images": 0.5, "C-MI": 0.75, "R-LR": 0.0}


@pytest.mark.skipif(
    not GOLDEN.exists(), reason="the numbers of the official functions are not here"
)
def test_the_numbers_are_those_of_the_official_functions():
    seen = set()
    for case in json.loads(GOLDEN.read_text())["cases"]:
        kind, given, expected = case["kind"], case["inputs"], case["expected"]
        seen.add(kind)
        if kind == "dpg":
            asked = [
                question(q["proposition_id"], ",".join(map(str, q["dependency"])), q["category"])
                for q in given["questions"]
            ]
            from jurybox_judging.methods import dpg

            rows = [
                row(
                    "a",
                    dpg.dpg_score(_questions(asked), [answers]),
                    sample=place,
                    metadata={"rows": asked},
                    answers=tuple(map(float, answers)),
                )
                for place, answers in enumerate(given["answers"])
            ]
            found = told("dpg", rows, LAST_CROP)
            assert found.pop("DPG-Bench score") == pytest.approx(expected["official_score"])
            assert found == pytest.approx(expected["official_by_category_last_crop_unzeroed"])
        elif kind in ("longtext", "oneig_text"):
            texts = [r["text"] for r in given["rows"]]
            texts = [t if isinstance(t, str) else "\n".join(t) for t in texts]
            rows = [
                row(str(n), 0.0, evidence={"expected": text, "read": r["read"]})
                for n, (text, r) in enumerate(zip(texts, given["rows"], strict=True))
            ]
            name = "oneig" if kind == "oneig_text" else "longtext"
            found = told(name, rows)
            value = found.get("text score", found.get("word accuracy"))
            assert value == pytest.approx(expected["text_score"])
        else:
            legacy = kind == "wise_legacy"
            rows = [
                row(
                    str(n), _grade(r) if legacy else r["score"], metadata={"number": r["prompt_id"]}
                )
                for n, r in enumerate(given["rows"])
            ]
            found = told("wise", rows, edition="legacy" if legacy else "verified")
            assert found.pop("WiScore") == pytest.approx(expected["overall"])
            assert found == pytest.approx(expected["by_category"])
    assert seen == {"dpg", "longtext", "oneig_text", "wise_legacy", "wise_verified"}


def _questions(asked):
    from jurybox_judging.methods.dpg import DpgQuestion

    return [
        DpgQuestion(
            int(q["row"]["proposition_id"]),
            tuple(map(int, q["row"]["dependency"].split(","))),
            q["row"]["tuple"].partition("(")[0].strip(),
        )
        for q in asked
    ]


def _grade(r):
    return (0.7 * r["consistency"] + 0.2 * r["realism"] + 0.1 * r["aesthetic_quality"]) / 2


def edit(category, *, free=False, **grades):
    metadata = {"consistency_free": True} if free else {}
    evidence = {"answers": [{"name": name, "score": value} for name, value in grades.items()]}
    return ScoredImage(category, metadata, 0, 0.0, {}, evidence, None, (category,))


def test_rise_weighs_by_category_and_its_slip_is_named():
    rows = [
        edit("causal_reasoning", reasoning=3, consistency=1, plausibility=5),
        edit("temporal_reasoning", free=True, reasoning=5, plausibility=5),
        edit("logical_reasoning", reasoning=5, consistency=5),
        edit("spatial_reasoning", reasoning=5),
    ]
    # .3 + 1.5 + 1 = 2.8, 5 and 5, on a scale of 1 to 5; the last one is not graded.
    found = told("rise", rows)
    assert found["all edits: score, %"] == pytest.approx(25 * (12.8 / 3 - 1))
    assert found["all edits: accuracy"] == pytest.approx(2 / 3)
    assert "spatial reasoning: score, %" not in found
    # As coded: the first one's consistency does not count, .8 × 3 + .2 × 5.
    slip = told("rise", rows, "nothing-stays")
    assert slip["causal reasoning: score, %"] == pytest.approx(25 * (3.4 - 1))
    assert slip["causal reasoning: accuracy"] == 0


def test_gedit_is_a_mean_of_kinds_not_of_edits():
    def graded(kind, semantic, quality):
        given = edit(kind, semantic_consistency=semantic, perceptual_quality=quality)
        return ScoredImage(kind, {}, 0, 0.0, {}, given.evidence, None, (kind, "en"))

    rows = [graded("add", 4, 4), graded("add", 8, 8), graded("tone", 0, 9)]
    found = told("gedit", rows)
    assert found["en: semantic consistency"] == 3  # (6 + 0) / 2
    assert found["en: perceptual quality"] == 7.5  # (6 + 9) / 2
    assert found["en: overall"] == 3


def test_cvtg_counts_words_over_all_images_and_oneig_grids_by_their_words():
    counted = [
        row("a", 1.0, evidence={"correct_words": 1, "total_words": 1, "ned_word_data": [1.0]}),
        row("b", 0.0, evidence={"correct_words": 0, "total_words": 3, "ned_word_data": [0.2] * 3}),
    ]
    assert told("cvtg", counted) == {"word accuracy": 0.25, "NED": pytest.approx(0.4)}
    # Of several files, which have so many texts in each picture, each by itself, too.
    by_file = [replace(one, prompt=f"CVTG/{n}/0") for n, one in enumerate(counted, 2)]
    found = told("cvtg", by_file)
    assert found["word accuracy"] == 0.25
    assert (found["word accuracy, CVTG/2"], found["word accuracy, CVTG/3"]) == (1, 0)
    assert found["NED, CVTG/3"] == pytest.approx(0.2)
    grids = [
        row("a", 1.0, metadata={"text": "one"}, evidence={"ED": 0.0, "CR": 1.0, "WAC": 1.0}),
        row("b", 0.0, metadata={"text": "a b c"}, evidence={"ED": 10.0, "CR": 0.0, "WAC": 0.5}),
    ]
    found = told("oneig", grids)
    assert (found["ED"], found["CR"], found["WAC"]) == (5, 0.5, 0.625)
    # 1 − 5 × (1 − .5) × (1 − .625) / 100
    assert found["text score"] == pytest.approx(0.990625)
