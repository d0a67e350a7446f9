"""The files of a set as rows: objects by id, a list of objects, lines of JSON, a table, texts.

A row is kept as it stands, so that the set can be written again; `as_file` is the other way.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jurybox_formats.sources.records import Rejected
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import (
    document,
    json_lines,
    numbered,
    objects,
    opening,
    table_rows,
)

SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".txt")
DATA_LIST = "data_list"
TEXT = "text"


@dataclass(frozen=True, slots=True)
class SetRow:
    """`id`: its name in an object of objects, else empty; `place`: how many stand before it."""

    file: str
    form: str  # "objects", "object", "list", "data_list", "lines", "table" or "text"
    place: int
    line: int
    values: Mapping[str, Any]
    id: str = ""

    def as_json(self) -> dict[str, Any]:
        kept = {"file": self.file, "form": self.form, "place": self.place, "row": self.values}
        return kept | ({"id": self.id} if self.id else {})

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> SetRow:
        place = kept["place"]
        return cls(kept["file"], kept["form"], place, place + 1, kept["row"], kept.get("id", ""))


def rows_of(root: Path, name: str) -> Iterator[SetRow | Rejected]:
    """Nothing where the file is of no such form."""
    path = root / name
    suffix = path.suffix.lower()
    if suffix == ".txt":
        opening(path)
        text = path.read_text(encoding="utf-8-sig", errors="strict").strip()
        yield SetRow(name, "text", 0, 1, {TEXT: text}, path.stem)
    elif suffix in (".csv", ".tsv"):
        yield from _table(path, name)
    elif suffix == ".jsonl":
        yield from _objects("lines", name, json_lines(path))
    else:
        yield from _document(path, name)


def _document(path: Path, name: str) -> Iterator[SetRow | Rejected]:
    content = document(path)
    form = "list"
    if isinstance(content, dict) and isinstance(content.get(DATA_LIST), list):
        content, form = content[DATA_LIST], "data_list"
    if isinstance(content, dict) and not any(isinstance(v, dict) for v in content.values()):
        if content:
            yield SetRow(name, "object", 0, 1, content)
    elif isinstance(content, dict):
        for place, (id, values) in enumerate(content.items()):
            if isinstance(values, dict):
                yield SetRow(name, "objects", place, place + 1, values, id)
    elif isinstance(content, list):
        yield from _objects(form, name, numbered(content))


def _objects(
    form: str, name: str, rows: Iterator[Line[Any] | Rejected]
) -> Iterator[SetRow | Rejected]:
    for place, row in enumerate(objects(rows, Path(name).name)):
        if isinstance(row, Rejected):
            yield row
        else:
            yield SetRow(name, form, place, row.line, row.value)


def _table(path: Path, name: str) -> Iterator[SetRow | Rejected]:
    place = 0
    for row in table_rows(path, path.name):
        if isinstance(row, Rejected):
            yield row
        else:
            yield SetRow(name, "table", place, row.line, row.value)
            place += 1


def as_file(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows of one file, each as `SetRow.as_json` keeps it, in the order in which they stood."""
    rows = sorted(rows, key=lambda row: row["place"])
    form, values = rows[0]["form"], [row["row"] for row in rows]
    if form == "text":
        return str(values[0][TEXT])
    if form == "table":
        return as_table(values, "\t" if rows[0]["file"].lower().endswith(".tsv") else ",")
    if form == "lines":
        return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    content: Any = values
    if form == "objects":
        content = {row["id"]: row["row"] for row in rows}
    elif form == "data_list":
        content = {DATA_LIST: values}
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def as_table(values: Sequence[Mapping[str, Any]], delimiter: str = ",") -> str:
    out = io.StringIO(newline="")
    header = list(dict.fromkeys(name for row in values for name in row))
    # As the files stand, cell for cell: they go back to the script that reads them.
    writer = csv.DictWriter(out, header, restval="", delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(values)
    return out.getvalue()
