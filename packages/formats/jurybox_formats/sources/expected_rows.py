"""How many rows a file or a folder has, known before it is read: for a bar that says how long it takes.

Exactly where that is cheap: a Parquet file says it, a small file is counted. A large one is taken to be
as its first megabyte.
"""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from jurybox_formats.sources import mapped_table, parquet_rows, picture_folder, tidy_tables
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.text_files import opening

START = 2**20


def expected_rows(format: str, path: Path) -> int | None:
    """None where nobody can tell: of benchmarks' layouts a line need not be a row."""
    try:
        if format == "pictures":
            return sum(map(picture_folder.is_picture, picture_folder.list_files(path)[1])) or None
        return sum(map(_rows, _tables(format, path))) or None
    except (Unreadable, OSError, ValueError, RecursionError, csv.Error):
        # The import itself says what is wrong with a file.
        return None


def _tables(format: str, path: Path) -> list[Path]:
    if format == "tidy" and path.is_dir():
        parts = (tidy_tables.part(path, name) for name in tidy_tables.TABLES)
        return [file for file in parts if file is not None]
    if format not in ("tidy", "table", "hf"):
        return []
    root, names = picture_folder.list_files(path)
    inside = [root / name for name in names if name.lower().endswith(mapped_table.SUFFIXES)]
    parquet = [file for file in inside if _is_parquet(file)]
    return parquet if format == "hf" and parquet else inside


def _is_parquet(file: Path) -> bool:
    return file.name.lower().endswith(parquet_rows.SUFFIX)


def _rows(file: Path) -> int:
    if _is_parquet(file):
        return parquet_rows.count(file)
    start, size = opening(file, START), file.stat().st_size
    text = start.decode(errors="replace")
    first = text.lstrip()[:1]
    if first == "[":
        found, read = _items(text)
    elif first == "{":
        found, read = sum(1 for line in text.splitlines() if line.strip()), len(text)
    else:
        found, read = (
            sum(1 for row in csv.reader(io.StringIO(text, newline="")) if row) - 1,
            len(text),
        )
    if size <= START:
        return found
    return round(found * size / (len(start) * read / len(text)))


def _items(text: str) -> tuple[int, int]:
    """The objects of a list that are whole, and where the last one ends."""
    decoder, found, at = json.JSONDecoder(), 0, text.index("[") + 1
    end = at
    while True:
        while text[at : at + 1] and text[at] in " \t\r\n,":
            at += 1
        try:
            _, at = decoder.raw_decode(text, at)
        except ValueError:
            return found, end
        found, end = found + 1, at
