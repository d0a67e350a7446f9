"""A whole run with a method: its test file names one for each method in `RUNS`, by the method's short name."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PROMPT = "a red cup in front of a blue bowl"
BESIDE = "a red cup next to a blue bowl"


@dataclass(frozen=True)
class Run:
    """`scores`, worked by hand: with the method's own options, and with `options`. What engines say, the
    `Engine` of test_every_method_runs.py says."""

    scores: tuple[float, float]
    options: Mapping[str, Any]
    prompt: str = PROMPT
    metadata: Mapping[str, Any] = field(default_factory=dict)


def all_runs() -> dict[str, Run | None]:
    """None: another test runs it whole; the test file says which."""
    here = Path(__file__).parent
    found: dict[str, Run | None] = {}
    for file in sorted(here.rglob("test_*.py")):
        if "\nRUNS = " in file.read_text():
            name = ".".join(file.relative_to(here).with_suffix("").parts)
            found |= importlib.import_module(f"{__package__}.{name}").RUNS
    return found
