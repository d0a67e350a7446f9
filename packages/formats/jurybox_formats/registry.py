"""Every import format by name: its reader, and which questions its labels answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from jurybox_formats.sets import (
    geneval2_prompts,
    geneval_prompts,
    m3t2ibench_prompts,
    t2i_compbench_prompts,
)
from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.format import Format, Reader, Source
from jurybox_formats.sources.records import LabelRecord, PromptRecord, Record, Unreadable

__all__ = [
    "FORMATS",
    "FREE",
    "MAKERS",
    "Source",
    "records",
    "tidy_labels",
    "tidy_part",
    "with_atoms",
]


def _find() -> dict[str, Format]:
    """What each file of these folders reads: its `FORMATS`."""
    here = Path(__file__).parent
    found: dict[str, Format] = {}
    for folder in ("sources", "sets", "tools"):
        for file in sorted((here / folder).rglob("*.py")):
            if "\nFORMATS = " in file.read_text(encoding="utf-8"):
                name = ".".join(file.relative_to(here).with_suffix("").parts)
                found |= import_module(f"jurybox_formats.{name}").FORMATS
    return dict(sorted(found.items(), key=lambda row: row[1].order))


FORMATS = _find()
FREE = frozenset(name for name, one in FORMATS.items() if one.is_free)


def records(format: str, source: Source) -> Iterator[Record]:
    """Everything in the source, generators first. Each call reads it again."""
    if not source.path.exists():
        raise Unreadable(f"There is no file or folder {source.path}.")
    if source.images is not None and not source.images.exists():
        raise Unreadable(f"There is no file or folder {source.images}.")
    if source.generators is not None:
        yield from tidy_tables.generators(source.generators)
    read = FORMATS[format].read(source)
    yield from with_atoms(read, source.atoms) if source.atoms else read


def with_atoms(records: Iterator[Record], reader: Reader) -> Iterator[Record]:
    """Prompts without atoms get those that `reader` finds in their words."""
    for record in records:
        if isinstance(record, PromptRecord) and not record.atoms:
            record = replace(record, atoms=tuple(reader(record.text)))
        yield record


def tidy_part(kind: type, source: Source) -> Iterator[Record]:
    """The labels or the scores of one tidy file."""
    path = source.path
    if not path.exists():
        raise Unreadable(f"There is no file {path}.")
    if kind is LabelRecord:
        return tidy_tables.labels(path)
    return tidy_tables.scores(path, source.judge)


def tidy_labels(folder: Path) -> Iterator[Record]:
    """The labels of a folder of tidy tables, if it has any; a single table has images only."""
    path = tidy_tables.part(folder, "labels") if folder.is_dir() else None
    return iter(()) if path is None else tidy_tables.labels(path)


Item = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Maker:
    """`make(seed, count)` and `parse(prompt)` are each other's inverse."""

    make: Callable[[int, int | None], Iterator[Item]]
    parse: Callable[[str], Item | None]
    count: int
    # The format that imports what was made.
    format: str


MAKERS = {
    "geneval": Maker(geneval_prompts.make, geneval_prompts.parse, geneval_prompts.COUNT, "geneval"),
    "geneval2": Maker(
        geneval2_prompts.make, geneval2_prompts.parse, geneval2_prompts.COUNT, "geneval2"
    ),
    "t2i_compbench": Maker(
        t2i_compbench_prompts.make,
        t2i_compbench_prompts.parse,
        t2i_compbench_prompts.COUNT,
        "t2i_compbench",
    ),
    "m3t2ibench": Maker(
        m3t2ibench_prompts.make, m3t2ibench_prompts.parse, m3t2ibench_prompts.COUNT, "m3t2ibench"
    ),
}
