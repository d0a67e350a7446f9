"""Checks of values that came as JSON: is it the text, list or number that it should be?"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import Remark

SUFFIXES = (".png", ".jpeg", ".jpg", ".webp")


def take(item: Any, field: str, kind: type | tuple[type, ...], words: str) -> Any:
    """The value of a field, which must be there and of this kind."""
    if not isinstance(item, dict):
        raise Unfit(field, item, "An object is wanted here.")
    if field not in item:
        raise Unfit(field, None, f"“{field}” is missing; {words} is wanted.")
    value = item[field]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise Unfit(field, value, f"“{field}” must be {words}.")
    return value


def take_text(item: Any, field: str) -> str:
    value = take(item, field, str, "a text")
    if not value.strip():
        raise Unfit(field, value, f"“{field}” is empty.")
    return value


def take_key(item: Any, field: str, words: str) -> str:
    value = take(item, field, (str, int), words)
    if not str(value).strip():
        raise Unfit(field, value, f"“{field}” is empty.")
    return str(value)


def named_after(folder: Path) -> str:
    """The name of a generator that was not given: that of the folder of its images."""
    names = [name for name in folder.resolve().parts if name not in ("samples", "images", "/")]
    return names[-1] if names else "unnamed"


def name_generator(given: str, folder: Path) -> Generator[Remark, None, str]:
    """The name that was given, or else that of the folder of the images, with a remark."""
    if given:
        return given
    name = named_after(folder)
    yield Remark(f"The generator is called “{name}”, like its folder (--generator NAME).")
    return name


def not_read(folder: Path, files: Iterable[Path], what: str) -> Iterator[Remark]:
    """Names the files that lie in the folder and are none of those that are read."""
    if folder.is_dir():
        read = {file.name for file in files}
        there = (f.name for f in folder.iterdir() if f.is_file() and not f.name.startswith("."))
        pictures = tuple(SUFFIXES)
        yield from left_out(
            (n for n in there if n not in read and not n.lower().endswith(pictures)), what
        )


def left_out(names: Iterable[str], why: str) -> Iterator[Remark]:
    names = sorted(names)
    if names:
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        if len(names) == 1:
            yield Remark(f"1 file was left out ({why}): {shown}.")
        else:
            yield Remark(f"{len(names)} files were left out ({why}): {shown}.")
