"""Pick-a-Pic v2: a row is one person's answer about two images. Labels 1 and 0 say who won, 0.5 and 0.5
that it was a tie."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jurybox_formats.pair_files import cells
from jurybox_formats.pair_files.place import Place
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.picture_names import prompt_key
from jurybox_formats.sources.records import Record

REQUIRED = ("caption", "image_0_uid", "image_1_uid", "label_0", "label_1")
OPTIONAL = (
    *("jpg_0", "jpg_1", "model_0", "model_1", "user_id", "has_label", "are_different"),
    *("best_image_uid", "ranking_id", "created_at", "image_0_url", "image_1_url"),
    *("num_example_per_prompt", "__index_level_0__"),
)
VALUES = {(1.0, 0.0): "first", (0.0, 1.0): "second", (0.5, 0.5): "both"}


def read(cell: dict[str, Any], place: Place) -> Iterator[Record]:
    if not cells.truth(cell, "has_label", otherwise=True):
        place.told["rows have no label and were left out"] += 1
        return
    text = cells.text(cell, "caption")
    ends = [cells.text(cell, f"image_{side}_uid") for side in (0, 1)]
    if ends[0] == ends[1] or not cells.truth(cell, "are_different", otherwise=True):
        place.told["rows show one image twice and were left out"] += 1
        return
    value = _value(cell, ends)
    pictures = [cells.picture(cell[f"jpg_{side}"], f"jpg_{side}", place.folder) for side in (0, 1)]
    yield from place.prompt(text)
    images = [(ends[side], str(cell[f"model_{side}"]), pictures[side]) for side in (0, 1)]
    vote = cells.user(cell["user_id"]), 0, 1, value
    yield from place.votes(prompt_key(text), images, [vote])


def _value(cell: dict[str, Any], ends: list[str]) -> str:
    labels = (cells.number(cell, "label_0"), cells.number(cell, "label_1"))
    value = VALUES.get(labels)
    if value is None:
        raise Unfit("label_0", labels[0], "The labels must be 1 and 0, 0 and 1, or 0.5 and 0.5.")
    best = str(cell["best_image_uid"]).strip()
    said = {ends[0]: "first", ends[1]: "second", "tie": "both"}.get(best, value)
    if said != value:
        raise Unfit("best_image_uid", best, "The best image is not the one that the labels say.")
    return value
