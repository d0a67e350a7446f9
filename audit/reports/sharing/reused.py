"""Numbers within a part of a report that an earlier report has computed of the very same data.

A new answer changes every part; most numbers in it rest on other images, on other people, or on what most
people say, which the answer left as it was. Each group of numbers stands with a hash of all that it read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

READ = "made_of"
# Of the numbers of a slice: a hash of all items, with whose average the slice was compared.
AVERAGE = "average_made_of"


def reuse(earlier: Mapping[str, Any], read: str, compute: Callable[[], Any]) -> dict[str, Any]:
    """The earlier numbers if they were made of the same, else new ones."""
    return dict(earlier) if earlier.get(READ) == read else {**compute(), READ: read}


def drop_hashes(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in (READ, AVERAGE)}


def drop_hashes_of_each(found: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {name: drop_hashes(one) for name, one in found.items()}
