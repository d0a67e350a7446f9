"""A folder of edits: `source/`, a folder of results for each model, and a table of instructions.

Files of one name belong together: `source/cup.png`, `flux/cup.jpg`, and the row of the table that is
about `cup`. `mask/` and `reference/` may lie beside. Without a table, `source/cup.txt` is the instruction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from jurybox_formats.sources import mapped_table, picture_folder
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format
from jurybox_formats.sources.json_values import left_out
from jurybox_formats.sources.records import (
    ImageRecord,
    Missing,
    PromptPictureRecord,
    PromptRecord,
    Record,
    Rejected,
    Unreadable,
)
from jurybox_formats.sources.rows import Images, Line, records

# What the folders are called, besides those of the models.
PLACES = {
    **dict.fromkeys(("source", "sources", "input", "inputs", "before", "original"), "source"),
    **dict.fromkeys(("reference", "references"), "reference"),
    **dict.fromkeys(("mask", "masks"), "mask"),
}
NAMES = ("name", "source", "file", "file_name", "image", "id", "uid", "key")
TEXTS = ("instruction", "prompt", "text", "caption", "edit")
TAGS = ("tags", "kind", "edit_type", "task_type", "category", "task")
Files = dict[str, dict[str, str]]


def is_known(path: Path) -> bool:
    """A folder of sources, and results of the same names in other folders."""
    if not path.is_dir():
        return False
    of_places, of_models = _sorted_files(picture_folder.list_files(path)[1])
    sources = of_places.get("source", {}).keys()
    return bool(sources) and any(sources & results.keys() for results in of_models.values())


def read(path: Path) -> Iterator[Record]:
    root, files = picture_folder.list_files(path)
    of_places, of_models = _sorted_files(files)
    sources = of_places.get("source")
    if not sources or not of_models:
        raise Unreadable(
            f"{path.name} holds no folder “source” with the pictures before the edits, and one folder "
            "for each model with the results."
        )
    tables = [file for file in files if file.lower().endswith(mapped_table.SUFFIXES)]
    if len(tables) > 1:
        raise Unreadable(f"One table of instructions is wanted, and there are {len(tables)}.")
    texts: dict[str, tuple[str, tuple[str, ...], int]] = {}
    table = tables[0] if tables else ""
    yield from _instructions(root, files, table, texts)
    for name, file in sources.items():
        if name not in texts:
            yield Missing(f"instruction of {file}")
            continue
        text, tags, line = texts[name]
        yield PromptRecord(name, text, tags, line=line, source=table or file)
        for place, pictures in of_places.items():
            if name in pictures:
                yield PromptPictureRecord(name, place, root / pictures[name], line, pictures[name])
    yield from _results(root, sources, of_models, texts)
    for name in texts.keys() - sources.keys():
        yield Rejected(
            "name", name, "There is no source picture of this name.", texts[name][2], table
        )
    used = {table, *(file for file in files if file.lower().endswith(".txt"))}
    others = (f for f in files if not picture_folder.is_picture(f) and f not in used)
    yield from left_out(others, "neither a picture nor the table of instructions")


def _results(
    root: Path, sources: dict[str, str], of_models: Files, texts: dict[str, tuple]
) -> Iterator[Record]:
    seen = Images()
    for model, results in of_models.items():
        for name, file in results.items():
            if name not in sources:
                words = "There is no source picture of this name."
                yield Rejected("file", file, words, 0, file)
            elif name in texts:
                yield from seen.send(ImageRecord(file, name, model, root / file, source=file))
        for name in sources.keys() - results.keys():
            yield Missing(f"result {model}/{name}")


def _sorted_files(files: list[str]) -> tuple[Files, Files]:
    """Place -> name -> picture, and model -> name -> picture."""
    of_places: Files = defaultdict(dict)
    of_models: Files = defaultdict(dict)
    for file in files:
        pure = PurePosixPath(file)
        folder = pure.parent.name
        if not picture_folder.is_picture(file) or not folder:
            continue
        place = PLACES.get(folder.lower())
        (of_places[place] if place else of_models[folder])[pure.stem] = file
    return dict(of_places), dict(of_models)


def _instructions(
    root: Path, files: list[str], table: str, texts: dict[str, tuple[str, tuple[str, ...], int]]
) -> Iterator[Record]:
    """Fills `texts` by name; yields what cannot be read."""
    if not table:
        captions = {file for file in files if file.lower().endswith(".txt")}
        for file in sorted(captions):
            words = (root / file).read_text(encoding="utf-8-sig", errors="replace").split()
            texts[PurePosixPath(file).stem] = (" ".join(words), (), 0)
        return
    header, rows = mapped_table.open_table(root / table, name=table)
    plain = {column.strip().lower(): column for column in header}
    name_in = next((plain[name] for name in NAMES if name in plain), "")
    text_in = next((plain[name] for name in TEXTS if name in plain), "")
    tags_in = next((plain[name] for name in TAGS if name in plain), "")
    if not name_in or not text_in:
        raise Unreadable(
            f"{table} needs a column “name” (of the source picture) and a column “instruction”; it has "
            f"{', '.join(header[:20])}."
        )

    def read_row(row: Line[dict[str, Any]]) -> tuple[Record, ...]:
        name = PurePosixPath(str(row.value.get(name_in, "")).strip()).stem
        text = str(row.value.get(text_in, "")).strip()
        if not name:
            raise Unfit(name_in, "", f"“{name_in}” is empty.")
        if not text:
            raise Unfit(text_in, "", "The instruction is empty.")
        if name in texts:
            raise Unfit(name_in, name, "This name stood further up.")
        given = str(row.value.get(tags_in, "")) if tags_in else ""
        tags = tuple(tag for part in given.replace(",", ";").split(";") if (tag := part.strip()))
        texts[name] = (text, tags, row.line)
        return ()

    yield from records(rows, read_row, table)


FORMATS = {
    "edits": Format(
        "edits: source/, a folder for each model, a table of instructions",
        lambda s: read(s.path),
        form="edit",
        order=90,
    )
}
