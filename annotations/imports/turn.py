"""A turn of a long import: it is put off when others wait, and goes on with the first record that is not written.

A source is read in the same order each time, so the number of its records is a place in it. What the writers know of
the records before, beside what the database holds, is stored with that number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from annotations.jobs import PutOff


@dataclass
class Turn:
    """All but `is_over` is plain JSON, of the turns before or of this one once it stopped."""

    is_over: Callable[[], bool]
    records: int = 0
    outcome: dict[str, Any] = field(default_factory=dict)
    writers: dict[str, Any] = field(default_factory=dict)

    def stop(self, records: int, outcome: dict[str, Any]) -> None:
        self.records, self.outcome = records, outcome
        raise PutOff
