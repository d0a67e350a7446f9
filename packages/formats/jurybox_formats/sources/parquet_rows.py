"""Parquet files row by row, and the pictures that lie in them.

The hub's datasets keep a picture as `{bytes, path}` in a column. No more of a file than a few rows is
in the memory, however large its row groups are.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.rows import Line

SUFFIX = ".parquet"
# Rows that are taken out of a file at once, and the memory that they may take: no cell is larger than
# its column in a row group says.
ROWS, MEMORY = 1_000, 2**30
# A value that repeats takes next to nothing in a file, and as much as any other once it is read: a file
# of 2.5 kB can hold twenty million rows. Each row of a real table has a name of its own, so a file has no
# more rows than a packed byte may bring, and no more bytes than an archive may unpack to.
MOST_ROWS, ROWS_OF_A_BYTE, HARMLESS_ROWS = 20_000_000, 20, 100_000
BYTES_OF_A_BYTE, HARMLESS_BYTES = 1_000, 256 * 2**20
# The same of a list in a cell, which is decoded whole: values of a column.
HARMLESS_VALUES = 10_000_000
# Between a file's name and the number of a row, in the name of a picture.
INSIDE = f"{SUFFIX}#"


class EmbeddedFile:
    """A picture on the disk until somebody reads it, or nobody can any more: a batch of pictures
    that waits to be written does not fill the memory."""

    def __init__(self, content: bytes) -> None:
        handle, self._file = tempfile.mkstemp(prefix="jurybox-picture-")
        with open(handle, "wb") as file:
            file.write(content)

    def __call__(self) -> bytes:
        return Path(self._file).read_bytes()

    def __del__(self) -> None:
        with contextlib.suppress(OSError, AttributeError):
            os.unlink(self._file)


class Embedded:
    """A cell with a picture; its text is a name that no file has."""

    def __init__(self, name: str, content: bytes | None) -> None:
        self.name, self.content = name, content

    def __str__(self) -> str:
        return self.name

    def embedded_file(self) -> EmbeddedFile | None:
        return None if self.content is None else EmbeddedFile(self.content)


def count(path: Path) -> int:
    return int(open_parquet(path).metadata.num_rows)


def columns(path: Path) -> list[str]:
    return list(open_parquet(path).schema_arrow.names)


def picture_columns(path: Path) -> list[str]:
    """Columns with pictures: what the hub's features say, or their type."""
    import pyarrow

    schema = open_parquet(path).schema_arrow
    told = _features(schema.metadata or {})
    found = []
    for field in schema:
        kind = field.type
        binary = pyarrow.types.is_binary(kind) or pyarrow.types.is_large_binary(kind)
        struct = pyarrow.types.is_struct(kind) and {f.name for f in kind} == {"bytes", "path"}
        if struct or (binary and told.get(field.name) in (None, "Image")):
            found.append(field.name)
    return found


