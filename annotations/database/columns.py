"""Numbers of a large table as arrays, read some rows at a time, and places found by id: a million rows as
Python's own numbers take a gigabyte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
from django.db import connections
from django.db.models import QuerySet
from numpy.typing import NDArray

ROWS = 2**14  # read at once
# Of tuples, fewer than Python's garbage collector waits for: to look through them takes it longer than
# reading them does.
BLOCK = 2**9


def blocks(rows: QuerySet[Any], *fields: str) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Some rows at a time, as the database gives them."""
    found = iter(rows.values_list(*fields).iterator(chunk_size=BLOCK))
    while block := list(islice(found, BLOCK)):
        yield block


def columns(rows: QuerySet[Any], *fields: str) -> Iterator[NDArray[np.float64]]:
    """The same of numbers, fields × rows: what is missing is nan, and ids are exact below 2^53.

    As the driver gives them: to make a truth of each 1 costs more than reading it.
    """
    compiler = rows.values_list(*fields).query.get_compiler(using=rows.db)
    in_chunks = not connections[rows.db].settings_dict.get("DISABLE_SERVER_SIDE_CURSORS")
    for block in compiler.execute_sql(chunked_fetch=in_chunks, chunk_size=ROWS):
        yield np.array(block, dtype=np.float64).T


class Places:
    """Where rows stand in arrays, by their ids."""

    def __init__(self, ids: NDArray[np.int64]) -> None:
        self._order = np.argsort(ids)
        self._ids = ids[self._order]
        self.size = ids.size

    def find_places(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """-1 for a row that came after these were read."""
        if not self.size:
            return np.full(ids.size, -1)
        at = np.minimum(np.searchsorted(self._ids, ids), self.size - 1)
        return np.where(self._ids[at] == ids, self._order[at], -1)
