"""The statistics as a wheel of their own: the same files, typed, with examples that run. `make
wheel-trial` runs all their tests from it in an empty environment; here a few of them."""

from __future__ import annotations

import doctest
import email
import re
import subprocess
import sys
from pathlib import Path

import pytest

from audit import VERSION
from tests.jurybox import renamed_tests, wheels
from tests.jurybox.wheels import ROOT

EXAMPLES = ROOT / "stats-wheel" / "README.md"
FEW = ("test_estimate.py", "test_multiplicity.py", "test_escalation.py", "test_ranking.py")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    wheel = wheels.build(ROOT / "stats-wheel", tmp_path_factory.mktemp("dist"))
    return wheels.unpacked(wheel, tmp_path_factory.mktemp("site"))


def test_it_holds_every_file_of_the_statistics_and_imports_nothing_else_of_the_app(site):
    there = {file.relative_to(site / "jurybox_stats") for file in site.rglob("*.py")}
    source = ROOT / "packages" / "stats" / "jurybox_stats"
    assert there == {file.relative_to(source) for file in source.rglob("*.py")}
    of_app = re.compile(r"^\s*(from|import) (audit|judges|annotations|django)\b", re.MULTILINE)
    assert [file for file in site.rglob("*.py") if of_app.search(file.read_text())] == []
    assert (site / "jurybox_stats" / "py.typed").exists()


def test_it_asks_for_numpy_and_scipy_alone(site):
    (folder,) = site.glob("*.dist-info")
    told = email.message_from_string((folder / "METADATA").read_text())
    assert [asked.partition(">")[0] for asked in told.get_all("Requires-Dist")] == [
        "numpy",
        "scipy",
    ]
    assert told["Version"] == VERSION


def test_the_examples_of_its_readme_run_from_the_wheel(site, tmp_path):
    code = (
        "import doctest, jurybox_stats, sys;"
        f"print(jurybox_stats.__file__, *doctest.testfile({str(EXAMPLES)!r}, module_relative=False))"
    )
    told = wheels.run(site, tmp_path, "-c", code)
    file, failed, tried = told.stdout.rsplit(maxsplit=2)
    assert file.startswith(str(site)) and (failed, int(tried) > 25) == ("0", True), told.stdout


def test_every_example_is_one_that_doctest_finds():
    text = EXAMPLES.read_text()
    assert len(doctest.DocTestParser().get_examples(text)) == text.count("\n>>> ")


@pytest.mark.nightly("the tests of packages/stats/jurybox_stats again, from a wheel")
def test_its_tests_pass_from_the_wheel(site, tmp_path):
    left = renamed_tests.copy(tmp_path)
    assert len(left) <= 3, left
    folder = tmp_path / "tests" / "stats"
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:django", "-p", "no:cacheprovider"]
        + ["-p", "no:xdist", *(str(folder / name) for name in FEW)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "PATH": "", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout[-3000:] + ended.stderr
    print(ended.stdout.splitlines()[-1])
