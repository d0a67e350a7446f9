"""A part of a report: what it is called, a hash of all that it reads, and how it is computed.

Two parts with the same key are the same numbers, digit for digit, whoever computes them and when.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

Step = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    key: str
    compute: Callable[[Step], Any]
    steps: int = 1  # how often `compute` says that it got further

    def computed(self, step: Step) -> str:
        """As it is stored."""
        return json.dumps(self.compute(step), allow_nan=False)


# The parts of a report in the order in which they should be computed, given the parts so far: some are
# known only then.
Plan = Callable[[Mapping[str, Any]], list[Part]]


def key_of(*facts: Any) -> str:
    sha = hashlib.sha256()
    for fact in facts:
        _hash(sha, fact)
    return sha.hexdigest()


def _hash(sha: hashlib._Hash, fact: Any) -> None:
    """All fields of a dataclass: one that is added later counts without being named here."""
    if is_dataclass(fact):
        for field in fields(fact):
            _hash(sha, field.name)
            _hash(sha, getattr(fact, field.name))
    elif isinstance(fact, np.ndarray) and fact.dtype != object:
        _hash(sha, [fact.dtype.str, fact.shape])
        sha.update(np.ascontiguousarray(fact).data)
    else:
        sha.update(json.dumps(fact, sort_keys=True, default=_plain).encode() + b"\n")


def _plain(fact: Any) -> Any:
    if isinstance(fact, np.ndarray):
        return fact.tolist()
    return sorted(fact) if isinstance(fact, frozenset) else fact.isoformat()
