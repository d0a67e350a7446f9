"""One folder for each question about a study; `audit/answers/__init__.py` says how all are answered."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType


def find_module(name: str, folder: str) -> ModuleType | None:
    known = (
        (Path(__file__).parent / folder / f"{name}.py").is_file()
        if folder.isidentifier()
        else False
    )
    return import_module(f"{__name__}.{folder}.{name}") if known else None


def modules_called(name: str) -> Iterator[ModuleType]:
    """`question` or `exhibits`, of each folder that has one."""
    for path in sorted(Path(__file__).parent.glob(f"*/{name}.py")):
        yield import_module(f"{__name__}.{path.parent.name}.{name}")
