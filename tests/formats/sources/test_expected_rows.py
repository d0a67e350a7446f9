"""The number of rows that is told before an import is that of the rows that the import reads."""

import json

import pytest

from jurybox_formats.sources import expected_rows as expected
from jurybox_formats.sources.expected_rows import expected_rows

CSV = "image_id,rater,question,value\n"


def labels(count):
    return CSV + "".join(f"i{n},ann,aligned,{n % 2}\n" for n in range(count))


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("a.csv", labels(7), 7),
        ("a.csv", labels(7) + "\n\n", 7),
        ("a.csv", CSV + 'i1,ann,note,"two\nlines, one row"\ni2,ann,note,x\n', 2),
        ("a.tsv", labels(3).replace(",", "\t"), 3),
        ("a.jsonl", '{"a": 1}\n\n{"a": 2}\n', 2),
        ("a.json", '[{"a": [1, {"b": 2}]},\n {"a": "],["}]', 2),
    ],
)
def test_a_small_file_is_counted(tmp_path, name, text, rows):
    (tmp_path / name).write_text(text)
    assert expected_rows("table", tmp_path / name) == rows


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json"])
def test_a_large_file_is_taken_to_be_as_its_beginning(tmp_path, name, monkeypatch):
    monkeypatch.setattr(expected, "START", 10_000)
    objects = [{"id": f"i{n:05d}", "value": "yes — no"[: n % 8]} for n in range(20_000)]
    texts = {
        "a.csv": "id,value\n" + "".join(f"{o['id']},{o['value']}\n" for o in objects),
        "a.jsonl": "".join(json.dumps(o, ensure_ascii=False) + "\n" for o in objects),
        "a.json": json.dumps(objects, ensure_ascii=False),
    }
    (tmp_path / name).write_text(texts[name])
    assert expected_rows("table", tmp_path / name) == pytest.approx(20_000, rel=0.02)


def test_a_parquet_file_says_how_many(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    for name in ("a.parquet", "b.parquet"):
        parquet.write_table(pyarrow.table({"prompt": ["x"] * 1_234}), tmp_path / name)
    (tmp_path / "notes.csv").write_text(labels(5))
    assert expected_rows("hf", tmp_path / "a.parquet") == 1_234
    assert expected_rows("hf", tmp_path) == 2_468
    assert expected_rows("table", tmp_path) == 2_473


def test_of_a_folder_only_what_is_read_is_counted(tmp_path):
    (tmp_path / "labels.csv").write_text(labels(4))
    (tmp_path / "images.csv").write_text("image_id,prompt_id,prompt,generator\n1,2,3,4\n")
    (tmp_path / "other.csv").write_text(labels(9))
    for name in ("a.png", "b.jpg", "c.txt"):
        (tmp_path / name).write_bytes(b"x")
    assert expected_rows("tidy", tmp_path) == 5
    assert expected_rows("pictures", tmp_path) == 2


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b'[{"a": ', b"[" * 9_999, b"\xff\xfe"])
def test_where_nobody_can_tell_nothing_is_told(tmp_path, content):
    (tmp_path / "a.json").write_bytes(content)
    assert expected_rows("table", tmp_path / "a.json") is None
    assert expected_rows("table", tmp_path / "none.csv") is None
    (tmp_path / "b.csv").write_text(labels(3))
    assert expected_rows("geneval", tmp_path / "b.csv") is None
