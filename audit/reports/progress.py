"""How far a report is."""

from __future__ import annotations

from collections.abc import Callable


class Progress:
    """Counts the parts of a report that are done; `step` is called after each. `write`: for who waits."""

    def __init__(self, write: Callable[..., None] = lambda done, total: None) -> None:
        self.write = write
        self.done = self.total = 0

    def expect(self, parts: int) -> None:
        self.total += parts

    def step(self) -> None:
        self.done += 1
        self.write(self.done, total=max(self.total, self.done))
