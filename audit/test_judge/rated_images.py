"""Images that people rated in a published set, and a judge's scores of them: ImagenHub's tables of raters,
GenAI-Bench's ratings from 1 to 5. Read as an import reads them; no picture is opened."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from annotations.errors import Refused
from audit.test_judge.sound_rows import sound_rows
from jurybox_formats.pair_files.rows import columns_of
from jurybox_formats.sets import genai_bench
from jurybox_formats.sets import imagenhub as imagenhub_tables
from jurybox_formats.sources.records import (
    ImageRecord,
    LabelRecord,
    PromptRecord,
    Record,
    Rejected,
    Unreadable,
)
from jurybox_formats.sources.text_files import document

IMAGENHUB, GENAI = "imagenhub", "genai-bench-ratings"
# The question whose answers are compared: √(SC · PQ), and the rating.
QUESTIONS = {IMAGENHUB: "overall", GENAI: "likert"}
IMAGE, SCORE, APART = "image", "score", ("generator", "prompt")
WANTED = f"a column {IMAGE} (as GENERATOR/PROMPT) or columns {' and '.join(APART)}, and {SCORE}"


@dataclass(frozen=True, slots=True)
class RatedImage:
    """`people`: the mean of their ratings. `task`: one of ImagenHub's; empty elsewhere."""

    name: str
    prompt: str
    task: str
    people: float


@dataclass(frozen=True, slots=True)
class Ratings:
    """`unread`: ratings that are none, such as 41 on a scale to 5, each as a sentence."""

    images: tuple[RatedImage, ...]
    unread: tuple[str, ...]


def rated_set(path: Path) -> str:
    """Which of the two sets this is; empty where it is neither."""
    if path.is_dir():
        return IMAGENHUB if any(path.glob("*_[Rr]ater*.tsv")) else ""
    if imagenhub_tables.NAME.fullmatch(path.name):
        return IMAGENHUB
    if _starts_with(path, b"PAR1"):
        return GENAI if genai_bench.is_published(path) else ""
    if not _starts_with(path, b"{"):
        return ""
    items = document_or_none(path)
    first = next(iter(items.values()), None) if isinstance(items, dict) else None
    return GENAI if isinstance(first, dict) and "models" in first else ""


def _starts_with(path: Path, start: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(64).removeprefix(b"\xef\xbb\xbf").lstrip().startswith(start)
    except OSError as error:
        raise Unreadable(f"{path.name} cannot be read: {error.strerror}.") from error


def document_or_none(path: Path) -> object:
    """None for lines of JSON, which are several documents."""
    try:
        return document(path)
    except Unreadable:
        return None


def read_ratings(path: Path, name: str) -> Ratings:
    prompts: dict[str, str] = {}
    tasks: dict[str, str] = {}
    given: dict[str, list[float]] = defaultdict(list)
    unread = []
    for record in _records(path, name):
        if isinstance(record, PromptRecord):
            tasks[record.key] = record.tags[0] if name == IMAGENHUB else ""
        elif isinstance(record, ImageRecord):
            prompts[record.key] = record.prompt
        elif isinstance(record, LabelRecord) and record.question == QUESTIONS[name]:
            given[record.image].append(float(record.value))
        elif isinstance(record, Rejected):
            unread.append(f"{record.source}, row {record.line}: {record.reason}")
    if not given:
        raise Refused(f"{path.name} holds no rating. {' '.join(unread[:1])}".strip())
    images = (
        RatedImage(
            image, prompts[image], tasks.get(prompts[image], ""), math.fsum(values) / len(values)
        )
        for image, values in given.items()
    )
    return Ratings(tuple(images), tuple(unread))


def _records(path: Path, name: str) -> Iterator[Record]:
    if name == IMAGENHUB:
        return imagenhub_tables.read(path)
    if _starts_with(path, b"PAR1"):
        return genai_bench.read_published(path, pictures=False)
    return genai_bench.read(path, None)


def read_scores(path: Path, name: str) -> dict[str, float]:
    """By the image's name in the set."""
    columns = columns_of(path)
    if SCORE not in columns or not (IMAGE in columns or set(APART) <= set(columns)):
        there = ", ".join(one[:40] for one in columns[:20]) or "none"
        raise Refused(f"{path.name} wants {WANTED}. Its columns: {there}.")
    named = (IMAGE,) if IMAGE in columns else APART
    found: dict[str, float] = {}
    for row in sound_rows(path, required=(*named, SCORE), optional=()):
        where = f"{path.name}, row {row.line}"
        generator, _, prompt = "/".join(str(row.value[one]).strip() for one in named).partition("/")
        # As an import calls them, whatever a spreadsheet made of 00012.
        prompt = prompt.zfill(5) if name == GENAI and prompt.isdecimal() else prompt
        image = f"{generator}/{prompt}"
        if image in found:
            raise Refused(f"{where}: the image “{image[:80]}” stands twice.")
        found[image] = _number(str(row.value[SCORE]), where)
    return found


def _number(text: str, where: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise Refused(f"{where}: a score is a number, not “{text[:40]}”.")
    return value
