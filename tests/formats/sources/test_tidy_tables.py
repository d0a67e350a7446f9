import csv
import json
from dataclasses import replace

import pytest

from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.records import ImageRecord, PromptRecord, Rejected

ROWS = [
    {"image_id": "a", "prompt_id": "1", "prompt": "a cup", "generator": "sea", "tags": "x;y"},
    {"image_id": "b", "prompt_id": "1", "prompt": "a cup", "generator": "sun", "tags": "x;y"},
    {"image_id": "c", "prompt_id": "2", "prompt": "'=cup", "generator": "sun", "sample": "3"},
    {
        "image_id": "d",
        "prompt_id": "2",
        "prompt": "'=cup",
        "generator": "sea",
        "metadata": '{"k": 1}',
    },
    {"image_id": "e", "prompt_id": "2", "prompt": "'=cup", "generator": "sea"},
]


def as_csv(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, (*tidy_tables.IMAGES, *tidy_tables.IMAGES_MORE))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_table_says_the_same_as_lines_of_json(tmp_path):
    # Those are looked at cell by cell, while a table passes over a prompt that it has read already.
    lines = tmp_path / "images.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    table = list(tidy_tables.images_table(as_csv(tmp_path / "images.csv", ROWS)))
    # The header is a line.
    assert [replace(r, line=r.line - 1, source="images.jsonl") for r in table] == list(
        tidy_tables.images_table(lines)
    )
    assert [r.text for r in table if isinstance(r, PromptRecord)] == ["a cup", "=cup"]
    assert [r.prompt for r in table if isinstance(r, ImageRecord)] == ["1", "1", "2", "2", "2"]


@pytest.mark.parametrize("field", ["prompt", "tags"])
def test_a_prompt_that_changes_further_down_is_named_with_its_line(tmp_path, field):
    other = {**ROWS[1], "image_id": "z", field: "another"}
    read = list(tidy_tables.images_table(as_csv(tmp_path / "images.csv", [*ROWS, other])))
    (refused,) = (r for r in read if isinstance(r, Rejected))
    assert (refused.line, refused.field) == (7, "prompt")
    assert refused.reason == "“1” stood for another prompt (or other tags) further up."


def test_a_row_that_cannot_be_used_does_not_hide_its_prompt(tmp_path):
    rows = [{**ROWS[0], "variant": "third"}, ROWS[1]]
    refused, prompt, *_ = tidy_tables.images_table(as_csv(tmp_path / "images.csv", rows))
    assert (refused.field, refused.line) == ("variant", 2)
    assert (prompt.key, prompt.line) == ("1", 3)


@pytest.mark.parametrize(("cell", "answer"), [("yes", True), ("N", False), ("1.0", True)])
def test_a_judges_yes_is_written_as_a_persons_may_be(cell, answer):
    assert tidy_tables.CHECKS["correct"][0]("correct", cell) is answer
