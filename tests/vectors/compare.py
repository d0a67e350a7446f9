"""What a case expects beside what the code said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from jurybox_stats.estimate import Undefined


@dataclass(frozen=True)
class Compared:
    what: str
    ours: Any
    expected: Any
    agrees: bool

    def __str__(self) -> str:
        return f"{self.what} is {self.ours!r}, expected {self.expected!r}"


def near(what: str, ours: Any, expected: Any, tolerance: float = 1e-9) -> Compared:
    """Numbers, lists of numbers or None; relative to the larger of 1 and the expected."""
    if ours is None or expected is None:
        return Compared(what, ours, expected, ours is expected)
    a, b = np.asarray(ours, dtype=float), np.asarray(expected, dtype=float)
    same = a.shape == b.shape and bool(
        (np.abs(a - b) <= tolerance * np.maximum(1, np.abs(b))).all()
    )
    return Compared(what, ours, expected, same)


def same(what: str, ours: Any, expected: Any) -> Compared:
    return Compared(what, ours, expected, ours == expected)


def undefined(ours: Any, case: dict[str, Any], expected: dict[str, Any]) -> Iterator[Compared]:
    """Yields one comparison if either side has no number: then there is nothing else to compare."""
    if not isinstance(ours, Undefined) and not expected.get("undefined"):
        return
    accepted = expects_refusal({**case, "expected": expected})
    yield Compared("the result", ours, expected, isinstance(ours, Undefined) and accepted)


def expects_refusal(case: Any) -> bool:
    """Whether no number is the right answer, or another right one."""
    answers = [case.get("expected"), case.get("also_accepted")] if isinstance(case, dict) else []
    return any(isinstance(answer, dict) and bool(answer.get("undefined")) for answer in answers)


def columns(rows: list, count: int) -> list[list]:
    """The columns of a table, as many where it has no row."""
    return [[row[at] for row in rows] for at in range(count)]


def with_nan(values: list) -> list[float]:
    return [float("nan") if value is None else value for value in values]
