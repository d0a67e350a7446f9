"""The runner of golden vectors, and the vectors that are kept here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.vectors.run import CHECKS, run

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "audit" / "stats" / "golden"
KEPT_RULES = ROOT / "tests" / "judges" / "methods" / "golden"
FOLDERS = (KEPT, KEPT_RULES)
# Files of fewer than ten cases: one study, three prompts with ten images each, and so on.
FEW = {
    "compbench_3in1": 3,
    "compbench_pre_question": 5,
    "genai_image_eval": 1,
    "genai_rank": 4,
    "geneval_summary": 8,
    "mtme_permutation": 4,
}


@pytest.mark.parametrize("name", sorted(CHECKS))
def test_every_case_of_a_file_agrees_with_its_reference(name):
    outcome = run(next(f / f"{name}.json" for f in FOLDERS if (f / f"{name}.json").exists()))
    assert outcome.total >= FEW.get(name, 10)
    assert outcome.agrees, outcome.as_line()


def test_a_case_that_differs_is_counted_and_named(tmp_path):
    bundle = json.loads((KEPT / "water_filling.json").read_text())
    bundle["cases"][1]["expected"]["pi"][0] += 1e-9
    (tmp_path / "water_filling.json").write_text(json.dumps(bundle))
    outcome = run(tmp_path / "water_filling.json")
    assert (outcome.agree, outcome.total) == (14, 15)
    assert bundle["cases"][1]["id"] in outcome.as_line()


def test_a_file_without_cases_does_not_agree(tmp_path):
    (tmp_path / "goodhart.json").write_text('{"cases": []}')
    assert not run(tmp_path / "goodhart.json").agrees


def command(*files: Path) -> subprocess.CompletedProcess:
    words = [sys.executable, "-m", "tests.vectors", *map(str, files)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_command_prints_one_line_a_file_and_ends_with_0():
    done = command(KEPT / "water_filling.json", KEPT / "goodhart.json")
    lines = ["water_filling: 15 of 15 agree", "goodhart: 12 of 12 agree"]
    assert (done.returncode, done.stdout.splitlines()) == (0, lines)


def test_a_name_that_no_function_has_ends_with_1_and_says_which_there_are(tmp_path):
    (tmp_path / "unheard_of.json").write_text('{"cases": []}')
    done = command(tmp_path / "unheard_of.json")
    assert done.returncode == 1
    assert "no function is known for this name" in done.stdout
    assert "assisted_mean" in done.stdout
