"""Exports as files: complete or not there at all, each with a sidecar that describes it.

The sidecar `NAME.README.json` holds the signature (a hash of the file's bytes), the counts, and
what is missing.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage

from annotations.errors import Refused
from annotations.exports.labels import LabelRows, Rows
from annotations.exports.study_tables import file_name, missing_labels
from annotations.models import Study
from annotations.storage.written_files import WriteRefused, is_plain_file, write_whole
from jurybox_formats.sources.parquet_rows import import_package

# Rows that go into a Parquet file at once.
BATCH = 10_000
NUMBERS = {"value", "seconds", "score", "minutes", "amount"}
WHOLE = {
    "images",
    "excluded",
    "atom",
    "raters",
    "correct",
    "sample",
    "atomicity",
    "width",
    "height",
}


class ExportRefused(Refused):
    status = 422


def write_lines(path: Path, lines: Iterable[str]) -> str:
    return write_parts(path, (line.encode() for line in lines))


def write_parts(path: Path, parts: Iterable[bytes]) -> str:
    """Write a file, whole or not at all; returns its SHA-256."""
    sha = hashlib.sha256()
    with write_whole(path) as file:
        for content in parts:
            sha.update(content)
            file.write(content)
    return sha.hexdigest()


class Sink(io.RawIOBase):
    """A file that is only written: what came in since the last `take` is sent on."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.at = 0

    def writable(self) -> bool:
        return True

    def write(self, content: Any) -> int:
        part = bytes(content)
        self.parts.append(part)
        self.at += len(part)
        return len(part)

    def tell(self) -> int:
        return self.at

    def take(self) -> bytes:
        content = b"".join(self.parts)
        self.parts.clear()
        return content


def as_parquet(rows: Rows, columns: Iterable[str]) -> Iterator[bytes]:
    """Numbers of `value` in one column, texts in another: a column has one type."""
    pyarrow = import_package("pyarrow", refused=ExportRefused)
    parquet = import_package("pyarrow.parquet")
    types = {
        name: pyarrow.float64()
        if name in NUMBERS
        else pyarrow.int32()
        if name in WHOLE
        else pyarrow.string()
        for name in columns
    }
    if "value" in types:
        types["value_text"] = pyarrow.string()
    schema = pyarrow.schema(list(types.items()))
    sink = Sink()
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        for batch in _batches(rows, BATCH):
            writer.write_table(pyarrow.Table.from_pylist([_typed(r) for r in batch], schema))
            yield sink.take()
    yield sink.take()


def write_parquet(path: Path, rows: Rows, columns: Iterable[str]) -> str:
    return write_parts(path, as_parquet(rows, columns))


def sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.README.json")


def describe(study: Study, *, file: str, signature: str, **more: Any) -> dict[str, Any]:
    """The sidecar of a file of labels."""
    absent, named = missing_labels(study)
    return {
        "what": f"Labels of the study “{study.title}” ({study.slug}), from Jurybox.",
        "file": file,
        "signature": {"sha256": signature, "form": str(study.form)},
        "simulated": study.simulated,
        **more,
        "missing": {"images_without_labels": absent, "image_ids": named},
    }


def write_sidecar(path: Path, words: dict[str, Any]) -> None:
    place = sidecar(path)
    if os.path.lexists(place) and not _is_sidecar(place, path.name):
        raise WriteRefused(
            f"{path} is written, but not what describes it: {place.name} is there, and Jurybox did not write "
            "it. Move it away or give --out another name; it stays as it is."
        )
    write_lines(place, [json.dumps(words, ensure_ascii=False, indent=2) + "\n"])


def _is_sidecar(place: Path, file: str) -> bool:
    try:
        told = json.loads(place.read_text()) if is_plain_file(place) else None
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(told, dict) and "signature" in told and told.get("file") == file


class CountedRows:
    """Counts the rows that pass through."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self.count = rows, 0

    def __iter__(self) -> Iterator[dict[str, object]]:
        for row in self.rows:
            self.count += 1
            yield row


def count_rows(rows: Rows) -> CountedRows | LabelRows:
    """Rows with the `count` of those that were read."""
    return rows if isinstance(rows, LabelRows) else CountedRows(rows)


def _typed(row: dict[str, Any]) -> dict[str, Any]:
    typed = {name: None if value == "" else value for name, value in row.items()}
    value = typed.get("value")
    if isinstance(value, str):
        typed["value"], typed["value_text"] = None, value
    elif value is not None:
        typed["value"] = float(value)
    for name in NUMBERS - {"value"}:
        number = typed.get(name)
        if number is not None:
            typed[name] = float(number)
    return typed


def _batches(rows: Rows, size: int) -> Iterator[list[dict[str, Any]]]:
    batch = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def zip_pictures(
    pictures: Iterable[tuple[str, str]], archive: zipfile.ZipFile, sink: Sink, folder: str = ""
) -> Iterator[bytes]:
    """Each stored file once, of those with their hash; an image without a file has none to send."""
    sent: set[str] = set()
    for file, sha256 in pictures:
        name = f"{folder}{file_name(file, sha256)}" if file else ""
        if not name or name in sent:
            continue
        sent.add(name)
        with default_storage.open(file) as stored:
            archive.writestr(zipfile.ZipInfo(name), stored.read(), zipfile.ZIP_STORED)
        yield sink.take()
