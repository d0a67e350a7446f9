"""A chart as a file for a paper, at the width of a column: PDF, SVG or PNG.

Vega draws everything but the words; these are set by Typst in the font that it carries, so a PDF embeds its
font and an SVG has the outlines of its letters. The signature is in the metadata of the file.
"""

from __future__ import annotations

import json
import math
import re
import struct
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, cast
from xml.etree import ElementTree

from audit.charts.when_used import typst, vl_convert
from audit.charts.widths import fit_to

# Of a column and of a page, in millimetres.
COLUMNS: Final = (84, 174)
FONT: Final = "Libertinus Serif"
TEMPLATE = Path(__file__).with_name("paper.typ")
PIXELS = 96 / 25.4  # of a millimetre
POINTS = 72 / 25.4
SVG = "{http://www.w3.org/2000/svg}"
STEP = re.compile(r"(translate|rotate)\(([^()]*)\)")
ANCHORS = {"middle": 0.5, "end": 1.0}
LINE_HEIGHT = 1.2  # of the size of a letter
# Typst's own font has these; for others it looks into those of the machine.
# The package of a licensed font with the letters of Chinese, Japanese and Korean: `jurybox[cjk]`.
MORE_LETTERS: Final = "noto_cjk_sans_otc"
KNOWN = re.compile(r"[\u0000-\u024f\u0370-\u03ff\u2000-\u22ff]*")
DOTS_PER_INCH = 300
Kind = Literal["pdf", "svg", "png"]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text where Vega has placed it, in points; `before`: the share of it left of that place."""

    text: str
    x: float
    y: float
    turn: float  # degrees
    size: float
    fill: str
    weight: str
    before: float


def draw_file(
    spec: dict[str, Any], signature: list[str], kind: str, millimetres: int = COLUMNS[-1]
) -> bytes:
    fitted = fit_to(spec, int(millimetres * PIXELS))
    fitted.setdefault("config", {})["font"] = f"{FONT}, serif"
    svg = vl_convert.vegalite_to_svg(json.dumps(fitted))
    return set_svg(svg, signature, kind, millimetres)


def set_svg(svg: str, signature: list[str], kind: str, millimetres: float) -> bytes:
    """A drawing of Vega's at this width."""
    root = ElementTree.fromstring(svg)  # noqa: S314 – drawn here
    scale = millimetres * POINTS / float(root.attrib["width"])
    words = list(_take_words(root, (1.0, 0.0, 0.0, 1.0, 0.0, 0.0), scale))
    signed = " ".join(signature)
    told = {
        "signature": signed,
        "width": millimetres * POINTS,
        "height": float(root.attrib["height"]) * scale,
        "words": [asdict(one) for one in words],
    }
    ElementTree.register_namespace("", SVG.strip("{}"))
    content = _set_by_typst(told, ElementTree.tostring(root, encoding="unicode"), kind)
    if kind == "svg":
        return _describe_svg(content, signed)
    return _describe_png(content, signed) if kind == "png" else content


Matrix = tuple[float, float, float, float, float, float]


def _take_words(element: ElementTree.Element, at: Matrix, scale: float) -> Iterator[Line]:
    """All text, which is taken out of the drawing."""
    at = _move(at, element.attrib.get("transform", ""))
    for child in list(element):
        if child.tag != f"{SVG}text":
            yield from _take_words(child, at, scale)
            continue
        element.remove(child)
        here = _move(at, child.attrib.get("transform", ""))
        size = float(child.attrib.get("font-size", "10px").removesuffix("px"))
        lines = [part.text or "" for part in child] or [child.text or ""]
        for number, line in enumerate(lines):
            x, y = _place(here, 0.0, number * size * LINE_HEIGHT)
            if line.strip() and float(child.attrib.get("opacity", 1)) > 0:
                yield Line(
                    text=line,
                    x=x * scale,
                    y=y * scale,
                    turn=math.degrees(math.atan2(here[1], here[0])),
                    size=size * scale,
                    fill=child.attrib.get("fill", "#000000"),
                    weight=child.attrib.get("font-weight", "regular").replace("normal", "regular"),
                    before=ANCHORS.get(child.attrib.get("text-anchor", ""), 0.0),
                )


def _move(at: Matrix, transform: str) -> Matrix:
    """Vega moves and turns, and nothing else."""
    for name, numbers in STEP.findall(transform):
        values = [float(one) for one in re.split(r"[ ,]+", numbers.strip())]
        a, b, c, d, e, f = at
        if name == "translate":
            x, y = values[0], values[1] if len(values) > 1 else 0.0
            at = (a, b, c, d, a * x + c * y + e, b * x + d * y + f)
        else:
            sin, cos = math.sin(math.radians(values[0])), math.cos(math.radians(values[0]))
            at = (a * cos + c * sin, b * cos + d * sin, c * cos - a * sin, d * cos - b * sin, e, f)
    return at


def _place(at: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = at
    return a * x + c * y + e, b * x + d * y + f


def _set_by_typst(told: dict[str, Any], svg: str, kind: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="jurybox-chart-") as name:
        folder = Path(name)
        (folder / "paper.typ").write_bytes(TEMPLATE.read_bytes())
        (folder / "chart.svg").write_text(svg, encoding="utf-8")
        (folder / "chart.json").write_text(json.dumps(told), encoding="utf-8")
        nothing = folder / "no-packages"
        nothing.mkdir()
        is_known = all(KNOWN.fullmatch(one["text"]) for one in told["words"])
        more = [] if is_known else font_folders()
        compiler = typst.Compiler(
            str(folder / "paper.typ"),
            root=str(folder),
            ignore_system_fonts=is_known or bool(more),
            font_paths=more,
            package_path=str(nothing),
            package_cache_path=str(nothing),
        )
        # A moment of the clock would make every file another one.
        made = compiler.compile(format=cast(Kind, kind), ppi=DOTS_PER_INCH, timestamp=0)
        return cast(bytes, made)


def font_folders() -> list[str]:
    """Where the fonts lie that were installed for more letters than Typst's own have."""
    package = find_spec(MORE_LETTERS)
    return list(package.submodule_search_locations or ()) if package else []


def _describe_svg(content: bytes, signature: str) -> bytes:
    head, end, rest = content.decode().partition(">")
    return f"{head}{end}<metadata>{escape(signature)}</metadata>{rest}".encode()


def _describe_png(content: bytes, signature: str) -> bytes:
    """As international text, after the header of the file."""
    chunk = b"iTXtDescription\0\0\0\0\0" + signature.encode()
    described = struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk))
    head = 8 + 25  # the signature of PNG, and its first chunk
    return content[:head] + described + content[head:]
