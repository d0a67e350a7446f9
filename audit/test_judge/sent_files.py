"""A set's file and a judge's table as somebody sends them: small, text alone, gone after the answer."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Protocol

from annotations.errors import ImportRefused, Refused
from audit.test_judge.choices import read_choices
from audit.test_judge.pairs import read_pairs
from audit.test_judge.place import place_judge

LARGEST_SET, LARGEST_TABLE = 20_000_000, 2_000_000  # bytes
# As sentences about a fault call them: what somebody calls a file stays with them.
SET, TABLE = "The set’s file", "The judge’s file"
# A small Parquet file may unpack to one that fills the memory.
PARQUET = b"PAR1"


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def place_sent_files(known: Readable, judge: Readable) -> dict[str, Any]:
    """What `manage.py test_judge` finds in the same two files."""
    with tempfile.TemporaryDirectory() as folder:
        on = _write(known, Path(folder) / SET, LARGEST_SET)
        scores = _write(judge, Path(folder) / TABLE, LARGEST_TABLE)
        try:
            name, pairs = read_pairs(on)
            return place_judge(name, pairs, read_choices(scores))
        except Refused as refusal:
            raise ImportRefused(refusal.message) from refusal


def _write(sent: Readable, path: Path, largest: int) -> Path:
    content = sent.read(largest + 1)
    if len(content) > largest:
        raise ImportRefused(
            f"{path.name} is larger than {largest // 1_000_000} MB. The command test_judge has no limit."
        )
    if content.startswith(PARQUET):
        raise ImportRefused(
            f"{path.name} is Parquet: send CSV, JSON or JSONL, or use the command test_judge."
        )
    path.write_bytes(content)
    return path
