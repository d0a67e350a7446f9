"""What each set of edits holds: its file of instructions, where its pictures lie, and what a result of a
model is called."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path, PurePosixPath
from typing import Any

from jurybox_formats.sets.edit_sets.points import FREE
from jurybox_formats.sources import parquet_rows
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.json_values import SUFFIXES, take_text
from jurybox_formats.sources.parquet_rows import EmbeddedFile
from jurybox_formats.sources.records import Rejected, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import document

Content = Path | EmbeddedFile
# Folders between a model's and a result, that say nothing.
PLAIN = {"fullset", "images", "results", "outputs", "edited_images"}


@dataclass(frozen=True, slots=True)
class Item:
    """`name`: what a result's path ends with, without the ending of the file. `pictures`: by their place;
    None where a file is missing, by the path that it should have."""

    key: str
    text: str
    tags: tuple[str, ...]
    name: str
    pictures: tuple[tuple[str, Content | None, str], ...]
    line: int
    source: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EditSet:
    """`is_file`: whether a file holds its instructions. `read`: root and file → items."""

    title: str
    form: str
    is_file: Callable[[Path], bool]
    read: Callable[[Path, str], Iterator[Item | Rejected]]


def _rows(
    root: Path, file: str, of: Callable[[Path, str, int, str, Any], Item]
) -> Iterator[Item | Rejected]:
    """Of a file of JSON: an object of items by their id, or a list of them. Each keeps its row, so that the
    file can be written again."""
    found = document(root / file)
    form = "objects" if isinstance(found, dict) else "list"
    pairs = found.items() if isinstance(found, dict) else enumerate(found)
    for line, (key, value) in enumerate(pairs, 1):
        try:
            item = of(root, file, line, str(key), value)
        except Unfit as unfit:
            yield unfit.reject(line, file)
            continue
        row = {"file": file, "form": form, "place": line - 1, "row": value}
        row |= {"id": str(key)} if form == "objects" else {}
        yield replace(item, metadata={**item.metadata, "rows": [row]})


def _first(path: Path) -> Any:
    """The first item of a file of JSON; None where it is none."""
    if path.suffix.lower() != ".json":
        return None
    try:
        found = document(path)
    except (Unreadable, UnicodeDecodeError):
        return None
    if isinstance(found, dict):
        return next(iter(found.values()), None)
    return found[0] if isinstance(found, list) and found else None


def _has(item: Any, *names: str) -> bool:
    return isinstance(item, dict) and all(name in item for name in names)


def _pictures(folder: Path, given: Any, place: str) -> list[tuple[str, Content | None, str]]:
    """One path or several, inside the folder. The first of several is the source."""
    paths = [given] if isinstance(given, str) else given
    if not isinstance(paths, list) or not paths or not all(isinstance(one, str) for one in paths):
        raise Unfit("image", json.dumps(given)[:80], "This is no path of a picture, and no list.")
    found: list[tuple[str, Content | None, str]] = []
    for number, one in enumerate(paths, 1):
        inside = PurePosixPath(one)
        if inside.is_absolute() or ".." in inside.parts or inside.suffix.lower() not in SUFFIXES:
            raise Unfit("image", one, "A picture is a path inside the folder: .png, .jpg, .webp.")
        path = folder / inside
        where = place if len(paths) == 1 else f"{place}-{number}"
        found.append((where, path if path.is_file() else None, one))
    return found


def _imgedit(root: Path, file: str, line: int, key: str, value: Any) -> Item:
    text, kind, path = (take_text(value, name) for name in ("prompt", "edit_type", "id"))
    folder = _folder_of(root, file, path)
    pictures = tuple(_pictures(folder, path, "source"))
    return Item(key, text, (kind,), key, pictures, line, file)


def _kris(root: Path, file: str, line: int, key: str, value: Any) -> Item:
    text, folder = take_text(value, "ins_en"), (root / file).parent
    pictures = _pictures(folder, value.get("ori_img"), "source")
    if value.get("gt_img"):
        pictures += _pictures(folder, value["gt_img"], "reference")
    known = value.get("explain_en")
    kept = {"explain_en": known} if isinstance(known, str) else {}
    name = f"{folder.name}/{key}"
    return Item(name, text, (folder.name,), name, tuple(pictures), line, file, kept)


def _rise(root: Path, file: str, line: int, key: str, value: Any) -> Item:
    index, text, category = (
        take_text(value, name) for name in ("index", "instruction", "category")
    )
    folder = (root / file).parent
    pictures = _pictures(folder, value.get("image"), "source")
    if value.get("reference_img"):
        pictures += _pictures(folder, value["reference_img"], "reference")
    more = [value[name] for name in ("subcategory", "task_type", "subtask") if name in value]
    tags = tuple(dict.fromkeys(tag for tag in (category, *more) if isinstance(tag, str) and tag))
    told = ("reference", "reference_txt")
    kept: dict[str, Any] = {name: value[name] for name in told if isinstance(value.get(name), str)}
    if value.get(FREE):
        kept[FREE] = True
    return Item(index, text, tags, f"{category}/{index}", tuple(pictures), line, file, kept)


def _folder_of(root: Path, file: str, picture: str) -> Path:
    """Where the pictures lie: beside the file, or in a folder beside it."""
    beside = (root / file).parent
    folders = sorted(one for one in beside.iterdir() if one.is_dir()) if picture else []
    return next((one for one in (beside, *folders) if (one / picture).is_file()), beside)


# The form of a row whose picture lies in its table.
PARQUET = "parquet"
GEDIT = ("task_type", "key", "instruction", "instruction_language")
# Which column holds the picture: the set's own names, and that of a copy.
GEDIT_PICTURES = ("input_image_raw", "input_image", "source_image")


def _gedit_columns(path: Path) -> set[str]:
    if path.suffix.lower() != parquet_rows.SUFFIX:
        return set()
    try:
        return set(parquet_rows.columns(path))
    except Unreadable:
        return set()


def _is_gedit(path: Path) -> bool:
    columns = _gedit_columns(path)
    return columns.issuperset(GEDIT) and not columns.isdisjoint(GEDIT_PICTURES)


def _read_gedit(root: Path, file: str) -> Iterator[Item | Rejected]:
    columns, pictures = _gedit_columns(root / file), parquet_rows.picture_columns(root / file)
    picture = next(name for name in GEDIT_PICTURES if name in columns)
    # The resized copy of a picture stays where it is.
    texts = [name for name in parquet_rows.columns(root / file) if name not in {*pictures, picture}]
    for row in parquet_rows.rows(root / file, [*texts, picture]):
        try:
            item = _gedit(row, picture, file)
        except Unfit as unfit:
            yield unfit.reject(row.line, file)
            continue
        values = {name: row.value[name] for name in texts if _is_plain(row.value[name])}
        kept = {"file": file, "form": PARQUET, "place": row.line - 1, "row": values}
        yield replace(item, metadata={**item.metadata, "rows": [{**kept, "picture": picture}]})


def _is_plain(value: Any) -> bool:
    return (
        value is None
        or isinstance(value, str | int)
        or isinstance(value, float)
        and isfinite(value)
    )


def _gedit(row: Line[dict[str, Any]], picture: str, file: str) -> Item:
    kind, key, text, language = (take_text(row.value, name) for name in GEDIT)
    content = parquet_rows.content_of(row.value[picture])
    source = (("source", EmbeddedFile(content) if content else None, f"{picture} of {key}"),)
    both = row.value.get("Intersection_exist")
    kept = {"intersection": both} if isinstance(both, bool) else {}
    name = f"{kind}/{language}/{key}"
    return Item(f"{language}/{key}", text, (kind, language), name, source, row.line, file, kept)


SETS = {
    "gedit": EditSet(
        "GEdit-Bench: instructions and pictures (Parquet), results of models",
        "gedit",
        _is_gedit,
        _read_gedit,
    ),
    "imgedit": EditSet(
        "ImgEdit: basic_edit.json, its pictures, results of models",
        "imgedit",
        lambda path: _has(_first(path), "id", "prompt", "edit_type"),
        lambda root, file: _rows(root, file, _imgedit),
    ),
    "kris": EditSet(
        "KRIS-Bench: annotation.json of each category, its pictures, results of models",
        "kris",
        lambda path: _has(_first(path), "ori_img", "ins_en"),
        lambda root, file: _rows(root, file, _kris),
    ),
    "rise": EditSet(
        "RISEBench: its list of instructions, its pictures, results of models",
        "rise",
        lambda path: _has(_first(path), "index", "category", "instruction", "image"),
        lambda root, file: _rows(root, file, _rise),
    ),
}
