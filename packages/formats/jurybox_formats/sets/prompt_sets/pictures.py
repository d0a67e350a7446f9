"""Pictures of a set by their names: which prompt, which sample, whose. A grid is cut when its turn comes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from jurybox_formats.sets.prompt_sets.items import Item
from jurybox_formats.sets.prompt_sets.picture_names import Names, picture_key
from jurybox_formats.sources import json_values, picture_folder
from jurybox_formats.sources.records import ImageRecord, Missing, Record, Rejected
from jurybox_formats.sources.rows import Images


@dataclass(frozen=True, slots=True)
class FoundPictures:
    file: str
    item: Item
    sample: int | None
    generator: str


def records(
    root: Path, items: Mapping[str, Item], generator: str, grid: int, seen: Images
) -> Iterator[Record]:
    """`grid`: so many pictures across and down in each file."""
    files = [name for name in picture_folder.list_files(root)[1] if picture_folder.is_picture(name)]
    if not files:
        return
    names = Names(items)
    found: list[FoundPictures] = []
    for name in files:
        match = _match(name, names, generator)
        if isinstance(match, str):
            yield Rejected("picture", name, match, 0, name)
        else:
            found.append(match)
    if any(not one.generator for one in found):
        generator = yield from json_values.name_generator(generator, root)
    yield from _images(root, found, generator, grid, seen)
    yield from _absent(found, items)


def _match(name: str, names: Names, generator: str) -> FoundPictures | str:
    path = PurePosixPath(name)
    folders = path.parts[:-1]
    found = names.find(path.stem, folders)
    if isinstance(found, str):
        return found
    item, sample = found
    mine = {folder.lower() for folder in item.folders}
    others = [f for f in folders if f.lower() not in {*mine, "images", "samples", "output"}]
    # T2I-CoReBench's folders are called like its files, the beginning of each id.
    others = [f for f in others if not item.name.startswith(f"{f}-")]
    return FoundPictures(name, item, sample, generator or (others[-1] if others else ""))


def _images(
    root: Path, found: Iterable[FoundPictures], default: str, grid: int, seen: Images
) -> Iterator[Record]:
    for one in found:
        who = one.generator or default
        cells = range(grid * grid) if one.sample is None else range(1)
        for cell in cells:
            sample = cell if one.sample is None else one.sample
            content: Path | partial[bytes] = root / one.file
            if len(cells) > 1:
                content = partial(cut, root / one.file, cell, grid)
            is_only = len(cells) == 1 and one.sample is None
            record = ImageRecord(
                picture_key(who, one.item, None if is_only else sample),
                one.item.key,
                who,
                content,
                sample=sample,
                metadata={"cell": cell} if len(cells) > 1 else {},
                source=one.file,
            )
            if record.key in seen.keys:
                words = f"Another file is this picture of “{one.item.key}” already."
                yield Rejected("picture", one.file, words, 0, one.file)
                continue
            yield from seen.send(record)


def cut(path: Path, cell: int, grid: int) -> bytes:
    """One picture of a grid, row by row from the upper left, without loss."""
    from PIL import Image

    with Image.open(path, formats=["PNG", "JPEG", "WEBP"]) as picture:
        width, height = picture.width // grid, picture.height // grid
        left, top = cell % grid * width, cell // grid * height
        part = picture.convert("RGB").crop((left, top, left + width, top + height))
    out = io.BytesIO()
    part.save(out, "PNG")
    return out.getvalue()


def _absent(found: Iterable[FoundPictures], items: Mapping[str, Item]) -> Iterator[Missing]:
    for who in sorted({one.generator for one in found}):
        there = {one.item.key for one in found if one.generator == who}
        for key in items:
            if key not in there:
                yield Missing(f"picture of prompt {key}" + (f" by {who}" if who else ""))
