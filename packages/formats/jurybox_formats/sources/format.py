"""An import format, and what it is pointed at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jurybox_formats.sources.records import AtomRecord, Record

# What finds the checkable parts of a prompt in its words.
Reader = Callable[[str], Sequence[AtomRecord]]


@dataclass(frozen=True, slots=True)
class Source:
    """What a person points at: the file or folder, the images beside it, who made them."""

    path: Path
    images: Path | None = None
    generator: str = ""
    generators: Path | None = None
    judge: str = ""
    # Of the scores: "people" where they are shares of yes, "own" where they are not.
    unit: str = field(default="", kw_only=True)
    # What reads the atoms of prompts that have none, such as `prompt_grammar.parse.parse`.
    atoms: Reader | None = None
    # What a person says of columns (`table`), of folders and names (`pictures`) and of what the
    # labels answer: question -> kind. The rest is guessed.
    columns: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""
    name: str = ""
    questions: Mapping[str, str] = field(default_factory=dict)
    # False where only labels are looked at: pictures that lie in a table stay there.
    pictures: bool = True
    # So many pictures across and down in each file; 0: as the set's own come.
    grid: int = 0
    # Rows of a set's prompts that the study has already: results need no files of prompts beside them.
    known: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """A format's file says in `FORMATS`, by name, which ones it reads."""

    title: str
    read: Callable[[Source], Iterator[Record]]
    # The questions that its labels answer: a new study gets the form that asks them.
    questions: frozenset[str] = frozenset()
    # The form that a new study gets where its questions do not say it.
    form: str = ""
    # Whether a new study asks what the labels answer, since the format does not say it.
    is_free: bool = field(default=False, kw_only=True)
    # Where it stands in menus; a new one follows the others.
    order: int = field(default=1000, kw_only=True)
