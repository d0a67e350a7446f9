"""Rows of a local file of votes, whatever its form: Parquet, CSV, JSONL or JSON; Parquet in parts, too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from jurybox_formats.sources.parquet_rows import open_parquet
from jurybox_formats.sources.records import Rejected, Remark, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import (
    csv_rows,
    document,
    json_rows,
    numbered,
    objects,
    opening,
    table,
)

# Rows of a Parquet file hold two pictures each.
AT_ONCE = 32
MAGIC = b"PAR1"
_WRAPPED = re.compile(rb'\{\s*"(pairs"\s*:\s*\[|info"\s*:\s*\{)')


def columns_of(path: Path) -> list[str]:
    parts = _parts(path)
    if parts:
        return list(open_parquet(parts[0]).schema_arrow.names)
    if opening(path).lstrip()[:1] in (b"[", b"{"):
        inside = _pairs_inside(path)
        items = json_rows(path) if inside is None else numbered(inside)
        rows = (row.value for row in objects(items, path.name) if isinstance(row, Line))
        return list(next(rows, {}))
    header = next(csv_rows(path), None)
    return [str(name).strip() for name in header.value] if isinstance(header, Line) else []


def rows_of(
    path: Path, *, required: Sequence[str], optional: Sequence[str]
) -> Iterator[Line[dict[str, Any]] | Rejected | Remark]:
    """What a row does not have is "". The line of a Parquet row is its number, from 1."""
    wanted = [*required, *optional]
    parts = _parts(path)
    if parts:
        yield from _from_parquet(parts, required, wanted)
        return
    if (inside := _pairs_inside(path)) is not None:
        for item in objects(numbered(inside), path.name):
            if isinstance(item, Line):
                yield Line(item.line, {name: item.value.get(name, "") for name in wanted})
            else:
                yield item
        return
    for row in table(path, required=required, optional=optional):
        if isinstance(row, Line):
            yield Line(row.line, dict(zip(wanted, row.value, strict=True)))
        else:
            yield row


def _pairs_inside(path: Path) -> list | None:
    """Of a file that is one object with a list `pairs`, over several lines, or of Rapidata's results."""
    if not _WRAPPED.match(opening(path).lstrip()):
        return None
    whole = document(path)
    items = whole.get("pairs", whole.get("results"))
    return items if isinstance(items, list) else None


def _parts(path: Path) -> list[Path]:
    """The Parquet files: this one, or those below a folder."""
    if path.is_dir():
        parts = sorted(path.rglob("*.parquet"))
        if not parts:
            raise Unreadable(f"{path.name} holds no Parquet file.")
        return parts
    try:
        with path.open("rb") as file:
            return [path] if file.read(len(MAGIC)) == MAGIC else []
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be read: {error.strerror}.") from error


def _from_parquet(
    parts: list[Path], required: Sequence[str], wanted: Sequence[str]
) -> Iterator[Line[dict[str, Any]]]:
    for part in parts:
        with open_parquet(part) as file:
            there = file.schema_arrow.names
            if absent := [name for name in required if name not in there]:
                raise Unreadable(f"{part.name} has no column {', '.join(absent)}.")
            known = [name for name in wanted if name in there]
            number = 0
            try:
                for batch in file.iter_batches(AT_ONCE, columns=known):
                    for values in batch.to_pylist():
                        number += 1
                        cells = {n: "" if (v := values.get(n)) is None else v for n in wanted}
                        yield Line(number, cells)
            except OSError as error:
                raise Unreadable(
                    f"{part.name} cannot be read after row {number}: {error}."
                ) from error
