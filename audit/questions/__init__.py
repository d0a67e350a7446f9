"""One folder for each question about a study; `audit/answers/__init__.py` says how all are answered."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType


def modules_called(name: str) -> Iterator[ModuleType]:
    """`question` or `exhibits`, of each folder that has one."""
    for path in sorted(Path(__file__).parent.glob(f"*/{name}.py")):
        yield import_module(f"{__name__}.{path.parent.name}.{name}")
