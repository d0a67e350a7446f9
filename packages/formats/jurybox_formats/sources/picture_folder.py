"""A folder of pictures and nothing else: prompt, generator and sample from paths and captions.

`x.txt` beside `x.png` is the prompt of that picture.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from jurybox_formats.sources import picture_names
from jurybox_formats.sources.checks import TEXT_LENGTH, Unfit, is_sound
from jurybox_formats.sources.format import Format
from jurybox_formats.sources.json_values import SUFFIXES, left_out
from jurybox_formats.sources.picture_names import FOLDERS, NAMES, UNKNOWN, Levels
from jurybox_formats.sources.records import ImageRecord, PromptRecord, Record, Remark, Unreadable
from jurybox_formats.sources.rows import Images, Line, records

# What systems leave behind; nobody wants to hear of it.
LITTER = {"thumbs.db", "desktop.ini", ".ds_store"}
SKIPPED = "neither a picture nor a caption"


def read(path: Path, generator: str = "", *, folder: str = "", name: str = "") -> Iterator[Record]:
    """`folder`, `name`: what they are (keys of FOLDERS and NAMES); guessed where nothing is stated."""
    root, files = list_files(path)
    pictures = [file for file in files if is_picture(file)]
    if not pictures:
        raise Unreadable(f"{path.name} holds no picture (.png, .jpg, .jpeg, .webp).")
    levels = choose_levels(pictures, folder, name)
    yield Remark(in_words(levels))
    captions = {file for file in files if file.lower().endswith(".txt")}
    strip = picture_names.common_folders(pictures)
    seen, told = Images(), set()

    def read_picture(row: Line[str]) -> Iterator[Record]:
        file = row.value
        caption = caption_of(file, captions)
        named = picture_names.read(file, levels, strip=strip)
        text = _caption(root / caption) if caption else named.prompt
        if not text:
            words = "Neither its folder nor its name says the prompt."
            raise Unfit("file", file, f"{words} Say what they are, or put a .txt beside it.")
        key = picture_names.prompt_key(text)
        if key not in told:
            told.add(key)
            yield PromptRecord(key, text)
        maker = named.generator or generator or UNKNOWN
        image = picture_names.image_key(file)
        yield ImageRecord(image, key, maker, root / file, sample=named.sample)

    for number, file in enumerate(pictures, 1):
        yield from records([Line(number, file)], read_picture, file, seen)
    used = {caption_of(file, captions) for file in pictures}
    yield from left_out((f for f in files if not is_picture(f) and f not in used), SKIPPED)


def choose_levels(pictures: list[str], folder: str = "", name: str = "") -> Levels:
    for given, known in ((folder, FOLDERS), (name, NAMES)):
        if given and given not in known:
            raise Unreadable(f"“{given[:40]}” is none of {', '.join(known)}.")
    guessed = picture_names.guess(pictures)
    return Levels(folder or guessed.folder, name or guessed.name)


def in_words(levels: Levels) -> str:
    return f"Folder is: {FOLDERS[levels.folder]}. Name is: {NAMES[levels.name]}."


def list_files(path: Path) -> tuple[Path, list[str]]:
    """The folder, and every file below it by its path, numbers in their order."""
    if path.is_file():
        return path.parent, [path.name]
    found = []
    for place, folders, files in os.walk(path):
        folders[:] = [one for one in folders if not one.startswith(".") and one != "__MACOSX"]
        found += [
            (Path(place) / file).relative_to(path).as_posix()
            for file in files
            if not file.startswith("._") and file.lower() not in LITTER
        ]
    return path, sorted(found)


def is_picture(name: str) -> bool:
    return name.lower().endswith(SUFFIXES)


def caption_of(picture: str, captions: set[str]) -> str:
    """The `.txt` beside a picture: x.txt or x.png.txt."""
    stem = picture.rpartition(".")[0]
    return next((c for c in (f"{stem}.txt", f"{picture}.txt") if c in captions), "")


def _caption(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig") as file:
            text = " ".join(file.read(4 * TEXT_LENGTH).split())
    except (OSError, UnicodeDecodeError):
        raise Unfit("caption", path.name, "The caption is not sound text (UTF-8).") from None
    if not is_sound(text):
        raise Unfit("caption", path.name, "The caption is not sound text (UTF-8).")
    return text


FORMATS = {
    "pictures": Format(
        "pictures alone, named by prompt or generator",
        lambda s: read(s.path, s.generator, folder=s.folder, name=s.name),
        order=140,
    )
}
