"""Which picture a row of results is about: its prompt, its sample, and whose it is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import PurePosixPath
from typing import Any

from jurybox_formats.sets.prompt_sets.files import SetRow
from jurybox_formats.sets.prompt_sets.items import Item
from jurybox_formats.sets.prompt_sets.pictures import Names, picture_key
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import ImageRecord

# In the evidence of a score: columns of its row that nobody here reads.
COLUMNS = "columns"


def posix_path(given: object) -> PurePosixPath:
    """As scripts write it, on whatever system."""
    return PurePosixPath(given.replace("\\", "/") if isinstance(given, str) else "")


def folder_of(path: PurePosixPath) -> str:
    """Which the scripts call after the generator."""
    return path.parts[-2] if len(path.parts) > 1 else "unnamed"


def unknown_columns(row: SetRow, known: Collection[str]) -> dict[str, Any] | None:
    """Kept with the score, so that they go out again; None where there are none."""
    others = {name: value for name, value in row.values.items() if name not in known}
    return {COLUMNS: others} if others else None


def find_prompt(names: Names, stem: str, folders: Sequence[str]) -> tuple[Item, int | None]:
    found = names.find(stem, folders)
    if isinstance(found, str):
        raise Unfit("picture", stem, found)
    return found


def image_of(item: Item, sample: int | None, generator: str) -> ImageRecord:
    return ImageRecord(
        picture_key(generator, item, sample), item.key, generator, sample=sample or 0
    )
