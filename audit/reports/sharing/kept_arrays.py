"""Columns that a report has read and that the next one would read again: kept as parts of reports are.

Only what is written once may be kept so, under the hash of all that shows whether more was written.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable, Sequence

import numpy as np

from audit.reports.sharing import rows
from audit.reports.sharing.parts import Part

Arrays = Sequence[np.ndarray]


class KeptArrays:
    """`used` and `new` are what a report has to keep once it is stored."""

    def __init__(self, study_id: int) -> None:
        self.study_id = study_id
        self.used: set[str] = set()
        self.new: list[tuple[Part, str]] = []

    def read(self, name: str, key: str, read: Callable[[], Arrays]) -> Arrays:
        """The arrays that are kept under this key, else what `read` gives."""
        self.used.add(key)
        if content := rows.stored_parts(self.study_id, [key]).get(key):
            return unpack(content)
        arrays = read()
        content = json.dumps([[array.dtype.str, _text(array)] for array in arrays])
        self.new.append((Part(name, key, lambda step: arrays), content))
        return arrays


def unpack(content: str) -> Arrays:
    return [
        np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype=kind)
        for kind, text in json.loads(content)
    ]


def _text(array: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(array.tobytes(), level=1)).decode()
