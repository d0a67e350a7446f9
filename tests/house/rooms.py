"""The project's own Python files, and which of them a reader opens one at a time."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
APPS = ("annotations", "judges", "audit")
PRODUCT = (*APPS, "jurybox", "packages")
# Written from the API's schema by `make client`.
GENERATED = {ROOT / "jurybox" / "client.py"}
# Leaves: methods, engines, benchmarks, statistics, recipes, forms. All else is the trunk.
LEAVES = (
    "annotations/benchmarks",
    "annotations/forms",
    "audit/paper_tables",
    "audit/papers",
    "judges/engines",
    "judges/methods",
    "judges/recipes",
    "packages",
)


@cache
def product_files() -> tuple[Path, ...]:
    files = (path for folder in PRODUCT for path in sorted((ROOT / folder).rglob("*.py")))
    return tuple(p for p in files if "migrations" not in p.parts and p not in GENERATED)


def is_leaf(path: Path) -> bool:
    return path.relative_to(ROOT).as_posix().startswith(tuple(f"{leaf}/" for leaf in LEAVES))


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def short_name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()
