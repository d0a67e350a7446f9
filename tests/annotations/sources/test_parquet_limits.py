"""Parquet that is small as a file and endless as rows is refused before, or while, it is decoded."""

from __future__ import annotations

import pyarrow
import pytest
from pyarrow import parquet

from annotations.sources import parquet_rows
from annotations.sources.records import Unreadable


def write(path, rows: int, value: str = "a"):
    column = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0], pyarrow.int32()).take(pyarrow.array([0] * rows, pyarrow.int32())),
        [value],
    )
    parquet.write_table(pyarrow.table({"image_id": column}), path, compression="zstd")
    return path


def test_rows_are_counted_before_one_is_decoded(tmp_path, monkeypatch):
    path = write(tmp_path / "many.parquet", 300_000)
    assert path.stat().st_size < 3_000
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", None)
    with pytest.raises(Unreadable, match="many.parquet says that it has 300,000 rows in"):
        next(iter(parquet_rows.rows(path)))
    with pytest.raises(Unreadable, match="300,000 rows"):
        parquet_rows.count(path)


def test_bytes_are_counted_while_rows_are_decoded(tmp_path, monkeypatch):
    path = write(tmp_path / "large.parquet", 10_000, "x" * 1_000)
    monkeypatch.setattr(parquet_rows, "HARMLESS_BYTES", 100_000)
    monkeypatch.setattr(parquet_rows, "BYTES_OF_A_BYTE", 1)
    with pytest.raises(Unreadable, match="becomes more than 0 MB by row"):
        list(parquet_rows.rows(path))


def test_a_plain_table_is_read_to_its_end(tmp_path):
    path = tmp_path / "plain.parquet"
    names = [f"image-{number}" for number in range(5_000)]
    parquet.write_table(pyarrow.table({"image_id": names}), path)
    assert [row.value["image_id"] for row in parquet_rows.rows(path)] == names