def rows(path: Path, only: Sequence[str] | None = None) -> Iterator[Line[dict[str, Any]]]:
    """The rows as plain values, numbered from 1; `only` these columns."""
    file = open_parquet(path)
    wanted = list(file.schema_arrow.names) if only is None else list(only)
    size = max(1, min(ROWS, MEMORY // max(1, _largest(file, wanted))))
    number, decoded = 0, 0
    most = HARMLESS_BYTES + BYTES_OF_A_BYTE * path.stat().st_size
    try:
        for batch in _batches(file, wanted, size):
            decoded += sum(map(_decoded_bytes, batch.columns))
            if decoded > most:
                raise Unreadable(
                    f"{path.name} becomes more than {most // 2**20:,} MB by row {number + 1}, which no "
                    "file of its size should; nothing after that row was read."
                )
            for item in batch.to_pylist():
                number += 1
                yield Line(number, item)
    except Unreadable:
        raise
    except Exception as error:
        # Whatever the library makes of a damaged file.
        raise Unreadable(
            f"{path.name} is damaged after row {number}: {_error_text(error)}."
        ) from error


def _batches(file: Any, wanted: list[str], size: int) -> Iterator[Any]:
    """Row group by row group: each has a dictionary of its own, and the library makes no batch of lists
    whose texts are in two."""
    for group in range(file.metadata.num_row_groups):
        yield from file.iter_batches(batch_size=size, row_groups=[group], columns=wanted)


def as_table(
    path: Path, name: str, *, pictures: bool
) -> tuple[list[str], Iterator[Line[dict[str, Any]]]]:
    """Names of the columns, and cells by column. A picture is an `Embedded`, without its bytes
    unless `pictures` are wanted."""
    there = columns(path)
    pictured = set(picture_columns(path))
    wanted = there if pictures else [column for column in there if column not in pictured]
    return there, _cells(path, name, wanted, pictured)


def _cells(
    path: Path, name: str, wanted: list[str], pictured: set[str]
) -> Iterator[Line[dict[str, Any]]]:
    for line, item in rows(path, wanted):
        for column in pictured:
            item[column] = Embedded(f"{name}#{line:06d}", content_of(item.get(column)))
        yield Line(line, item)


def content_of(value: Any) -> bytes | None:
    """The bytes of a cell of a picture column."""
    return value.get("bytes") if isinstance(value, dict) else value


def import_package(
    module: str, what: str = "Parquet", refused: Callable[[str], Exception] = Unreadable
) -> Any:
    """A module that the core goes without; `what` needs it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        words = f"{what} needs {package}: pip install {package} (it is in requirements.txt)."
        raise refused(words) from None


def open_parquet(path: Path) -> Any:
    parquet = import_package("pyarrow.parquet")
    try:
        # Read bit by bit: a column in a row group may have hundreds of megabytes.
        bit_by_bit: dict[str, Any] = {"buffer_size": 2**20, "pre_buffer": False}
        file = parquet.ParquetFile(path, **bit_by_bit)
        _check_rows(path, int(file.metadata.num_rows))
        _check_values(path, file)
        if lists := _lists_of_texts(file):
            # Each text of a list once, until it is known how much all of them are.
            file = parquet.ParquetFile(path, read_dictionary=lists, **bit_by_bit)
    except Unreadable:
        raise
    except Exception as error:
        raise Unreadable(f"{path.name} is no sound Parquet file: {_error_text(error)}.") from error
    return file


def _check_rows(path: Path, declared: int) -> None:
    """Before anything is decoded."""
    size = path.stat().st_size
    most = min(MOST_ROWS, HARMLESS_ROWS + ROWS_OF_A_BYTE * size)
    if declared > most:
        raise Unreadable(
            f"{path.name} says that it has {declared:,} rows in {size:,} bytes; a file of this size may "
            f"have {most:,}. Split it, or write its rows without repetition."
        )


def _check_values(path: Path, file: Any) -> None:
    """Before anything is decoded, too: a row may hold a list without end."""
    size = path.stat().st_size
    most = HARMLESS_VALUES + ROWS_OF_A_BYTE * size
    about = file.metadata
    values: Counter[str] = Counter()
    for group in map(about.row_group, range(about.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            values[column.path_in_schema] += column.num_values
    for name, count in values.items():
        if count > max(most, about.num_rows):
            raise Unreadable(
                f"{path.name} says that its column {name.partition('.')[0]} has {count:,} values in {size:,} "
                f"bytes; a file of this size may have {most:,}."
            )


def _lists_of_texts(file: Any) -> list[str]:
    columns = map(file.schema.column, range(len(file.schema)))
    return [
        column.path
        for column in columns
        if column.max_repetition_level and column.physical_type == "BYTE_ARRAY"
    ]


def _largest(file: Any, wanted: Sequence[str]) -> int:
    """Bytes of the largest column in a row group."""
    about, most = file.metadata, 0
    for group in map(about.row_group, range(about.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema.partition(".")[0] in wanted:
                most = max(most, column.total_uncompressed_size)
    return most


def _kinds_with_lengths() -> tuple[Any, ...]:
    from pyarrow import types

    return types.is_string, types.is_large_string, types.is_binary, types.is_large_binary


def _decoded_bytes(column: Any) -> int:
    """What its values take once each row has its own; a dictionary holds each value once."""
    import pyarrow
    import pyarrow.compute

    if pyarrow.types.is_list(column.type) or pyarrow.types.is_large_list(column.type):
        return _decoded_bytes(column.flatten())
    if pyarrow.types.is_map(column.type):
        return _decoded_bytes(column.keys) + _decoded_bytes(column.items)
    if pyarrow.types.is_struct(column.type):
        return sum(map(_decoded_bytes, column.flatten()))
    if not pyarrow.types.is_dictionary(column.type):
        return int(column.nbytes)
    values = column.dictionary
    if any(is_kind(values.type) for is_kind in _kinds_with_lengths()):
        lengths = pyarrow.compute.binary_length(values)
        return int(pyarrow.compute.sum(lengths.take(column.indices)).as_py() or 0)
    return len(column) * int(values.nbytes) // max(1, len(values))


def _features(about: dict[bytes, bytes]) -> dict[str, str]:
    """Column -> its kind, as the hub's library wrote it into the file."""
    try:
        features = json.loads(about.get(b"huggingface", b"{}"))["info"]["features"]
        return {name: str(feature.get("_type")) for name, feature in features.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def _error_text(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")[:200]
