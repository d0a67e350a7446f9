"""What the test files of leaves bring for the tests that walk over all of them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def collect(name: str, folder: str) -> dict[str, Any]:
    """Of every test file below the folder, the dictionary of this name."""
    found: dict[str, Any] = {}
    for file in sorted((ROOT / folder).rglob("test_*.py")):
        if f"\n{name} = {{" in file.read_text(encoding="utf-8"):
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            found |= getattr(import_module(module), name)
    return found
