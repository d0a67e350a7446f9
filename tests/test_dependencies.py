"""Known weaknesses of the packages that Jurybox uses, and what bandit finds in its own code."""

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
# A pinned package, with its extras in brackets.
PINNED = re.compile(r"[A-Za-z0-9_.-]+(\[[a-z0-9,]+\])?==[A-Za-z0-9.]+")
# bandit's rule -> the one of ruff's that a line names when it says why it may.
EXCUSED_AS = {"B703": "S308"}
# The bench and the bootstrap want seeded, not secret, randomness; importing a module does no harm,
# and other rules look at how it is used; an assert tells mypy what is so, and guards nothing.
LEFT_OUT = "B101,B311,B403,B404"
# Seconds to wait for the list of known weaknesses.
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
    explained = False
    for before, line in zip(["", *lines], lines, strict=False):
        if line.startswith(("#", "-r ")):
            continue
        assert PINNED.fullmatch(line), line
        # One comment may explain all the packages below it.
        explained = before.startswith("#") or (explained and not before.startswith("-r "))
        assert explained, f"no comment says what {line} is for"


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
    weak = {
        package["name"]: [weakness["id"] for weakness in package["vulns"]]
        for package in known
        if package.get("vulns")
    }
    assert weak == {}
    looked_up = [package for package in known if "skip_reason" not in package]
    needed(
        "advisories", bool(looked_up), f"The list of known weaknesses is out of reach: {reason}."
    )


def test_bandit_finds_nothing_that_its_line_does_not_excuse():
    folders = ("annotations", "judges", "audit")
    ended = run("bandit", "-q", "-r", *folders, "-s", LEFT_OUT, "-f", "json")
    report = json.loads(ended.stdout)
    assert report["errors"] == []
    assert report["metrics"]["_totals"]["loc"] > 10_000
    findings = [
        f"{finding['filename']}:{finding['line_number']} {finding['test_id']} {finding['issue_text']}"
        for finding in report["results"]
        if not excused(finding)
    ]
    assert findings == []


def excused(finding: dict) -> bool:
    """Whether a line of the finding has ruff's `noqa` for the same rule."""
    lines = (ROOT / finding["filename"]).read_text().splitlines()
    rule = EXCUSED_AS.get(finding["test_id"], "S" + finding["test_id"][1:])
    numbers = {finding["line_number"], *finding["line_range"]}
    return any(f"noqa: {rule}" in lines[number - 1] for number in numbers)


def test_an_excuse_is_one_for_its_own_rule_alone(tmp_path):
    file = tmp_path / "a.py"
    file.write_text("x = eval('1')  # noqa: S608\ny = eval('1')  # noqa: S307\n")
    findings = json.loads(run("bandit", "-q", str(file), "-f", "json").stdout)["results"]
    assert [(finding["line_number"], excused(finding)) for finding in findings] == [
        (1, False),
        (2, True),
    ]
