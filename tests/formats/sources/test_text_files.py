"""Text is read in parts of any size, and rows of a CSV many at once: it makes no difference."""

import csv

import pytest

from jurybox_formats.sources import text_files
from jurybox_formats.sources.records import Rejected

ODD = {
    "plain": b"a,b\n1,2\n3,4\n",
    "line ends": b"a,b\r\n1,2\r3,4\n\r\n\n5,6",
    "cells of several lines": b'a,b\n"1\n\r\n2",3\n4,"5\r6"\n7,8\n',
    "a mark of the byte order": b"\xef\xbb\xbfa,b\n1,2\n",
    "no text": b"a,b\n1,\xff\n3,4\n\x00,5\n6,7\n",
    "no text in a cell of several lines": b'a,b\n"1\n\xff\n2",3\n4,5\n',
    "letters of several bytes": "a,b\nż,日本\n\u2028,ü\n".encode(),
    "an open quotation mark": b'a,b\n1,2\n"' + b"x\n" * 90 + b"3,4\n",
    "an endless line": b"a,b\n1," + b"x" * 250 + b"\r\n3,4\n",
    "an endless last line": b"a,b\n1,2\n3," + b"x" * 250,
    "rows of another width": b"a,b\n1,2\n3\n4,5,6\n7,8\n",
    "blank rows": b'a,b\n\n""\n1,2\n\n',
}


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(text_files, "LONGEST_LINE", 200)
    before = csv.field_size_limit(150)
    yield monkeypatch
    csv.field_size_limit(before)


def read(path):
    rows = list(text_files.csv_rows(path))
    table = list(text_files.csv_table(path)[1])
    return rows, table, list(text_files.text_lines(path)), list(text_files.json_lines(path))


@pytest.mark.parametrize("name", ODD)
def test_a_file_in_parts_of_any_size_is_the_same_file(name, tmp_path, short):
    path = tmp_path / "odd.csv"
    path.write_bytes(ODD[name])
    short.setattr(text_files, "PART", 2**18)
    whole = read(path)
    for part, rows, few in ((1, 1, 1), (2, 3, 2), (7, 2, 1), (64, 250, 20), (100, 4, 4)):
        short.setattr(text_files, "PART", part)
        short.setattr(text_files, "ROWS", rows)
        short.setattr(text_files, "FEW_ROWS", few)
        assert read(path) == whole, part


def test_rows_are_named_by_the_lines_on_which_they_begin(tmp_path):
    path = tmp_path / "some.csv"
    path.write_bytes(b'a,b\n\n"1\n2",3\n4,\xff\n5,6\n7\n8,9\n')
    rows = list(text_files.csv_table(path)[1])
    assert [(row.line, isinstance(row, Rejected)) for row in rows] == [
        (3, False), (5, True), (6, False), (7, True), (8, False),
    ]  # fmt: skip
    assert rows[0].value == ["1\n2", "3"]


def test_after_a_line_without_end_the_next_one_is_read(tmp_path, short):
    path = tmp_path / "long.csv"
    for length in (198, 199, 200, 201, 400):
        path.write_bytes(b"a\n" + b"x" * length + b"\n3\n")
        refused, row = list(text_files.text_lines(path))[1:]
        assert (isinstance(refused, Rejected), refused.line) == (length >= 199, 2)
        assert (row.line, row.value) == (3, "3")


def test_a_file_that_is_one_endless_line_is_read_in_few_steps(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "PART", 16)
    monkeypatch.setattr(text_files, "LONGEST_LINE", 10_000)
    path = tmp_path / "endless.csv"
    path.write_text("x" * 100_000)
    lines = text_files.Lines(path)
    assert [len(line) for line in lines] == [81]
    assert lines.bad == {1}
    assert lines.parts < 30


def test_rows_are_read_some_at_a_time_and_of_long_ones_fewer(tmp_path, monkeypatch):
    path = tmp_path / "many.csv"
    monkeypatch.setattr(text_files, "PART", 10_000)
    for cell, most in (("x", text_files.ROWS), ("x" * 50_000, 2 * text_files.FEW_ROWS)):
        path.write_text(f"{cell},1\n" * 1000)
        blocks = list(text_files.csv_blocks(path))
        assert sum(len(block.rows) for block in blocks) == 1000
        assert max(len(block.rows) for block in blocks) <= most
        assert [line for block in blocks for line in block.lines] == list(range(1, 1001))


def test_sound_rows_stay_together_between_unreadable_ones(tmp_path):
    path = tmp_path / "some.csv"
    path.write_bytes(b"a,b\n" + (b"1,2\n" * 50 + b"\xff,2\n" + b"3\n") * 3 + b"5,6\n" * 5000)
    blocks = list(text_files.table_blocks(path, required=("a", "b")))
    refused = [block.line for block in blocks if isinstance(block, Rejected)]
    assert refused == [52, 53, 104, 105, 156, 157]
    rows = [len(block.lines) for block in blocks if not isinstance(block, Rejected)]
    assert sum(rows) == 5150
    # A block of each stretch, and of what comes after it as many rows as ever.
    assert len(rows) <= 6 + 5000 // text_files.ROWS
