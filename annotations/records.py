"""Neutral records: what every reader yields and the one writer in `importing` takes.

Plain values, no Django: a benchmark file describes its source, never our tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any


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
    key: str
    text: str
    tags: tuple[str, ...] = ()
    atoms: tuple[AtomRecord, ...] = ()
    atomicity: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GeneratorRecord:
    name: str
    release_date: date | None = None
    family: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class ImageRecord:
    """`content` holds the bytes of the file; None for an image that is known by name only."""

    key: str
    prompt: str
    generator: str
    content: bytes | None = None
    variant: str = "original"
    sample: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LabelRecord:
    """One value that one person gave to one question about one image."""

    image: str
    rater: str
    question: str
    value: float | str
    atom: int | None = None
    seconds: float | None = None
    submitted_at: datetime | None = None
