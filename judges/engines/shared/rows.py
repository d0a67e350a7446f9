"""Run the rows of a batch through a model together, fewer at once when the memory is full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from judges.engines.shared.weights import memory_guard
from judges.errors import MemoryFull
from judges.options import whole


def questions_at_once(default: int) -> Any:
    return whole(default, "Questions in one pass.", minimum=1, maximum=1_024)


class HasRows(Protocol):
    rows: int  # at once


def in_rows(engine: HasRows, rows: Sequence[Any], work: Callable[[Sequence[Any]], None]) -> None:
    """A number of rows that did not fit once is not tried again by this engine."""
    start = 0
    while start < len(rows):
        some = rows[start : start + engine.rows]
        try:
            with memory_guard():
                work(some)
        except MemoryFull:
            if len(some) == 1:
                raise
            engine.rows = len(some) // 2
            continue
        start += len(some)
