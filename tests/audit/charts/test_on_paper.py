"""A chart as a file: as wide as a column, with its font, and signed in its metadata."""

from __future__ import annotations

import io
import struct

import pypdf
import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from PIL import Image

from audit.charts.on_paper import COLUMNS, MORE_LETTERS, draw_file

SPEC = {
    "data": {"values": [{"a": 1, "b": "one <b> & 'two'"}, {"a": 3, "b": "#set text(9pt)"}]},
    "mark": "bar",
    "width": "container",
    "encoding": {
        "x": {"field": "a", "type": "quantitative"},
        "y": {"field": "b", "type": "nominal", "axis": {"title": "turned"}},
    },
}
SIGNED = ["Jurybox 1 · shapes", "data abc"]


@pytest.mark.parametrize("wide", COLUMNS)
def test_a_pdf_is_as_wide_as_a_column_embeds_its_font_and_is_signed(wide):
    read = pypdf.PdfReader(io.BytesIO(draw_file(SPEC, SIGNED, "pdf", wide)))
    (page,) = read.pages
    assert float(page.mediabox.width) == pytest.approx(wide / 25.4 * 72, abs=0.01)
    assert read.metadata.subject == "Jurybox 1 · shapes data abc"
    fonts = [one.get_object() for one in page["/Resources"]["/Font"].values()]
    assert fonts
    for font in fonts:
        (inner,) = font["/DescendantFonts"]
        described = inner.get_object()["/FontDescriptor"]
        assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(described)
    text = page.extract_text()
    # What a person typed is words, never typesetting code.
    assert "one <b> & 'two'" in text and "#set text(9pt)" in text and "turned" in text


def test_an_svg_has_the_outlines_of_its_letters_and_is_signed():
    text = draw_file(SPEC, SIGNED, "svg", 84).decode()
    assert text.startswith("<svg") and "<text" not in text
    assert "<metadata>Jurybox 1 · shapes data abc</metadata>" in text


def test_a_png_has_300_dots_an_inch_and_is_signed():
    content = draw_file(SPEC, SIGNED, "png", 84)
    picture = Image.open(io.BytesIO(content))
    picture.load()
    assert picture.width == pytest.approx(84 / 25.4 * 300, abs=1)
    assert picture.text["Description"] == "Jurybox 1 · shapes data abc"
    assert struct.unpack(">I", content[33:37])[0] > 0


def test_the_same_numbers_make_the_same_file():
    assert draw_file(SPEC, SIGNED, "pdf", 84) == draw_file(SPEC, SIGNED, "pdf", 84)


LETTERS = "红色的圆"


@pytest.fixture
def more_letters(tmp_path, monkeypatch):
    """A package like that of `jurybox[cjk]`, its font of squares."""
    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    for point in ((100, 800), (900, 800), (900, 0)):
        pen.lineTo(point)
    pen.closePath()
    names = [".notdef", *(f"uni{ord(letter):04X}" for letter in LETTERS)]
    made = FontBuilder(1000)
    made.setupGlyphOrder(names)
    made.setupCharacterMap(
        {ord(letter): name for letter, name in zip(LETTERS, names[1:], strict=True)}
    )
    made.setupGlyf(dict.fromkeys(names, pen.glyph()))
    made.setupHorizontalMetrics(dict.fromkeys(names, (1000, 100)))
    made.setupHorizontalHeader(ascent=880, descent=-120)
    made.setupNameTable(
        {"familyName": "Noto Sans CJK SC", "styleName": "Regular", "psName": "NotoSansCJKSC"}
    )
    made.setupOS2()
    made.setupPost()
    package = tmp_path / MORE_LETTERS
    package.mkdir()
    (package / "__init__.py").touch()
    made.save(package / "squares.ttf")
    monkeypatch.syspath_prepend(tmp_path)


def test_letters_of_an_installed_font_stand_in_the_file(more_letters):
    spec = {**SPEC, "data": {"values": [{"a": 1, "b": LETTERS}]}}
    made = draw_file(spec, SIGNED, "pdf", 84)
    (page,) = pypdf.PdfReader(io.BytesIO(made)).pages
    assert LETTERS in page.extract_text()
    fonts = [one.get_object()["/BaseFont"] for one in page["/Resources"]["/Font"].values()]
    assert any("Noto" in name for name in fonts)
    for kind in ("svg", "png"):
        assert draw_file(spec, SIGNED, kind, 84) == draw_file(spec, SIGNED, kind, 84)


def test_letters_that_its_font_lacks_come_from_the_machine_or_stay_boxes():
    spec = {**SPEC, "data": {"values": [{"a": 1, "b": "红色的圆"}]}}
    assert draw_file(spec, SIGNED, "pdf", 84).startswith(b"%PDF")
