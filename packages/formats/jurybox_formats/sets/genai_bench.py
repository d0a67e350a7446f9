"""GenAI-Bench: ratings of three people per image, skills of the prompts, best-of-nine rankings.

The "teaser" files on the same pages look alike and hold rounded means and ranks instead of
ratings; they are distinguished and refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jurybox_formats.sources import json_values
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format
from jurybox_formats.sources.json_values import take, take_text
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


FORMATS = {
    "genai_bench": Format(
        "GenAI-Bench: ratings, skills, rankings",
        lambda s: read(s.path, s.images),
        frozenset({"likert"}),
        order=40,
    )
}
