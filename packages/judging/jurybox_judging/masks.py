"""Masks packed into a few hundred letters each: a picture can have a hundred of them."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np

from jurybox_judging.protocols import Mask


class Runs(Sequence[int]):
    """The run lengths of a mask, kept as text (deflated 32-bit numbers) until they are read."""

    def __init__(self, text: str) -> None:
        self.text = text

    @classmethod
    def from_counts(cls, counts: Sequence[int]) -> Runs:
        if isinstance(counts, Runs):
            return counts
        packed = zlib.compress(np.asarray(counts, dtype="<u4").tobytes(), 1)
        return cls(base64.b64encode(packed).decode())

    @cached_property
    def _counts(self) -> list[int]:
        return np.frombuffer(zlib.decompress(base64.b64decode(self.text)), dtype="<u4").tolist()

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: Any) -> Any:
        return self._counts[index]

    def __len__(self) -> int:
        return len(self._counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(self.text)


def packed(mask: Mask) -> dict[str, Any]:
    """For JSON."""
    return {"size": list(mask["size"]), "deflated": Runs.from_counts(mask["counts"]).text}


def unpacked(stored: dict[str, Any]) -> Mask:
    height, width = stored["size"]
    return {"size": (height, width), "counts": Runs(stored["deflated"])}
