"""Neutral records: what every reader yields and the one writer of each app takes.

Plain values, no Django: a benchmark file describes its source, never our tables. Each record knows
the line and the file that it came from, so that a refusal can name the place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True)
class AtomRecord:
    """One checkable part of a prompt. `kind`: object, attribute, count, position or verb."""

    index: int
    kind: str
    text: str
    question: str
    expected: str
    parents: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptRecord:
    """`family`: what several prompts have in common, as the template that they were made by."""

    key: str
    text: str
    tags: tuple[str, ...] = ()
    atoms: tuple[AtomRecord, ...] = ()
    atomicity: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    family: str = ""
    line: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class GeneratorRecord:
    name: str
    release_date: date | None = None
    family: str = ""
    note: str = ""
    line: int = 0
    source: str = ""


@dataclass(frozen=True, slots=True)
class ImageRecord:
    """`content` holds the bytes of the file, or where they are: a path, or a function that reads
    them when their turn comes. None for an image that is known by name only."""

    key: str
    prompt: str
    generator: str
    content: bytes | Path | Callable[[], bytes] | None = None
    variant: str = "original"
    sample: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    line: int = 0
    source: str = ""


# Where a picture of a prompt stands: what is edited, what else is shown, what part may change.
PLACES = ("source", "reference", "mask")


@dataclass(frozen=True, slots=True)
class PromptPictureRecord:
    """A picture that a prompt has: `place` is one of PLACES, with a number where there are several.
    `content` as of an image."""

    prompt: str
    place: str
    content: bytes | Path | Callable[[], bytes]
    line: int = 0
    source: str = ""


# Labels come by the million: a tuple is made in a third of the time that a dataclass takes.
class LabelRecord(NamedTuple):
    """One value that one person gave to one question about one image."""

    image: str
    rater: str
    question: str
    value: float | str
    atom: int | None = None
    seconds: float | None = None
    submitted_at: datetime | None = None
    form: str = ""
    language: str = ""
    line: int = 0
    source: str = ""


class ScoreRecord(NamedTuple):
    """The score of a judge elsewhere of an image, or of one atom of its prompt; or why it could not."""

    image: str
    judge: str
    score: float | None = None
    correct: bool | None = None
    atom: int | None = None
    reason: str = ""
    error: str = ""
    evidence: dict[str, Any] | None = None
    line: int = 0
    source: str = ""


class VoteRecord(NamedTuple):
    """Which of two images of one prompt a person prefers. `value`: first, second, both, neither or
    cannot_tell. `left`: which of the two stood left; empty where nobody knows. `pair` may be empty."""

    prompt: str
    first: str
    second: str
    rater: str
    question: str
    value: str
    left: str = ""
    pair: str = ""
    line: int = 0
    source: str = ""
    language: str = ""


class Rejected(NamedTuple):
    """A row that could not be read: where it stands, what stood there, what was expected."""

    field: str
    value: object
    reason: str
    line: int = 0
    source: str = ""


class Missing(NamedTuple):
    """Something that the source should have had."""

    what: str


class Remark(NamedTuple):
    """Something about the whole source that a person should know."""

    words: str


# What a reader says about its source, between the records.
NOTES = (Rejected, Missing, Remark)
Record = (
    PromptRecord
    | PromptPictureRecord
    | GeneratorRecord
    | ImageRecord
    | LabelRecord
    | ScoreRecord
    | VoteRecord
    | Rejected
    | Missing
    | Remark
)


class Unreadable(Exception):
    """The source as a whole is not of the format that was named; nothing of it can be taken."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message
