"""The rows of a set's file or of a judge's: other columns do not matter, a row that cannot be read does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from jurybox_formats.pair_files.rows import rows_of
from jurybox_formats.sources.records import Rejected
from jurybox_formats.sources.rows import Line


def sound_rows(
    path: Path, *, required: Sequence[str], optional: Sequence[str]
) -> Iterator[Line[dict[str, Any]]]:
    for row in rows_of(path, required=required, optional=optional):
        if isinstance(row, Rejected):
            raise Refused(f"{path.name}, row {row.line}: {row.reason}")
        if isinstance(row, Line):
            yield row
