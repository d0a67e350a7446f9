"""Tables of results in a spreadsheet: cells by their column, and nothing that a table does not need."""

import io
import zipfile

import pytest

from jurybox_formats.sets.edit_sets.spreadsheet import read_rows
from jurybox_formats.sources.records import Unreadable
from tests.formats.sets.edit_grades import workbook


def written(tmp_path, content):
    path = tmp_path / "a.xlsx"
    path.write_bytes(content)
    return path


def test_cells_stand_under_their_names_and_empty_ones_are_none(tmp_path):
    path = written(
        tmp_path, workbook([{"a": "x", "b": "", "c": 2.5}, {"a": "", "b": "y", "c": ""}])
    )
    assert [(row.line, row.value) for row in read_rows(path)] == [
        (2, {"a": "x", "b": None, "c": 2.5}),
        (3, {"a": None, "b": "y", "c": None}),
    ]


def packed(**parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in parts.items():
            file.writestr(f"xl/{name}.xml", content)
    return out.getvalue()


SHEET = "worksheets/sheet1"
SPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
ENTITY = '<!DOCTYPE a [<!ENTITY x "xx">]><worksheet/>'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"no zip", "no spreadsheet that can be read"),
        (packed(other="<a/>"), "holds no sheet"),
        (packed(**{SHEET: "<a"}), "damaged"),
        (packed(**{SHEET: ENTITY}), "what no table needs"),
        (packed(**{SHEET: ENTITY.encode("utf-16")}), "damaged"),
        (packed(**{SHEET: "<worksheet/>"}), "no header row"),
        (packed(**{SHEET: f'<w {SPACE}><row><c t="s"><v>7</v></c></row></w>'}), "damaged"),
        (packed(**{SHEET: f'<w {SPACE}><row><c r="ZZZ1"><v>7</v></c></row></w>'}), "damaged"),
    ],
)
def test_what_is_no_table_is_refused_with_a_sentence(tmp_path, content, words):
    with pytest.raises(Unreadable, match=words):
        list(read_rows(written(tmp_path, content)))


def test_a_sheet_that_unpacks_to_too_much_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("jurybox_formats.sets.edit_sets.spreadsheet.LARGEST_PART", 10)
    with pytest.raises(Unreadable, match="too large"):
        list(read_rows(written(tmp_path, workbook([{"a": "x"}]))))
