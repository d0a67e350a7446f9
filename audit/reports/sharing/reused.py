"""Numbers within a part of a report that an earlier report has computed of the very same data.

A new answer changes every part; most numbers in it rest on other images, on other people, or on what most
people say, which the answer left as it was. Each group of numbers stands with a hash of all that it read:
of people only the items of the group, and all of a judge, which answers leave as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from audit.reports.sharing.parts import key_of

READ = "made_of"
# Of the numbers of a slice: a hash of all items, with whose average the slice was compared.
AVERAGE = "average_made_of"


class PeopleHashes:
    """Hashes of what people together say of some items, found once for all judges."""

    def __init__(self, yes: np.ndarray, mean: np.ndarray, prompts: np.ndarray) -> None:
        self._held = yes, mean, prompts
        self._known: dict[bytes, str] = {}

    def hash_where(self, where: np.ndarray) -> str:
        name = np.packbits(where).tobytes()
        if name not in self._known:
            places = np.flatnonzero(where)
            self._known[name] = key_of(places, *(values[places] for values in self._held))
        return self._known[name]

    @cached_property
    def of_all(self) -> str:
        return key_of(*self._held)

    @cached_property
    def of_most(self) -> str:
        """Without people's mean."""
        yes, _, prompts = self._held
        return key_of(yes, prompts)


def reuse(earlier: Mapping[str, Any], read: str, compute: Callable[[], Any]) -> dict[str, Any]:
    """The earlier numbers if they were made of the same, else new ones."""
    return dict(earlier) if earlier.get(READ) == read else {**compute(), READ: read}


def drop_hashes(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in (READ, AVERAGE)}


def drop_hashes_of_each(found: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: drop_hashes(one) for name, one in found.items()}
