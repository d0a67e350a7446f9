"""What the documentation names is there: files, folders, commands, targets, formats, judges, links."""

from __future__ import annotations

import argparse
import ast
import importlib
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands, load_command_class

from jurybox.command import CLIENTS, SHORT
from jurybox_formats.registry import FORMATS
from jurybox_judging.catalogue import JUDGES
from jurybox_judging.recipes.option_tables import judge_page

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    *(
        ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "AGENTS.md")
    ),
    *sorted((ROOT / "docs").rglob("*.md")),
]
APPS = ("annotations", "judges", "audit", "jurybox", "packages")
# A path from the root of the repository, in prose, in a table or in a command.
PATH = re.compile(
    r"(?<![\w/.\-])((?:annotations|judges|audit|jurybox|packages|tests|templates|static|docs|\.ci)/[\w./\-]*)"
)
COMMAND = re.compile(r"(manage\.py|(?<![\w/])jurybox) ([a-z_]+)([^\n`]*)")
OPTION = re.compile(r"(?<![\w\-])--[a-z][a-z\-]*")
TARGET = re.compile(r"\bmake ([a-z][a-z\-]+)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
# Made by tests, and not in a fresh clone.
MADE = {"tests/browser/screenshots/"}
each_page = pytest.mark.parametrize(
    "page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix()
)


def architecture() -> str:
    return (ROOT / "docs" / "architecture.md").read_text()


def fences(text: str, language: str = "") -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def code(text: str) -> str:
    """The fenced blocks and the code spans."""
    spans = re.findall(r"(?<!`)`([^`\n]+(?:\n[^`\n]+)?)`(?!`)", text)
    return "\n".join(fences(text) + spans)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@each_page
def test_every_file_and_folder_that_is_named_exists(page):
    named = {match.rstrip(".") for match in PATH.findall(page.read_text())}
    absent = {path for path in named - MADE if "NAME" not in path and not (ROOT / path).exists()}
    assert absent == set()


@each_page
def test_every_link_leads_somewhere(page):
    for link in LINK.findall(page.read_text()):
        if link.startswith(("http://", "https://")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if target.parent == ROOT / "docs" / "reference":
            # Read off the code when the site is built: `tests/test_site.py` follows these.
            continue
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def parser_of(program: str, name: str) -> argparse.ArgumentParser:
    if program == "jurybox" and name in CLIENTS:
        return importlib.import_module(CLIENTS[name]).parser()
    command = get_commands()[name]
    if isinstance(command, str):
        command = load_command_class(command, name)
    return command.create_parser("manage.py", name)


@each_page
def test_every_command_that_is_named_exists_with_its_options(page):
    for program, name, rest in COMMAND.findall(code(page.read_text())):
        options = parser_of(program, SHORT.get(name, name))._option_string_actions
        assert set(OPTION.findall(rest.partition("#")[0])) <= options.keys(), name


@each_page
def test_every_make_target_that_is_named_exists(page):
    assert set(TARGET.findall(code(page.read_text()))) <= targets()


def targets() -> set[str]:
    text = (ROOT / "Makefile").read_text()
    return set(re.findall(r"^([a-z][a-z\-]*):", text, re.MULTILINE))


def test_make_help_names_every_target():
    printed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(TARGET.findall(printed.stdout)) | {"help"} == targets()


@each_page
def test_python_examples_import_what_is_there(page):
    for block in fences(page.read_text(), "python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom):
                module = importlib.import_module(node.module)
                for alias in node.names:
                    if not hasattr(module, alias.name):
                        importlib.import_module(f"{node.module}.{alias.name}")


def test_every_folder_with_code_has_its_row():
    text = architecture()
    folders = {
        file.parent.relative_to(ROOT).as_posix()
        for app in APPS
        for file in (ROOT / app).rglob("*.py")
    }
    # One folder for each question; the file in it begins with the question.
    folders = {folder for folder in folders if not folder.startswith("audit/questions/")}
    # `tests/` mirrors the code; what mirrors nothing is named.
    tests = {file.parent for file in (ROOT / "tests").rglob("*.py")} - {ROOT / "tests"}
    mirrored = {ROOT / "tests" / re.sub("^packages/.*jurybox_", "", folder) for folder in folders}
    folders |= {folder.relative_to(ROOT).as_posix() for folder in tests - mirrored}
    assert len(folders) > 50
    absent = sorted(folder for folder in folders if f"`{folder}/`" not in text)
    assert not absent, f"Say in docs/architecture.md what {', '.join(absent)} knows."


def formats_of_the_page_on_data():
    text = (ROOT / "docs" / "data.md").read_text()
    (line,) = re.findall(r"^Formats: `([^`]+)`", text, re.MULTILINE)
    return line.split()


def test_the_page_on_data_names_import_formats_that_are_there():
    assert set(formats_of_the_page_on_data()) <= FORMATS.keys()


@pytest.mark.nightly("the page is complete for a release; the quick tests see that nothing is gone")
def test_the_page_on_data_names_every_import_format():
    assert formats_of_the_page_on_data() == list(FORMATS)


@pytest.mark.nightly("the page is written for a release; the quick tests see that it can be")
def test_the_page_of_judges_and_options_is_that_of_the_code():
    written = (ROOT / "docs" / "judge-tables.md").read_text()
    assert written == judge_page(JUDGES), "make judge-tables"


def test_the_page_of_judges_names_each_of_them():
    page = judge_page(JUDGES)
    assert all(f"\n| `{name}` |" in page for name in JUDGES)


def test_the_readme_is_one_screen():
    assert len((ROOT / "README.md").read_text().split()) <= 900


def test_the_index_links_to_every_page_once():
    links = LINK.findall((ROOT / "docs" / "index.md").read_text())
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages - set(links) == set()
    assert len(links) == len(set(links))


def test_the_menu_of_the_site_has_every_page():
    menu = repr(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"])
    placed = set(re.findall(r"'([\w\-]+\.md)'", menu))
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - placed == set()
