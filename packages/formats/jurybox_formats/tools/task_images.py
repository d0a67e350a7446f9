"""The images of tasks: what a tool for labelling shows, with its prompt beside it where there is one."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from jurybox_formats.sources import picture_folder, picture_names
from jurybox_formats.sources.format import Source
from jurybox_formats.sources.mapped_table import Pictures
from jurybox_formats.sources.picture_names import UNKNOWN
from jurybox_formats.sources.records import ImageRecord, PromptRecord, Record, Remark, Unreadable
from jurybox_formats.sources.rows import Images, records

# What a tool puts before the name of a file that was uploaded.
UPLOADED = re.compile(r"^[0-9a-f]{8}-(?=.)")
PROMPTS, GENERATORS = ("prompt", "caption", "text"), ("generator", "model")
PICTURES = ("image", "img", "picture", "url", "image_url", "image_path")
# Digits of the number of a part.
LONGEST_PART = 5
Item = dict[str, Any]


def single_export(path: Path) -> Path:
    """The file, or the one file of JSON in a folder."""
    if not path.is_dir():
        return path
    files = sorted(path.glob("*.json"))
    if len(files) != 1:
        raise Unreadable(f"{path.name} holds {len(files)} files of JSON; name the one export.")
    return files[0]


class TaskReader:
    """Tasks become images with their prompts. `left`: what is left out, and how often."""

    def __init__(self, source: Source, path: Path) -> None:
        images = source.images or (source.path if source.path.is_dir() else None)
        self.source, self.generator, self.judge = path.name, source.generator, source.judge
        self.pictures = None
        if images is not None:
            self.pictures = Pictures(images, picture_folder.list_files(images)[1])
        self.seen, self.told = Images(), set[str]()
        self.left: Counter[str] = Counter()
        self.answered: set[Any] = set()

    def records(
        self, rows: Iterable[Any], read: Callable[[Any], Iterable[Record]], source: str = ""
    ) -> Iterator[Record]:
        return records(rows, read, source or self.source, self.seen)

    def send(
        self, key: str, file: str, data: Item, content: bytes | None = None
    ) -> Iterator[Record]:
        text = first_of(data, PROMPTS)
        if not text:
            self.left["tasks without a prompt as images; their labels need an image here"] += 1
            return
        prompt = picture_names.prompt_key(text)
        if prompt not in self.told:
            self.told.add(prompt)
            yield PromptRecord(prompt, text)
        maker = first_of(data, GENERATORS) or self.generator or UNKNOWN
        there: Path | bytes | None = content
        if self.pictures is not None:
            found = self.pictures.find(file, "") or self.pictures.find(name_of(file), "")
            there = self.pictures.root / found if found else content
        yield ImageRecord(key, prompt, maker, there)

    def remarks(self) -> Iterator[Remark]:
        for what, count in sorted(self.left.items()):
            if count:
                yield Remark(f"{self.source}: left out: {count} × {what}.")


def name_of(file: str) -> str:
    """The name of an uploaded file as it was before."""
    name = PurePosixPath(file.partition("?")[0].replace("\\", "/")).name
    return UPLOADED.sub("", name)


def key_of(data: Item, file: str) -> str:
    """The id that stands there, or what an image of this file is called; empty without both."""
    return first_of(data, ("image_id",)) or (picture_names.image_key(name_of(file)) if file else "")


def hide_address(name: str) -> str:
    """Never an address of mail, which is nobody's name."""
    if "@" not in name:
        return name
    digest = hashlib.sha256(name.strip().lower().encode(errors="replace")).hexdigest()
    return f"annotator-{digest[:10]}"


def first_of(data: Item, names: tuple[str, ...]) -> str:
    return next((data[n] for n in names if isinstance(data.get(n), str) and data[n].strip()), "")


def question_and_part(name: str, between: str = ".") -> tuple[str, int | None]:
    """`QUESTION.3` is about part 3 of the prompt."""
    question, found, part = name.rpartition(between)
    if found and question and part.isascii() and part.isdecimal() and len(part) <= LONGEST_PART:
        return question, int(part)
    return name, None
