"""What follows from the answers of the crowd, by hand and for the 2,000 published ones."""

import csv
import json
from statistics import fmean

import pytest

from jurybox_formats.forms.papers.geneval_crowd import is_correct
from tests import needs

DATA = needs.SHARED / "data" / "geneval"
RIGHT_OF = {
    "include": [
        {"class": "bench", "count": 1},
        {"class": "dog", "count": 1, "color": "red", "position": ["right of", 0]},
    ]
}
ANSWERS = {
    "count-0": 1,
    "count-1": 2,
    "color-1": "red|white",
    "position-x": "right",
    "position-y": "neither_y",
}


@pytest.mark.parametrize(
    ("changes", "correct"),
    [
        ({}, True),
        ({"count-0": 0}, False),
        ({"count-1": 5}, True),
        ({"color-1": "white"}, False),
        ({"color-1": "dark red"}, False),
        ({"position-x": "left"}, False),
        ({"position-x": "neither_x"}, False),
        ({"position-x": None}, False),
    ],
)
def test_clauses_of_the_prompt_worked_by_hand(changes, correct):
    assert is_correct(RIGHT_OF, {**ANSWERS, **changes}) is correct


def test_exactly_two_are_neither_one_nor_three():
    two = {
        "include": [{"class": "clock", "count": 2}],
        "exclude": [{"class": "clock", "count": 3}],
    }
    assert [is_correct(two, {"count-0": n}) for n in (1, 2, 3, 5)] == [False, True, False, False]


def test_a_relation_of_the_first_class_to_the_second_is_read_in_the_mirror():
    left_of = {
        "include": [
            {"class": "dog", "count": 1, "position": ["left of", 1]},
            {"class": "bench", "count": 1},
        ]
    }
    # The bench lies right of the dog, so the dog lies left of the bench.
    assert is_correct(left_of, {"count-0": 1, "count-1": 1, "position-x": "right"})


def test_the_published_answers_of_the_clip_images_mean_what_the_paper_says():
    file, prompts = DATA / "annotations_clip.csv", DATA / "evaluation_metadata.jsonl"
    if not file.exists():
        pytest.skip("GenEval's published annotations are not beside the checkout.")
    lines = [json.loads(line) for line in prompts.read_text().splitlines()]
    with file.open(newline="") as rows:
        found = [
            is_correct(
                lines[int(row["Input.prompt_id"])],
                {
                    name.removeprefix("Answer.task-"): value
                    for name, value in row.items()
                    if name.startswith("Answer.task-") and value
                },
            )
            for row in csv.DictReader(rows)
        ]
    assert len(found) == 2000
    assert round(fmean(found), 4) == 0.416
