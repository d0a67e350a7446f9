"""A set's file and a judge's table as somebody sends them: small, text alone, gone after the answer."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import Any, Protocol

from annotations.errors import ImportRefused, Refused
from audit.test_judge.compare import compare_files
from jurybox_formats.sources.archive_limits import Limits
from jurybox_formats.sources.archives import unpack

LARGEST_SET, LARGEST_TABLE = 20_000_000, 2_000_000  # bytes
# As sentences about a fault call them: what somebody calls a file stays with them.
SET, TABLE = "The set’s file", "The judge’s file"
# A small Parquet file may unpack to one that fills the memory.
PARQUET = b"PAR1"
# Of the raters of a task, or of the generators of a checklist.
LIMITS = Limits(files=200, file_bytes=LARGEST_SET, all_bytes=2 * LARGEST_SET, harmless_bytes=0)


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def place_sent_files(known: Readable, judge: Readable) -> dict[str, Any]:
    """What `manage.py test_judge` finds in the same two files."""
    with tempfile.TemporaryDirectory() as folder:
        on = _write(known, Path(folder) / SET, LARGEST_SET)
        scores = _write(judge, Path(folder) / TABLE, LARGEST_TABLE)
        try:
            if zipfile.is_zipfile(on):
                on = unpack(on, Path(folder) / "unpacked", name=SET, limits=LIMITS)
                for file in on.rglob("*") if on.is_dir() else [on]:
                    if file.is_file():
                        _expect_text(file.read_bytes(), SET)
            return compare_files(on, scores)
        except Refused as refusal:
            raise ImportRefused(refusal.message) from refusal


def _write(sent: Readable, path: Path, largest: int) -> Path:
    content = sent.read(largest + 1)
    if len(content) > largest:
        raise ImportRefused(
            f"{path.name} is larger than {largest // 1_000_000} MB. The command test_judge has no limit."
        )
    _expect_text(content, path.name)
    path.write_bytes(content)
    return path


def _expect_text(content: bytes, name: str) -> None:
    if content.startswith(PARQUET):
        raise ImportRefused(
            f"{name} is Parquet: send CSV, JSON or JSONL, or use the command test_judge."
        )
