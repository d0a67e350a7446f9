"""The tests of `audit/stats/` as tests of `jurybox_stats`: copied, with what they import renamed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.jurybox.wheels import ROOT

# `tests.audit.stats` keeps its name: it is the folder of the tests themselves.
IMPORTED = re.compile(r"(?<!tests\.)\baudit\.stats\b")
# What the tests lean on, and what of that asks for the rest of the app.
BESIDE = ("bench/drawn_worlds.py", "bench/cause_worlds.py", "__init__.py", "bench/__init__.py")
NEEDS_THE_APP = ("many_looks", "tests.vectors", "from django", "statistic_names", '"audit"')
CONFTEST = '''"""Hypothesis without a clock and without dice."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, database=None)
settings.load_profile("steady")
'''
SETTINGS = "[pytest]\nfilterwarnings = error\nmarkers = simulation: many small data sets\n"


def copy(folder: Path) -> list[str]:
    """Into the folder; the tests that stay behind, since they ask for the app."""
    shutil.copytree(ROOT / "tests" / "audit" / "stats", folder / "tests" / "audit" / "stats")
    for name in (*BESIDE, "audit/__init__.py"):
        target = folder / "tests" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / name, target)
    left = []
    for file in sorted((folder / "tests").rglob("*.py")):
        text = file.read_text()
        if any(word in text for word in NEEDS_THE_APP):
            left.append(file.relative_to(folder / "tests" / "audit" / "stats").as_posix())
            file.unlink()
        else:
            file.write_text(IMPORTED.sub("jurybox_stats", text))
    (folder / "tests" / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text(SETTINGS)
    return left
