"""GenAI-Bench as it lies on the hub: one row for each prompt, with a picture column for each generator.

Two layouts. GenAI-Bench: `Index, Prompt, Tags {basic, advanced}, HumanRatings {generator: [3, 4, 3]}`.
GenAI-Bench-1600: `id, prompt, basic_skills, advanced_skills, GENERATOR_HumanRating`, the lists as text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from jurybox_formats.sets.genai_bench import ratings_of
from jurybox_formats.sources import parquet_rows
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.json_values import take_text
from jurybox_formats.sources.parquet_rows import EmbeddedFile, content_of
from jurybox_formats.sources.records import ImageRecord, PromptRecord, Record
from jurybox_formats.sources.rows import Images, Line, records

RATING = "_HumanRating"
LONGEST_LIST = 2_000
Cells = dict[str, Any]


def is_published(path: Path) -> bool:
    """By the names of the columns; the ratings are what nobody else calls so."""
    there = set(parquet_rows.columns(path))
    rated = "HumanRatings" in there or any(name.endswith(RATING) for name in there)
    return rated and bool({"Prompt", "prompt"} & there)


def read(path: Path, *, pictures: bool = True) -> Iterator[Record]:
    pictured = parquet_rows.picture_columns(path)
    there = parquet_rows.columns(path)
    wanted = there if pictures else [name for name in there if name not in pictured]

    read_row = partial(_of_row, pictured=pictured)
    return records(parquet_rows.rows(path, wanted), read_row, path.name, Images())


def _of_row(row: Line[Cells], pictured: list[str]) -> Iterator[Record | Unfit]:
    line, cells = row
    number = cells.get("id", cells.get("Index", line - 1))
    if not str(number).strip().isdecimal():
        raise Unfit("id", number, "A prompt has a number.")
    key = str(number).strip().zfill(5)
    text = take_text(cells, "Prompt" if "Prompt" in cells else "prompt")
    metadata = {"benchmark": "genai_bench"}
    yield PromptRecord(key, text, _skills(cells), metadata=metadata)
    ratings = cells.get("HumanRatings") or {}
    for name in pictured or list(ratings):
        content = content_of(cells.get(name))
        image = f"{name}/{key}"
        yield ImageRecord(image, key, name, EmbeddedFile(content) if content else None)
        given = ratings.get(name) if f"{name}{RATING}" not in cells else cells[f"{name}{RATING}"]
        if given is not None:
            yield from ratings_of(image, name, _list(given))


def _skills(cells: Cells) -> tuple[str, ...]:
    """Basic ones first, as the official file of skills has them."""
    tags = cells.get("Tags") or {}
    found: list[str] = []
    for kind in ("basic", "advanced"):
        given = tags.get(kind) or tags.get(f"{kind}_skills") or cells.get(f"{kind}_skills")
        found += [str(skill) for skill in _list(given) or []]
    return tuple(dict.fromkeys(found))


def _list(value: Any) -> Any:
    """A list, or one that was written as text: `[5, 4, 5]`, `['scene', 'attribute']`."""
    if not isinstance(value, str):
        return value
    if len(value) > LONGEST_LIST:
        return value
    try:
        read = ast.literal_eval(value.strip() or "[]")
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(read) if isinstance(read, list | tuple) else [read]
