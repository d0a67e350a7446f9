"""ImagenHub: a TSV for each rater of a task, a row for each item, a column for each model.

A cell is `[semantic consistency, perceptual quality]`, each 0, 0.5 or 1. Where the task's
`dataset_lookup.json` or its pictures lie beside, they come along: `MODEL/uid`, `input/uid`, `mask/uid` and
`token/uid`. Of several tasks each has a folder of its own, `TASK/` or `ImagenHub_TASK/`.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jurybox_formats.sources import json_values
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format
from jurybox_formats.sources.records import (
    ImageRecord,
    LabelRecord,
    PromptPictureRecord,
    PromptRecord,
    Record,
    Unreadable,
)
from jurybox_formats.sources.rows import Images, Line, records
from jurybox_formats.sources.text_files import csv_rows, document, wrong_width

NAME = re.compile(r"(?P<task>.+)_(?P<rater>rater.+)\.tsv", re.IGNORECASE)
GRADES = (0.0, 0.5, 1.0)
LOOKUP = "dataset_lookup.json"
# The instruction of an item, by the names that the tasks give it; the first one counts.
TEXTS = (
    *("instruction", "prompt", "text", "target_caption", "caption", "target_local_caption"),
    "subject",
)
# The task's folders of pictures. What an edit begins with is a source; a guide, a subject or concepts that
# an image is made from are references.
INPUTS = ("input", "source")
GENERATING = ("_IG", "_IC")


def read(path: Path, images: Path | None = None) -> Iterator[Record]:
    folder = path if path.is_dir() else path.parent
    files = sorted(folder.glob("*.tsv")) if path.is_dir() else [path]
    named = [(file, match) for file in files if (match := NAME.fullmatch(file.name))]
    if not named:
        words = "holds no ratings such as Text-Guided_IE_rater1.tsv"
        raise Unreadable(f"{path.name} {words}: task, _rater and a number.")
    yield from json_values.not_read(
        path, [*(file for file, _ in named), folder / LOOKUP], "no ratings of ImagenHub"
    )
    tasks = {match["task"] for _, match in named}
    reader = _Reader(images, several=len(tasks) > 1, lookup=_lookup(folder / LOOKUP))
    for file, match in named:
        yield from reader.ratings(file, match["task"], match["rater"])


def grades_of(cell: str) -> tuple[float, float]:
    """Unfit says what is wrong with the cell."""
    try:
        given = json.loads(cell)
    except (ValueError, RecursionError):
        given = None
    if (
        not isinstance(given, list)
        or len(given) != 2
        or any(isinstance(one, bool) or one not in GRADES for one in given)
    ):
        raise Unfit("rating", cell[:80], "A rating is [SC, PQ], each 0, 0.5 or 1.")
    return float(given[0]), float(given[1])


class _Reader:
    def __init__(self, images: Path | None, *, several: bool, lookup: dict[str, Any]) -> None:
        self.images, self.several, self.lookup = images, several, lookup
        self.seen = Images()
        self.prompts: set[str] = set()
        self.lookups: dict[str, dict[str, Any]] = {}

    def ratings(self, file: Path, task: str, rater: str) -> Iterator[Record]:
        rows = csv_rows(file, "\t")
        head = next(rows, None)
        if not isinstance(head, Line) or head.value[:1] != ["uid"] or len(head.value) < 2:
            raise Unreadable(f"{file.name} does not begin with “uid” and the names of models.")
        models = [name.strip() for name in head.value[1:]]
        if not all(models) or len(set(models)) < len(models):
            raise Unreadable(f"{file.name} has a model without a name, or one twice.")

        def read_row(row: Line[list[str]]) -> Iterator[Record | Unfit]:
            if len(row.value) != len(head.value):
                yield wrong_width(row, len(head.value), file.name)
                return
            uid, *cells = row.value
            yield from self._item(uid.strip(), task)
            for model, cell in zip(models, cells, strict=True):
                yield from self._rating(uid.strip(), task, model, rater, cell)

        yield from records(rows, read_row, file.name, self.seen)

    def _key(self, uid: str, task: str) -> str:
        return f"{task}/{uid}" if self.several else uid

    def _item(self, uid: str, task: str) -> Iterator[Record]:
        key = self._key(uid, task)
        if not uid or key in self.prompts:
            return
        self.prompts.add(key)
        item = self._items_of(task).get(uid)
        item = item if isinstance(item, dict) else {}
        control = item.get("control_type")
        tags = (task, control) if isinstance(control, str) and control else (task,)
        text = next((t for n in TEXTS if isinstance(t := item.get(n), str) and t.strip()), uid)
        metadata = {"benchmark": "imagenhub"}
        yield PromptRecord(key, text, tags, metadata=metadata)
        for place, picture in self._pictures_of_prompt(uid, task):
            yield PromptPictureRecord(key, place, picture)

    def _pictures_of_prompt(self, uid: str, task: str) -> Iterator[tuple[str, Path]]:
        begins_with = next((p for n in INPUTS if (p := self._picture(n, uid, task))), None)
        token = self._picture("token", uid, task)
        edits = not task.upper().endswith(GENERATING)
        if begins_with is not None:
            together = token is not None and not edits
            yield ("source" if edits else "reference-1" if together else "reference"), begins_with
        if token is not None:
            yield ("reference" if edits or begins_with is None else "reference-2"), token
        if mask := self._picture("mask", uid, task):
            yield "mask", mask

    def _rating(
        self, uid: str, task: str, model: str, rater: str, cell: str
    ) -> Iterator[Record | Unfit]:
        key = self._key(uid, task)
        image = f"{model}/{key}"
        try:
            if not uid:
                raise Unfit("uid", "", "The item has no uid.")
            consistency, quality = grades_of(cell)
        except Unfit as unfit:
            yield unfit
            return
        yield ImageRecord(image, key, model, self._picture(model, uid, task))
        for question, value in (
            ("semantic_consistency", consistency),
            ("perceptual_quality", quality),
            ("overall", math.sqrt(consistency * quality)),
        ):
            yield LabelRecord(image, rater, question, value)

    def _items_of(self, task: str) -> dict[str, Any]:
        if task not in self.lookups:
            there = (folder / LOOKUP for folder in self._folders(task))
            beside = next((path for path in there if path.is_file()), None)
            self.lookups[task] = _lookup(beside) if beside else self.lookup
        return self.lookups[task]

    def _folders(self, task: str) -> list[Path]:
        """Where the pictures of a task may lie."""
        if self.images is None or ".." in task or "/" in task:
            return []
        return [self.images / f"ImagenHub_{task}", self.images / task, self.images]

    def _picture(self, folder: str, uid: str, task: str) -> Path | None:
        if any("/" in part or ".." in part for part in (folder, uid)):
            return None
        paths = (one / folder / uid for one in self._folders(task))
        return next((path for path in paths if os.path.isfile(path)), None)


def _lookup(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    items = document(path)
    if not isinstance(items, dict):
        raise Unreadable(f"{path.name} is no object of items by their uid.")
    return items


FORMATS = {
    "imagenhub": Format(
        "ImagenHub: ratings of each task, a TSV for each rater",
        lambda s: read(s.path, s.images),
        form="imagenhub",
        order=100,
    )
}
