"""Every format by its name: which reader takes it, and which questions its labels answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from annotations.benchmarks import tidy
from annotations.records import LabelRecord, Record, Unreadable


@dataclass(frozen=True, slots=True)
class Source:
    """What a person points at: the file or folder, the images beside it, who made them."""

    path: Path
    images: Path | None = None
    generator: str = ""
    generators: Path | None = None
    judge: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    title: str
    read: Callable[[Source], Iterator[Record]]
    # The questions that its labels answer: a new study gets the form that asks them.
    questions: frozenset[str] = frozenset()


FORMATS: dict[str, Format] = {
    "tidy": Format("tidy tables", lambda s: tidy.study(s.path, s.images)),
}


def records(format: str, source: Source) -> Iterator[Record]:
    """All that the source says, generators first. Each call reads it anew."""
    if not source.path.exists():
        raise Unreadable(f"There is no file or folder {source.path}.")
    if source.images is not None and not source.images.exists():
        raise Unreadable(f"There is no file or folder {source.images}.")
    if source.generators is not None:
        yield from tidy.generators(source.generators)
    yield from FORMATS[format].read(source)


def tidy_part(kind: type, path: Path) -> Iterator[Record]:
    """The labels or the scores of one tidy file."""
    if not path.exists():
        raise Unreadable(f"There is no file {path}.")
    return tidy.labels(path) if kind is LabelRecord else tidy.scores(path)
