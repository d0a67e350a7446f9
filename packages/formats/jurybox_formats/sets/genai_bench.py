"""GenAI-Bench: ratings of three people per image, skills of the prompts, best-of-nine rankings.

The "teaser" files on the same pages look alike and hold rounded means and ranks instead of
ratings; they are distinguished and refused.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from jurybox_formats.sources import json_values, parquet_rows
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.parquet_rows import EmbeddedFile, content_of
from jurybox_formats.sources.records import (
    ImageRecord,
    LabelRecord,
    Missing,
    PromptRecord,
    Record,
    Unreadable,
)
from jurybox_formats.sources.rows import Images, Line, records
from jurybox_formats.sources.text_files import document, entries

SKILLS = "genai_skills.json"
RATINGS = range(1, 6)


def read(path: Path, images: Path | None) -> Iterator[Record]:
    files = [path] if path.is_file() else _rating_files(path)
    folder = path if path.is_dir() else path.parent
    yield from json_values.not_read(path, [*files, folder / SKILLS], "no ratings of single people")
    skills = _skills(folder / SKILLS)
    seen = Images()
    for file in files:
        yield from _ratings(file, document(file), skills, images, seen)


def _ratings(
    path: Path, items: Any, skills: dict[str, list[str]], images: Path | None, seen: Images
) -> Iterator[Record]:
    if not isinstance(items, dict) or not items:
        raise Unreadable(f"{path.name} is no object of prompts by their id.")
    if is_teaser(items):
        raise Unreadable(
            f"{path.name} is a teaser file: per generator it has rounded means and ranks, not the "
            "ratings of single people. Import genai_image.json instead."
        )

    def read_entry(row: Line[tuple[str, Any]]) -> Iterator[Record | Unfit]:
        key, item = row.value
        text = take_text(item, "prompt")
        models = take(item, "models", dict, "an object of generators")
        if not _same_number(item.get("id", key), key):
            raise Unfit("id", item["id"], f"The entry is called “{key}”.")
        more = {"prompt in Chinese": item.get("prompt in Chinese")}
        metadata = {"benchmark": "genai_bench", **{k: v for k, v in more.items() if v}}
        yield PromptRecord(key, text, tuple(skills.get(key, ())), metadata=metadata)
        for generator, given in models.items():
            for sample, ratings in _samples(given):
                name = key if sample == 0 else f"{key}_{sample:02d}"
                picture = _picture(images, generator, name)
                if images is not None and picture is None:
                    yield Missing(f"picture {generator}/{name}.jpeg")
                image = f"{generator}/{name}"
                yield ImageRecord(image, key, generator, picture, sample=sample)
                yield from ratings_of(image, generator, ratings)

    yield from records(entries(path, items, 0), read_entry, path.name, seen)


def _same_number(given: Any, key: str) -> bool:
    """The official file writes "292" in the entry "00292"."""
    return str(given).zfill(len(key)) == key


def ratings_of(image: str, generator: str, ratings: Any) -> Iterator[Record | Unfit]:
    """Three numbers are three people, not three aspects."""
    field = f"models.{generator}"
    if not isinstance(ratings, list):
        yield Unfit(field, str(ratings), "A list of ratings is wanted.")
        return
    for number, rating in enumerate(ratings, 1):
        if isinstance(rating, bool) or rating not in RATINGS:
            shown = rating if isinstance(rating, int | float) else str(rating)[:80]
            words = f"Rating {number} of {image} must be a whole number from 1 to 5."
            yield Unfit(field, shown, words)
            continue
        yield LabelRecord(image, f"rater-{number}", "likert", float(rating))


def is_teaser(items: dict[str, Any]) -> bool:
    first = next(iter(items.values()))
    models = first.get("models") if isinstance(first, dict) else None
    given = next(iter(models.values()), None) if isinstance(models, dict) and models else None
    return isinstance(given, dict) and any(isinstance(value, str) for value in given.values())


def _samples(given: Any) -> Iterator[tuple[int, Any]]:
    """One picture, or nine to choose the best of: `{"1": ratings, … "9": ratings}`."""
    if isinstance(given, dict):
        for number, ratings in given.items():
            yield int(number) if str(number).isdecimal() else 0, ratings
    else:
        yield 0, given


def _picture(root: Path | None, generator: str, name: str) -> Path | None:
    if root is None or "/" in generator or ".." in generator:
        return None
    for suffix in (".jpeg", *json_values.SUFFIXES):
        if os.path.isfile(root / generator / f"{name}{suffix}"):
            return root / generator / f"{name}{suffix}"
    return None


def _rating_files(folder: Path) -> list[Path]:
    files = [f for f in sorted(folder.glob("*.json")) if f.name != SKILLS]
    fit = []
    for file in files:
        items = document(file)
        if isinstance(items, dict) and items and not is_teaser(items):
            fit.append(file)
    if not fit:
        raise Unreadable(f"{folder.name} holds no file of ratings such as genai_image.json.")
    return fit


def _skills(path: Path) -> dict[str, list[str]]:
    """`{skill: [numbers]}`, where number 1 is prompt "00001"."""
    if not path.is_file():
        return {}
    listed = document(path)
    if not isinstance(listed, dict):
        raise Unreadable(f"{path.name} is no object of skills.")
    skills: dict[str, list[str]] = {}
    for skill, numbers in listed.items():
        if not isinstance(numbers, list) or not all(isinstance(n, int) for n in numbers):
            raise Unreadable(f"{path.name}: “{skill}” must have a list of numbers of prompts.")
        for number in numbers:
            skills.setdefault(f"{number:05d}", []).append(skill)
    return skills


# As it lies on the hub: a row for each prompt, with a picture column for each generator. Two layouts. GenAI-Bench:
# `Index, Prompt, Tags {basic, advanced}, HumanRatings {generator: [3, 4, 3]}`. GenAI-Bench-1600: `id, prompt,
# basic_skills, advanced_skills, GENERATOR_HumanRating`, the lists as text.
RATING = "_HumanRating"
LONGEST_LIST = 2_000
_Cells = dict[str, Any]


def is_published(path: Path) -> bool:
    """By the names of the columns; the ratings are what nobody else calls so."""
    there = set(parquet_rows.columns(path))
    rated = "HumanRatings" in there or any(name.endswith(RATING) for name in there)
    return rated and bool({"Prompt", "prompt"} & there)


def read_published(path: Path, *, pictures: bool = True) -> Iterator[Record]:
    pictured = parquet_rows.picture_columns(path)
    there = parquet_rows.columns(path)
    wanted = there if pictures else [name for name in there if name not in pictured]

    read_row = partial(_of_row, pictured=pictured)
    return records(parquet_rows.rows(path, wanted), read_row, path.name, Images())


def _of_row(row: Line[_Cells], pictured: list[str]) -> Iterator[Record | Unfit]:
    line, cells = row
    number = cells.get("id", cells.get("Index", line - 1))
    if not str(number).strip().isdecimal():
        raise Unfit("id", number, "A prompt has a number.")
    key = str(number).strip().zfill(5)
    text = take_text(cells, "Prompt" if "Prompt" in cells else "prompt")
    metadata = {"benchmark": "genai_bench"}
    yield PromptRecord(key, text, _skills_of(cells), metadata=metadata)
    ratings = cells.get("HumanRatings") or {}
    for name in pictured or list(ratings):
        content = content_of(cells.get(name))
        image = f"{name}/{key}"
        yield ImageRecord(image, key, name, EmbeddedFile(content) if content else None)
        given = ratings.get(name) if f"{name}{RATING}" not in cells else cells[f"{name}{RATING}"]
        if given is not None:
            yield from ratings_of(image, name, _list(given))


def _skills_of(cells: _Cells) -> tuple[str, ...]:
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


FORMATS = {
    "genai_bench": Format(
        "GenAI-Bench: ratings, skills, rankings",
        lambda s: read(s.path, s.images),
        frozenset({"likert"}),
        order=40,
    )
}
