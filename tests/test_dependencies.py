"""What is known against the packages that Jurybox stands on, and what bandit finds in its own code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.needs import needed

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = sorted(ROOT.glob("requirements*.txt"))
# A pinned package, its own parts in brackets.
PINNED = re.compile(r"[A-Za-z0-9_.-]+(\[[a-z0-9,]+\])?==[A-Za-z0-9.]+")
# bandit's rule -> the one of ruff's that a line names when it says why it may.
EXCUSED_AS = {"B703": "S308"}
# The bench and the bootstrap want seeded, not secret, randomness; and the import of a module does
# no harm, its use is looked at by rules of its own.
LEFT_OUT = "B311,B403,B404"
# Seconds that a list of known weaknesses may take.
PATIENCE = 45


def run(*command: str, seconds: float = PATIENCE) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
    )


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_every_package_is_pinned_and_says_what_it_is_for(file):
    lines = [line for line in file.read_text().splitlines() if line.strip()]
    told = False
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith(("#", "-r ")):
            continue
        assert PINNED.fullmatch(line), line
        # One line may speak for the packages that follow it.
        told = before.startswith("#") or (told and not before.startswith("-r "))
        assert told, f"nobody says what {line} is for"


def test_no_package_has_a_known_weakness():
    command = ["pip_audit", "--no-deps", "--disable-pip", "--timeout", "5", "--format", "json"]
    command += ["--progress-spinner", "off"]
    for file in REQUIREMENTS:
        command += ["--requirement", file.name]
    try:
        ended = run(*command)
        known = json.loads(ended.stdout)["dependencies"]
    except subprocess.TimeoutExpired:
        known, reason = [], f"it did not answer within {PATIENCE} s"
    except ValueError:
        known, reason = [], (ended.stderr.strip().splitlines() or ["it said nothing"])[-1]
    else:
        reason = "it knows none of the packages"
    weak = {one["name"]: [v["id"] for v in one["vulns"]] for one in known if one.get("vulns")}
    assert weak == {}
    asked = [one for one in known if "skip_reason" not in one]
    needed("advisories", bool(asked), f"The list of known weaknesses is out of reach: {reason}.")


def test_bandit_finds_nothing_that_its_line_does_not_excuse():
    folders = ("annotations", "judges", "audit")
    ended = run("bandit", "-q", "-r", *folders, "-s", LEFT_OUT, "-f", "json")
    told = json.loads(ended.stdout)
    assert told["errors"] == []
    assert told["metrics"]["_totals"]["loc"] > 10_000
    found = [
        f"{one['filename']}:{one['line_number']} {one['test_id']} {one['issue_text']}"
        for one in told["results"]
        if not excused(one)
    ]
    assert found == []


def excused(finding: dict) -> bool:
    """Whether a line of it carries ruff's mark for the same rule."""
    lines = (ROOT / finding["filename"]).read_text().splitlines()
    rule = EXCUSED_AS.get(finding["test_id"], "S" + finding["test_id"][1:])
    numbers = {finding["line_number"], *finding["line_range"]}
    return any(f"noqa: {rule}" in lines[number - 1] for number in numbers)


def test_an_excuse_is_one_for_its_own_rule_alone(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("x = eval('1')  # noqa: S608\ny = eval('1')  # noqa: S307\n")
    told = json.loads(run("bandit", "-q", str(file), "-f", "json").stdout)
    assert [(one["line_number"], excused(one)) for one in told["results"]] == [
        (1, False),
        (2, True),
    ]
