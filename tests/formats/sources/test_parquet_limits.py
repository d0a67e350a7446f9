"""Parquet that is small as a file and endless as rows is refused before, or while, it is decoded."""

from __future__ import annotations

import pyarrow
import pytest
from pyarrow import parquet

from jurybox_formats.pair_files import rows as vote_files
from jurybox_formats.sources import parquet_rows
from jurybox_formats.sources.records import Unreadable


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
    # A file of votes is opened in the same way.
    with pytest.raises(Unreadable, match="300,000 rows"):
        vote_files.columns_of(path)


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


def write_lists(path, value, *, each: int, rows: int, kind=None):
    cells = [[value] * each] * rows
    column = pyarrow.array(cells, kind) if kind else pyarrow.array(cells)
    parquet.write_table(pyarrow.table({"image_id": column}), path, compression="zstd")
    return path


def test_values_of_lists_are_counted_before_one_is_decoded(tmp_path, monkeypatch):
    """A cell is decoded whole, however long its list is."""
    path = write_lists(tmp_path / "lists.parquet", 1, each=500_000, rows=30)
    assert path.stat().st_size < 3_000
    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", None)
    with pytest.raises(Unreadable, match="its column image_id has 15,000,000 values in"):
        next(iter(parquet_rows.rows(path)))


MAP = pyarrow.map_(pyarrow.string(), pyarrow.string())
BOXES = pyarrow.list_(pyarrow.struct([("name", pyarrow.string())]))


@pytest.mark.parametrize(
    ("value", "kind"),
    [("x" * 1_000, None), (("k", "x" * 1_000), MAP), ({"name": "x" * 1_000}, BOXES)],
    ids=["a list", "a map", "a list of structs"],
)
def test_texts_of_lists_are_counted_before_they_become_rows(tmp_path, monkeypatch, value, kind):
    path = write_lists(tmp_path / "texts.parquet", value, each=1_000, rows=100, kind=kind)
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(parquet_rows, "HARMLESS_BYTES", 50_000_000)
    monkeypatch.setattr(parquet_rows, "BYTES_OF_A_BYTE", 1)
    with pytest.raises(Unreadable, match="becomes more than 47 MB by row 1, "):
        list(parquet_rows.rows(path))


def test_lists_of_a_plain_table_are_read_as_they_are(tmp_path):
    path = tmp_path / "plain.parquet"
    tags, boxes = [["a", "b"], [], None, ["a"]], [[{"name": "c", "at": [1, 2]}], [], None, []]
    parquet.write_table(pyarrow.table({"tags": tags, "boxes": boxes}), path)
    assert [row.value for row in parquet_rows.rows(path)] == [
        {"tags": tag, "boxes": box} for tag, box in zip(tags, boxes, strict=True)
    ]


def test_lists_of_texts_in_several_row_groups_are_read_in_their_order(tmp_path):
    path = tmp_path / "groups.parquet"
    answers = [
        [{"rater": f"rater {n}", "value": n / 2}, {"rater": "", "value": None}] for n in range(25)
    ]
    table = pyarrow.table({"tags": [[f"tag {n}"] for n in range(25)], "answers": answers})
    parquet.write_table(table, path, row_group_size=10)
    assert parquet.ParquetFile(path).metadata.num_row_groups == 3
    found = list(parquet_rows.rows(path))
    assert [row.line for row in found] == list(range(1, 26))
    assert [row.value for row in found] == table.to_pylist()
