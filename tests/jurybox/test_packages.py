"""Each package as a wheel of its own: the same files, typed, with examples that run. `make wheel-trial`
runs these in empty environments."""

from __future__ import annotations

import doctest
import email
from pathlib import Path

import pytest

from audit import VERSION
from tests.jurybox import wheels
from tests.jurybox.wheels import PACKAGES, ROOT

ASKED_FOR = {
    "formats": [],
    "judging": ["jurybox-formats", "numpy", "pillow", "scipy"],
    "stats": ["numpy", "scipy"],
}
# Package, page, and so many examples at least.
EXAMPLES = [
    ("formats", "packages/formats/README.md", 5),
    ("judging", "packages/judging/README.md", 8),
    ("stats", "packages/stats/README.md", 2),
    ("stats", "docs/jurybox-stats.md", 26),
]
each_package = pytest.mark.parametrize("name", PACKAGES)
each_page = pytest.mark.parametrize(("name", "page", "least"), EXAMPLES)


@pytest.fixture(scope="module")
def sites(tmp_path_factory) -> dict[str, Path]:
    def build(source: Path) -> Path:
        wheel = wheels.build(source, tmp_path_factory.mktemp("dist"))
        return wheels.unpacked(wheel, tmp_path_factory.mktemp("site"))

    return {name: build(source) for name, source in PACKAGES.items()}


@each_package
def test_it_holds_every_file_of_the_package(sites, name):
    site, source = sites[name], PACKAGES[name]
    there = {file.relative_to(site) for file in site.rglob("*.py")}
    assert there == {file.relative_to(source) for file in source.rglob("*.py")}
    assert {"py.typed", "LICENSE"} <= {file.name for file in (site / f"jurybox_{name}").iterdir()}


@each_package
def test_it_asks_for_few_packages_alone(sites, name):
    (folder,) = sites[name].glob("*.dist-info")
    told = email.message_from_string((folder / "METADATA").read_text())
    asked = [line for line in told.get_all("Requires-Dist") or [] if "extra ==" not in line]
    assert [line.partition(">")[0] for line in asked] == ASKED_FOR[name]
    assert told["Version"] == VERSION


@each_page
def test_the_examples_run_from_the_wheel(sites, tmp_path, name, page, least):
    code = (
        f"import doctest, jurybox_{name} as package;"
        f"print(package.__file__, *doctest.testfile({str(ROOT / page)!r}, module_relative=False))"
    )
    told = wheels.run(sites[name], tmp_path, "-c", code)
    file, failed, tried = told.stdout.rsplit(maxsplit=2)
    assert file.startswith(str(sites[name])), told.stderr
    assert (failed, int(tried) >= least) == ("0", True), told.stdout


@each_page
def test_every_example_is_one_that_doctest_finds(name, page, least):
    text = (ROOT / page).read_text()
    assert len(doctest.DocTestParser().get_examples(text)) == text.count("\n>>> ") >= least


def test_every_readme_has_an_example():
    assert {f"packages/{name}/README.md" for name in PACKAGES} <= {page for _, page, _ in EXAMPLES}
