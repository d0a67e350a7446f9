"""Rapidata's results of comparisons: each response is a vote of somebody unknown.

An order's `context` is the prompt; an asset's name is the image, unless the order's metadata say which it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jurybox_formats.pair_files import cells
from jurybox_formats.pair_files.place import Place
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.picture_names import image_key, prompt_key
from jurybox_formats.sources.records import Record
from jurybox_formats.tools.rapidata import counts_of
from jurybox_formats.tools.task_images import name_of

REQUIRED = ("context", "aggregatedResults")
ONE_OF = ("winner", "winner_index", "winnerIndex")
OPTIONAL = (
    *("detailedResults", "assetUrls", "privateMetadata", *ONE_OF, "weightedWinner"),
    *("weightedWinnerIndex", "aggregatedResultsRatios", "summedUserScores"),
    *("summedUserScoresRatios", "confidencePerCategory"),
)
# What may be chosen beside the two.
BOTH, NEITHER = "Both", "Neither"
SIDES = ("first", "second")


def read(cell: dict[str, Any], place: Place) -> Iterator[Record]:
    text = cells.text(cell, "context")
    counted = counts_of(cell)
    shown = cell["assetUrls"] if isinstance(cell["assetUrls"], dict) else dict(counted)
    assets = [name for name in shown if name not in (BOTH, NEITHER)]
    if len(assets) != 2:
        raise Unfit("aggregatedResults", len(assets), "A comparison is between two pictures.")
    values = dict(zip(assets, SIDES, strict=True)) | {BOTH: "both", NEITHER: "neither"}
    votes = [values.get(one, "") for one in _votes(cell, counted)]
    if not all(votes):
        raise Unfit("votedFor", "", "Somebody voted for what was not shown.")
    about = cell["privateMetadata"]
    keys = [_key(asset, about, letter) for asset, letter in zip(assets, "ab", strict=True)]
    if keys[0] == keys[1]:
        raise Unfit("aggregatedResults", keys[0], "Both sides show one and the same image.")
    yield from place.prompt(text)
    files = [place.folder / name_of(asset) for asset in assets]
    images = [
        (key, _metadata(about, f"generator_{letter}"), file if file.is_file() else None)
        for key, letter, file in zip(keys, "ab", files, strict=True)
    ]
    yield from place.votes(prompt_key(text), images, [("", 0, 1, value) for value in votes])


def _votes(cell: Mapping[str, Any], counted: list[tuple[str, int]]) -> list[Any]:
    """Each response; without them, the counts."""
    if cell["detailedResults"] == "":
        return [name for name, count in counted for _ in range(count)]
    given = cells.read_list(cell, "detailedResults")
    return [one.get("votedFor") if isinstance(one, dict) else None for one in given]


def _key(asset: str, about: Any, letter: str) -> str:
    return _metadata(about, f"image_{letter}") or image_key(name_of(asset))


def _metadata(about: Any, name: str) -> str:
    value = about.get(name) if isinstance(about, dict) else None
    return value if isinstance(value, str) else ""
