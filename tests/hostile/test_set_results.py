"""Result files of known sets with something else in one place: a row is refused, or the file, with a sentence."""

from __future__ import annotations

import json
import os
import random

import pytest

from jurybox_formats.registry import Source, records
from jurybox_formats.sources.records import Rejected, ScoreRecord, Unreadable
from tests.formats.sets import edit_grades
from tests.formats.sets.edit_layouts import LAYOUTS
from tests.formats.sets.prompt_sets import small
from tests.hostile.test_set_metadata import mangle
from tests.judges.intake.test_bring_in import RESULTS

MANGLED = int(os.environ.get("MANGLED", 40))
CELLS = ("", "nan", "inf", "-1", "1e999", "9" * 400, "[", "[1,2]", "\0", "😀", "True", "=1+1")


def mangled_text(content: str, dice: random.Random) -> str:
    """One value of a row, or one stretch of characters."""
    lines = content.splitlines(keepends=True)
    place = dice.randrange(len(lines))
    try:
        row = json.loads(lines[place])
        lines[place] = json.dumps(mangle(row, dice)) + "\n"
    except (ValueError, IndexError):
        cells = lines[place].rstrip("\n").split(",")
        cells[dice.randrange(len(cells))] = dice.choice(CELLS)
        lines[place] = ",".join(cells) + "\n"
    return "".join(lines)


def mangled_content(content: str, dice: random.Random) -> bytes:
    kind = dice.random()
    if kind < 0.2:
        start = dice.randrange(len(content))
        return (content[:start] + content[start + dice.randrange(1, 9) :]).encode()
    if kind < 0.3:
        data = bytearray(content.encode())
        data[dice.randrange(len(data))] = dice.randrange(256)
        return bytes(data)
    if content.startswith("{") and kind < 0.8:
        try:
            whole = mangle(json.loads(content), dice)
            return json.dumps(whole).encode()
        except ValueError:
            pass
    return mangled_text(content, dice).encode()


CHECKED = json.loads(json.dumps(small.CORE))
for row in CHECKED.values():
    for point in row["Checklist"]:
        point["score"] = 1
OTHERS = {
    "corebench": ("flux/C-MI-qwen.json", json.dumps(CHECKED)),
    "dpg": ("r.txt", "flux/0.png, 0.5, 1.0, 0.0, 0.5, 0.5\n"),
    "wise": (
        "flux/a.jsonl",
        small.lines({"prompt_id": 1, "consistency": 2, "realism": 1, "aesthetic_quality": 0}),
    ),
    "unigenbench": (
        "flux_en.csv",
        small.table(
            {
                "index": 0,
                "testpoint": "[]",
                "result_json": '{"score": [1, 0]}',
                "img_path": "flux/0_2.png",
            }
        ),
    ),
}
CASES = {name: (small.write, *case[:2]) for name, case in (RESULTS | OTHERS).items()} | {
    name: (lambda folder, name: LAYOUTS[name][0](folder), *edit_grades.FILES[name])
    for name in LAYOUTS
}


@pytest.mark.parametrize("name", CASES)
def test_no_file_of_results_breaks_its_reader(name, tmp_path):
    make, file, content = CASES[name]
    make(tmp_path, name)
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    dice = random.Random(17)
    refused = told = 0
    for _ in range(MANGLED):
        path.write_bytes(mangled_content(content, dice))
        try:
            found = list(records(name, Source(tmp_path)))
        except Unreadable as error:
            assert error.message.endswith(".")
            refused += 1
            continue
        rejected = [one for one in found if isinstance(one, Rejected)]
        assert all(one.reason.endswith(".") for one in rejected)
        refused += len(rejected)
        scores = [one.score for one in found if isinstance(one, ScoreRecord)]
        assert all(value is None or abs(value) < 1e100 for value in scores)
        told += len(scores)
    assert told
