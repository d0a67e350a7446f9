"""A chart fitted to a width in pixels: that of its box on a page, or of a column of a paper."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from typing import Any

AXIS_ROOM = 64
LETTER = 6.5
# The names at the ends of the lines.
LEAST_ROOM, MOST_ROOM = 120, 320
MOST_LETTERS = 30
# Longer names are cut: beside the plot at a share of the width, over a line at so many pixels.
NAMES_SHARE, OVER_A_LINE = 0.34, 170
# A reader's font may be wider than the one that is measured here.
SLACK = 24
# Where the box is narrow, the names of the lines stand over their ends instead of beside them.
NARROW = 480
SMALL_CHART = 260
# Of a legend above the plot: a name as long as a legend shows it, its mark, and what stands between.
LEGEND_COLUMN = 210
LEAST_PLOT = 120
# Where a title may go on in a new line: before a bracket or after a colon or semicolon, but not within
# brackets.
TURN = re.compile(r" (?=\()|; |: (?![^(]{0,200}\))")
NAME_DX = 8  # of the names at the ends of lines, see `audit/charts/lines.py`


def fit_to(spec: dict[str, Any], width: int) -> dict[str, Any]:
    """The parts of a stacked chart cannot take the width of their box by themselves."""
    spec = copy.deepcopy(spec)
    if "concat" in spec:
        # Small charts side by side, as many as fit.
        spec["columns"] = max(1, width // SMALL_CHART)
        for part in spec["concat"]:
            part["width"] = width // spec["columns"] - AXIS_ROOM
        return spec
    named, narrow = spec.get("usermeta", {}).get("names", True), width < NARROW
    config, most = spec.setdefault("config", {}), min(MOST_ROOM, int(width * NAMES_SHARE))
    config["axis"] = {**config.get("axis", {}), "labelLimit": most}
    if narrow:
        config["legend"] = {
            **config.get("legend", {}),
            "columns": 1,
            "labelLimit": width - AXIS_ROOM,
        }
    else:
        config["legend"] = {
            **config.get("legend", {}),
            "columns": max(2, width // LEGEND_COLUMN),
            "columnPadding": 24,
        }
    spec["padding"] = {**config.get("padding", {}), "left": 8 if named else SLACK, "right": SLACK}
    axis = AXIS_ROOM if named else AXIS_ROOM + min(most, _longest_name(spec) * LETTER)
    beside = min(most, _room_beside(spec)) if named and not narrow else 0
    for part in spec.get("vconcat", [spec]):
        title = part.get("title")
        if isinstance(title, str) and len(title) * LETTER > width:
            part["title"] = TURN.split(title)
        _fit_part(part, int(width - axis - beside - SLACK), narrow=narrow, beside=int(beside))
    return spec


def _fit_part(part: dict[str, Any], room: int, *, narrow: bool, beside: int) -> None:
    # A fixed size is a square that must stay one.
    if part.get("width") == "container":
        part["width"] = max(room, LEAST_PLOT)
    elif isinstance(part.get("width"), int | float) and part["width"] > room:
        part["height"] = part["width"] = room
    if not narrow:
        for mark in _left_texts(part):
            if mark.get("dx") == NAME_DX:
                mark["limit"] = beside - NAME_DX
        return
    for mark in _left_texts(part):
        if mark.get("dx") == NAME_DX:
            mark.update(align="right", dx=4, dy=-12, limit=OVER_A_LINE)
        else:
            # The words of a reference line would run into the names.
            mark["limit"] = 90


def _left_texts(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for layer in part.get("layer", []):
        mark = layer["mark"]
        if isinstance(mark, dict) and mark["type"] == "text" and mark.get("align") == "left":
            yield mark


def _room_beside(spec: dict[str, Any]) -> float:
    longest = max(
        (
            len(str(row.get("short", row.get("judge", ""))))
            for part in spec.get("vconcat", [spec])
            for layer in part.get("layer", [])
            if isinstance(layer["mark"], dict) and layer["mark"].get("dx") == NAME_DX
            for row in _rows(layer, spec)
        ),
        default=0,
    )
    return min(MOST_ROOM, max(LEAST_ROOM, longest * LETTER + 16)) if longest else 0


def _rows(layer: dict[str, Any], spec: dict[str, Any]) -> list[dict[str, Any]]:
    data = layer.get("data", {})
    return data.get("values") or spec.get("datasets", {}).get(data.get("name"), [])


def _longest_name(spec: dict[str, Any]) -> int:
    """Names on the vertical axis need room to the left; sorted names are listed in the scale."""
    names = [
        name
        for layer in spec.get("layer", [])
        for name in (layer.get("encoding", {}).get("y", {}).get("sort") or [])
    ]
    lines = [line for name in names for line in str(name).split("\n")]
    return min(MOST_LETTERS, max(map(len, lines), default=0))
