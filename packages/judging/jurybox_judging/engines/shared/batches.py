"""Which pictures and rows go through a model together, and how many: fewer where the memory is full, more
where somebody leaves that to the machine."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Protocol

from PIL import Image

from jurybox_judging.engines.shared.weights import memory_guard
from jurybox_judging.errors import MemoryFull
from jurybox_judging.options import whole

# Twice as many at once from here on save next to nothing, and cost the memory that the next judge wants.
MOST_FOUND = 256
# What was found to fit, for the life of this process: an engine that was let go need not search again.
_found: dict[Hashable, int] = {}
_full: set[Hashable] = set()


class Growing:
    """How many pictures an engine takes at once, found by itself: twice as many after each full batch, until
    the memory was short once."""

    def __init__(self, key: Hashable, start: int) -> None:
        self._key, self.start = key, _found.get(key, start)

    def fitted(self, size: int) -> int:
        """After a batch of so many: how many the next one has."""
        if self._key not in _full:
            size = max(size, min(2 * size, MOST_FOUND))
        _found[self._key] = size
        return size

    def was_full(self, size: int) -> None:
        """No more than so many from now on."""
        _full.add(self._key)
        _found[self._key] = size


def forget_found() -> None:
    _found.clear()
    _full.clear()


def group_by_size(images: Sequence[Image.Image], most: int) -> Iterator[list[int]]:
    """Indices of pictures of one size, at most so many at a time.

    Pictures of different sizes would have to be padded, and a model's input would then depend on
    a picture's neighbors.
    """
    places: dict[tuple[int, int], list[int]] = {}
    for place, image in enumerate(images):
        places.setdefault(image.size, []).append(place)
    for same in places.values():
        for start in range(0, len(same), most):
            yield same[start : start + most]


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
