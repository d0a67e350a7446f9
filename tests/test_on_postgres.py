"""What one of the two databases may do otherwise is tested on both."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.on_postgres import CHOSEN

HERE = Path(__file__).parent
ROOT = HERE.parent
# Code that speaks to a database by more than Django's usual questions.
DIFFERS = re.compile(
    r"cursor\(|RawSQL|\.raw\(|\.extra\(|select_for_update|skip_locked|\bvendor\b|as_sql|as_postgresql"
    r"|(update|ignore)_conflicts|\bFunc\(|Collate|nulls_(first|last)|IntegrityError|OperationalError"
    r"|JSONObject|ArrayAgg|StringAgg|KeyT|has_key|bulk_update"
)
# Reached by these tests, which name it by its address, its command or what calls it.
REACHED_BY = {
    "annotations/api/lists.py": "test_api.py",
    "annotations/pairs/files.py": "annotations/pairs/test_files.py",
    "annotations/middleware.py": "annotations/test_errors.py",
    "annotations/models/image.py": "annotations/imports/test_write_study.py",
    "annotations/traces.py": "annotations/studies/test_personal_data.py",
    "annotations/studies/set_aside.py": "annotations/studies/test_annotator_quality.py",
    "audit/installation/sqlite/base.py": "hostile/test_read_only.py",
    "audit/installation/backups/sqlite_database.py": "audit/installation/test_backup_drill.py",
    "annotations/pairs/take_file.py": "annotations/pairs/test_take_file.py",
    "judges/parts/drafts.py": "judges/parts/test_freeze.py",
    "judges/parts/freeze.py": "judges/parts/test_freeze.py",
    "judges/preferences/ask.py": "judges/preferences/test_ask.py",
    "audit/installation/backups/databases.py": "audit/installation/test_backup_drill.py",
}


def chosen_files() -> set[Path]:
    found = {HERE / path for path in CHOSEN if path.endswith(".py")}
    for path in CHOSEN:
        found |= set((HERE / path).rglob("test_*.py"))
    return found


def named_in(path: Path) -> set[str]:
    """The modules that a file imports, also those named as parts of a package."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            names |= {one.name for one in node.names}
    return names


def test_every_chosen_file_is_there():
    assert [path for path in CHOSEN if not (HERE / path).exists()] == []


def test_every_module_that_may_differ_has_a_test_on_both_databases():
    files = chosen_files()
    named = set().union(*map(named_in, files))
    missing = []
    for app in ("annotations", "judges", "audit"):
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" in path.parts or not DIFFERS.search(path.read_text(encoding="utf-8")):
                continue
            place = path.relative_to(ROOT)
            module = ".".join(place.with_suffix("").parts)
            if module not in named and HERE / REACHED_BY.get(str(place), "nowhere") not in files:
                missing.append(str(place))
    assert missing == []


def test_nothing_is_named_as_reached_that_is_gone():
    assert [place for place in REACHED_BY if not (ROOT / place).exists()] == []
