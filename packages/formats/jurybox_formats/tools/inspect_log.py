"""Inspect's own log, a `.eval` file: a zip with one JSON file for each sample and epoch.

Today's logs are packed with Zstandard, which Python's zip reader does not know before 3.14; pyarrow does.
"""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jurybox_formats.sources.parquet_rows import import_package
from jurybox_formats.sources.records import Rejected, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import parsed

ZSTANDARD = 93
PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTANDARD)
MOST_SAMPLES, SAMPLE_BYTES = 1_000_000, 64 * 2**20
# Before a file's bytes: this much, its name, and more.
HEADER, LENGTHS = 30, 26


def is_log(path: Path) -> bool:
    return path.is_file() and zipfile.is_zipfile(path)


def has_samples(path: Path) -> bool:
    with zipfile.ZipFile(path) as log:
        return any(name.startswith("samples/") for name in log.namelist())


def samples(path: Path) -> Iterator[Line[Any] | Rejected]:
    """Each sample of each epoch, numbered as they lie in the log."""
    try:
        with zipfile.ZipFile(path) as log:
            found = [i for i in log.infolist() if i.filename.startswith("samples/")]
            if not found:
                raise Unreadable(f"{path.name} is no log of Inspect, or a log without a sample.")
            if len(found) > MOST_SAMPLES:
                raise Unreadable(f"{path.name} holds more than {MOST_SAMPLES:,} samples.")
            for number, info in enumerate(found, 1):
                yield _sample(log, path, info, number)
    except (zipfile.BadZipFile, OSError, struct.error, NotImplementedError) as error:
        raise Unreadable(f"{path.name} is damaged: {error}.") from error


def _sample(
    log: zipfile.ZipFile, path: Path, info: zipfile.ZipInfo, number: int
) -> Line[Any] | Rejected:
    name = info.filename[:200]
    try:
        if info.file_size > SAMPLE_BYTES:
            raise ValueError(f"it is larger than {SAMPLE_BYTES // 2**20} MB")
        # Inspect writes NaN for what a scorer left out; that is no value.
        return Line(number, parsed(_content(log, path, info).decode(), constant=lambda _: None))
    except json.JSONDecodeError as error:
        words = f"{error.msg} at line {error.lineno}"
    except (ValueError, RecursionError, zlib.error, EOFError, OSError, RuntimeError) as error:
        words = str(error)
    return Rejected("sample", name, f"This sample cannot be read: {words}.", number, path.name)


def _content(log: zipfile.ZipFile, path: Path, info: zipfile.ZipInfo) -> bytes:
    if info.compress_type not in PACKINGS or info.flag_bits & 1:
        raise ValueError("it is encrypted, or packed in an unusual way")
    if info.compress_type != ZSTANDARD:
        with log.open(info) as packed:
            return _check_bytes(packed.read(info.file_size + 1), info)
    pyarrow = import_package("pyarrow", "A log of Inspect")
    with path.open("rb") as file:
        file.seek(info.header_offset + LENGTHS)
        file.seek(info.header_offset + HEADER + sum(struct.unpack("<HH", file.read(4))))
        packed_bytes = file.read(min(info.compress_size, SAMPLE_BYTES))
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(packed_bytes), "zstd") as stream:
        return _check_bytes(stream.read(info.file_size + 1), info)


def _check_bytes(content: bytes, info: zipfile.ZipInfo) -> bytes:
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise ValueError("its bytes are not those that the log lists")
    return content
