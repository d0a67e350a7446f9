"""Pictures of a set by their names: which prompt, which sample, whose. A grid is cut when its turn comes."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath

from jurybox_formats.sets.prompt_sets.items import Item
from jurybox_formats.sources import json_values, picture_folder
from jurybox_formats.sources.records import ImageRecord, Missing, Record, Rejected
from jurybox_formats.sources.rows import Images

# Longer ones are no number of a prompt, and Python would not read them.
LONGEST_NUMBER = 100
# `12_3`, `C-MI-001-0`: the prompt, then which of its pictures.
_SAMPLE = re.compile(r"(.+)[-_](\d{1,4})")


class Names:
    def __init__(self, items: Mapping[str, Item]) -> None:
        self._by_name: dict[str, list[Item]] = defaultdict(list)
        self._by_key: dict[str, Item] = {}
        for item in items.values():
            self.add(item)

    def add(self, item: Item) -> None:
        self._by_name[item.name.lower()].append(item)
        self._by_key[item.key] = item

    def find_by_key(self, key: str) -> Item | None:
        return self._by_key.get(key)

    def find_all(self, stem: str) -> list[tuple[Item, int | None]]:
        """Each prompt that a picture of this name may belong to, whatever its folder."""
        found: dict[str, tuple[Item, int | None]] = {}
        for name, sample in _readings(stem):
            for item in self._by_name.get(name.lower(), []):
                found.setdefault(item.key, (item, sample))
        return list(found.values())

    def find(self, stem: str, folders: Sequence[str]) -> tuple[Item, int | None] | str:
        """The prompt and the sample, or why there is none. Numbers begin anew in each folder of some sets:
        then the folder must say which."""
        known = {folder.lower() for folder in folders}
        for name, sample in _readings(stem):
            fitting = self._by_name.get(name.lower(), [])
            exact = [item for item in fitting if {f.lower() for f in item.folders} <= known]
            # The one whose folders the path names most of.
            shared = [len({f.lower() for f in item.folders} & known) for item in exact or fitting]
            best = [
                item
                for item, there in zip(exact or fitting, shared, strict=True)
                if there == max(shared)
            ]
            if len(best) == 1:
                return best[0], sample
            if fitting:
                places = sorted({"/".join(item.folders) for item in best})[:6]
                return (
                    "Several prompts have this number; its folder must say which: "
                    f"{' or '.join(places)}."
                )
        return "No prompt has pictures of this name."


def picture_key(generator: str, item: Item, sample: int | None) -> str:
    """Of its image: one picture of a prompt needs no number."""
    return f"{generator}/{item.key}" + ("" if sample is None else f"/{sample}")


def _readings(stem: str) -> Iterator[tuple[str, int | None]]:
    match = _SAMPLE.fullmatch(stem)
    for name, sample in ((stem, None), (match[1], int(match[2])) if match else ("", None)):
        if name:
            yield name, sample
        if name.isdecimal() and len(name) < LONGEST_NUMBER:
            # `7` and `0007` are one number.
            yield str(int(name)), sample
            yield f"{int(name):04d}", sample


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
