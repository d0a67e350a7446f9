"""A whole run with a method: its test file names one for each method in `RUNS`, by the method's short name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

PROMPT = "a red cup in front of a blue bowl"
BESIDE = "a red cup next to a blue bowl"


@dataclass(frozen=True)
class Run:
    """None in its place: another test runs the method whole. `scores`, worked by hand: with the method's own options, and with `options`. What engines say, the
    `Engine` of test_every_method_runs.py says."""

    scores: tuple[float, float]
    options: Mapping[str, Any]
    prompt: str = PROMPT
    metadata: Mapping[str, Any] = field(default_factory=dict)
