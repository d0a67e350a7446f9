"""The statistics as a wheel of their own: the same files, typed, with examples that run. `make
wheel-trial` runs these in an empty environment."""

from __future__ import annotations

import doctest
import email
from pathlib import Path

import pytest

from audit import VERSION
from tests.jurybox import wheels
from tests.jurybox.wheels import ROOT

STATS = ROOT / "packages" / "stats"
README, EXAMPLES = STATS / "README.md", ROOT / "docs" / "jurybox-stats.md"
each_page = pytest.mark.parametrize(("page", "least"), [(README, 2), (EXAMPLES, 26)])


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    wheel = wheels.build(STATS, tmp_path_factory.mktemp("dist"))
    return wheels.unpacked(wheel, tmp_path_factory.mktemp("site"))


def test_it_holds_every_file_of_the_statistics(site):
    there = {file.relative_to(site) for file in site.rglob("*.py")}
    assert there == {file.relative_to(STATS) for file in STATS.rglob("*.py")}
    assert {"py.typed", "LICENSE"} <= {file.name for file in (site / "jurybox_stats").iterdir()}


def test_it_asks_for_numpy_and_scipy_alone(site):
    (folder,) = site.glob("*.dist-info")
    told = email.message_from_string((folder / "METADATA").read_text())
    assert [asked.partition(">")[0] for asked in told.get_all("Requires-Dist")] == [
        "numpy",
        "scipy",
    ]
    assert told["Version"] == VERSION


@each_page
def test_the_examples_run_from_the_wheel(site, tmp_path, page, least):
    code = (
        "import doctest, jurybox_stats, sys;"
        f"print(jurybox_stats.__file__, *doctest.testfile({str(page)!r}, module_relative=False))"
    )
    told = wheels.run(site, tmp_path, "-c", code)
    file, failed, tried = told.stdout.rsplit(maxsplit=2)
    assert file.startswith(str(site)) and (failed, int(tried) >= least) == ("0", True), told.stdout


@each_page
def test_every_example_is_one_that_doctest_finds(page, least):
    text = page.read_text()
    assert len(doctest.DocTestParser().get_examples(text)) == text.count("\n>>> ") >= least
