"""Known weaknesses of the packages that Jurybox uses, and what bandit finds in its own code."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.needs import needed

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = sorted(ROOT.glob("requirements*.txt"))
# A pinned package, with its extras in brackets.
PINNED = re.compile(r"[A-Za-z0-9_.-]+(\[[a-z0-9,]+\])?==[A-Za-z0-9.]+")
# bandit's rule -> the one of ruff's that a line names when it says why it may.
EXCUSED_AS = {"B703": "S308"}
# The bench and the bootstrap want seeded, not secret, randomness; importing a module does no harm,
# and other rules look at how it is used (pickle, subprocess, ElementTree); an assert tells mypy what is so, and guards nothing.
LEFT_OUT = "B101,B311,B403,B404,B405"
# Seconds to wait for the list of known weaknesses.
PATIENCE = 45


def run(*command: str, seconds: float = 600) -> subprocess.CompletedProcess:
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


# A line of a lock that names a package, its version, and on which machines it is wanted.
LOCKED = re.compile(r"^([a-z0-9][a-z0-9.-]*)==([^ ]+)(?: ; .*?)? \\$", re.MULTILINE)
# Builds of its own for each kind of machine: the tests' lock leaves it to pip.
LEFT_TO_PIP = re.compile(r"torch|triton|cuda-.*|nvidia-.*")


def pinned(file: Path) -> dict[str, str]:
    """The packages that a requirements file names, with those of the files that it includes."""
    found: dict[str, str] = {}
    for line in file.read_text().splitlines():
        if line.startswith("-r "):
            found |= pinned(file.parent / line.removeprefix("-r "))
        elif PINNED.fullmatch(line):
            name, version = line.split("==")
            found[canonicalize_name(name.partition("[")[0])] = version
    return found


def locked(file: Path) -> dict[str, str]:
    return {canonicalize_name(name): version for name, version in LOCKED.findall(file.read_text())}


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_the_lock_holds_every_pin_at_its_version(file):
    held = locked(file.with_suffix(".lock"))
    pins = pinned(file)
    if file.name == "requirements-dev.txt":
        del pins["torch"]
    assert pins
    assert {name: held.get(name) for name in pins} == pins


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_every_package_of_a_lock_has_the_hashes_of_its_files(file):
    text = file.with_suffix(".lock").read_text()
    entries = re.split(r"^(?=[a-z0-9][a-z0-9.-]*==)", text, flags=re.MULTILINE)[1:]
    assert len(entries) == len(LOCKED.findall(text)) > 20
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("file", REQUIREMENTS, ids=lambda file: file.name)
def test_a_lock_holds_all_that_its_packages_need_here(file):
    held = locked(file.with_suffix(".lock"))
    missing = []
    for name in held:
        try:
            wanted = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue  # not for this machine, or one of CUDA's
        for requirement in map(Requirement, wanted):
            there = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
            needs = canonicalize_name(requirement.name)
            if there and needs not in held and not LEFT_TO_PIP.fullmatch(needs):
                missing.append(f"{name} needs {needs}")
    assert missing == []


def test_a_start_with_charts_makes_no_parsers_of_addresses():
    """`jsonschema` loads them wherever they are installed, and no test and no tool here needs them."""
    assert {"lark", "rfc3987-syntax"} & locked(ROOT / "requirements-dev.lock").keys() == set()


@pytest.mark.nightly("made for a release")
def test_the_list_of_parts_names_every_package_of_the_whole_product(tmp_path):
    target = tmp_path / "sbom.json"
    words = re.search(r"cyclonedx-py (requirements .*?-o) sbom.json (\S+)$", recipe("sbom"), re.S)
    assert words is not None
    options = words[1].replace("\\\n", " ").split()
    made = run("cyclonedx_py", *options, str(target), words[2])
    assert made.returncode == 0, made.stderr
    parts = json.loads(target.read_text())["components"]
    names = {canonicalize_name(part["name"]): part["version"] for part in parts}
    assert names == locked(ROOT / "requirements.lock")
    assert all(part["externalReferences"][0]["hashes"] for part in parts)


def recipe(target: str) -> str:
    text = (ROOT / "Makefile").read_text()
    return text.split(f"\n{target}:", 1)[1].split("\n\n", 1)[0]


@pytest.mark.nightly("asks the network")
def test_no_package_has_a_known_weakness():
    command = ["pip_audit", "--no-deps", "--disable-pip", "--timeout", "5", "--format", "json"]
    command += ["--progress-spinner", "off"]
    for file in REQUIREMENTS:
        command += ["--requirement", file.name]
    try:
        ended = run(*command, seconds=PATIENCE)
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


@pytest.mark.nightly("a scan of the whole code; ruff has most of the same rules")
def test_bandit_finds_nothing_that_its_line_does_not_excuse():
    folders = ("annotations", "judges", "audit", "packages")
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
