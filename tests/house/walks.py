"""How far a reader walks: the functions that are entered from another file, on the way from a label to
what is claimed of a judge, from a vote to the leaderboard, from two tables to a report.

A stop is such a function, counted once. A return is a stop in a file that one had left before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from tests.house.files import PRODUCT, ROOT

_INSIDE = tuple(f"{ROOT / folder}/" for folder in PRODUCT)


class Walk:
    def __init__(self) -> None:
        self.stops: list[tuple[str, str]] = []
        self._seen: set[tuple[str, str]] = set()

    @property
    def returns(self) -> int:
        known: set[str] = set()
        last, count = "", 0
        for file, _ in self.stops:
            count += file != last and file in known
            known.add(file)
            last = file
        return count

    def follow(self, work: Callable[[], object]) -> None:
        earlier = sys.getprofile()
        sys.setprofile(self._step)
        try:
            work()
        finally:
            sys.setprofile(earlier)

    def _step(self, frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not frame.f_code.co_filename.startswith(_INSIDE):
            return
        file, name = frame.f_code.co_filename, frame.f_code.co_qualname
        if name.startswith("<") or "." in name and name.rpartition(".")[2].startswith("<"):
            return
        before = frame.f_back
        while before is not None and not before.f_code.co_filename.startswith(_INSIDE):
            before = before.f_back
        came_from = before.f_code.co_filename if before is not None else ""
        if came_from != file and (file, name) not in self._seen:
            self._seen.add((file, name))
            self.stops.append((file, name))
