"""CONTRIBUTING.md is executed: its lists are followed in a copy of the tree, word for word."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import CommandError

from audit.management.commands.start import KINDS, write_files

ROOT = Path(__file__).resolve().parent.parent
NAME = "brand_new"
MOST_FILES = {"question": 3, "judge": 3, "format": 2, "form": 2}
NOT_COPIED = (".git", ".venv", "var", "dist", "screenshots")
# What each new leaf is part of, besides its own tests.
WALKS = (
    "tests/judging/methods/test_every_method_runs.py",
    "tests/judges/intake/test_bring_in.py",
    "tests/test_bad_files.py",
    "tests/formats/forms",
)


def commands(kind: str) -> list[str]:
    """What the list says to type, in its order."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (block,) = (one for one in blocks if f"manage.py start {kind} NAME" in one)
    return block.replace("NAME", NAME).replace("make lint", "make -o .venv/dev lint").splitlines()


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    copy = tmp_path_factory.mktemp("contributing") / "tree"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_COPIED))
    (copy / ".venv").symlink_to((ROOT / ".venv").resolve())
    for kind in KINDS:
        run(copy, commands(kind)[0])
    return copy


def run(tree: Path, command: str) -> str:
    """In an environment of its own: nothing of the tests that run it."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    ended = subprocess.run(
        shlex.split(command), cwd=tree, env=kept, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, f"{command}\n{ended.stdout[-3000:]}{ended.stderr[-3000:]}"
    return ended.stdout


def new_files(tree: Path, kind: str) -> list[str]:
    templates = tree / "tests/start" / kind
    paths = (str(file.relative_to(templates)) for file in templates.rglob("*-tpl"))
    return sorted(path.replace("NAME", NAME).removesuffix("-tpl") for path in paths)


@pytest.mark.parametrize("kind", KINDS)
def test_few_files_are_written_and_they_pass_the_linter(tree, kind):
    files = new_files(tree, kind)
    assert len(files) <= MOST_FILES[kind]
    python = " ".join(file for file in files if file.endswith(".py"))
    run(tree, f".venv/bin/ruff check {python}")
    run(tree, f".venv/bin/ruff format --check {python}")


def test_the_new_files_are_found_and_their_tests_pass(tree):
    tests = [f for kind in KINDS for f in new_files(tree, kind) if f.startswith("tests/")]
    run(tree, f".venv/bin/python -m pytest -q -n 0 {' '.join(tests)}")
    chosen = "brand_new or brand-new or every_method or every_format"
    seen = run(tree, f".venv/bin/python -m pytest -v -n 0 {' '.join(WALKS)} -k '{chosen}'")
    assert all(f"{walk}::" in seen or f"{walk}/" in seen for walk in WALKS)
    assert len(re.findall(r"brand.new\S* PASSED", seen)) >= 4


@pytest.mark.nightly("minutes of linter and tests; the quick tests run those of the new files")
@pytest.mark.parametrize("kind", KINDS)
def test_a_list_is_followed_to_its_end(tree, kind):
    for command in commands(kind)[1:]:
        run(tree, command)


def test_names_that_cannot_be_are_refused_and_nothing_is_written(tmp_path):
    for name in ("Upper", "two words", "9", "class", "../x", "a-b", ""):
        with pytest.raises(CommandError, match="is no name for files"):
            write_files(ROOT, "question", name)
    with pytest.raises(CommandError, match="label_time/exhibits.py exists: choose another name"):
        write_files(ROOT, "question", "label_time")
    with pytest.raises(CommandError, match="There is a judge “reward” already"):
        write_files(ROOT, "judge", "reward")
    with pytest.raises(CommandError, match="works in a clone alone"):
        write_files(tmp_path, "form", NAME)
    assert not any(tmp_path.iterdir())
