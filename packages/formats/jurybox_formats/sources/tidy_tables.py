"""The tidy tables: prompts and images, generators, labels, scores, as CSV, JSONL or JSON.

An image without a file is welcome: labels and scores can be audited without pictures.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import partial
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from typing import Any

from jurybox_formats.sources.checks import Unfit, check_number
from jurybox_formats.sources.columns import YES_NO
from jurybox_formats.sources.format import Format
from jurybox_formats.sources.records import (
    AtomRecord,
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptPictureRecord,
    PromptRecord,
    Record,
    ScoreRecord,
    Unreadable,
)
from jurybox_formats.sources.rows import Line, records
from jurybox_formats.sources.text_files import TableBlock, is_csv, restored, table, table_blocks

IMAGES = ("image_id", "prompt_id", "prompt", "generator")
# `family` would be the generator's, as in a row with all that an image has.
IMAGES_MORE = (
    *("file", "variant", "sample", "tags", "atomicity", "metadata", "atoms"),
    "prompt_family",
)
GENERATORS_MORE = ("release_date", "family", "note")
LABELS = ("image_id", "rater", "question", "value")
LABELS_MORE = ("atom", "form", "seconds", "submitted_at", "language")
SCORES = ("image_id", "judge", "score")
SCORES_MORE = ("correct", "atom", "reason", "error", "evidence")
METADATA = (*IMAGES, *IMAGES_MORE).index("metadata")
# Of a row of images.
OF_PROMPT = "prompt_id", "prompt", "tags", "atomicity", "atoms", "prompt_family"
PROMPT_CELLS = itemgetter(*map((*IMAGES, *IMAGES_MORE).index, OF_PROMPT))
VARIANTS = {"original", "rewritten"}
# Keys of `metadata` that speak of the prompt (GenEval's clauses), not of the one image.
PROMPT_KEYS = ("tag", "include", "exclude", "instances", "relations", "benchmark")
PROMPTS = ("prompt_id", "prompt")
PROMPT_PICTURES = ("prompt_id", "place", "file")
PROMPTS_MORE = ("tags", "atoms", "atomicity", "metadata", "family")
# Of each table, in the order of reading: the columns that it must have, and those that it may have.
TABLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "generators": (("generator",), GENERATORS_MORE),
    "prompts": (PROMPTS, PROMPTS_MORE),
    "images": (IMAGES, IMAGES_MORE),
    "prompt_pictures": (PROMPT_PICTURES, ()),
    "labels": (LABELS, LABELS_MORE),
    "scores": (SCORES, SCORES_MORE),
}
Check = Callable[[str, Any], Any]


def study(path: Path, images: Path | None = None, judge: str = "") -> Iterator[Record]:
    """An images table, or a folder that holds generators, images, labels and scores by name. `judge`: of
    scores that name none."""
    if not path.is_dir():
        yield from images_table(path, images)
        return
    readers: dict[str, Callable[[Path], Iterator[Record]]] = {
        "generators": generators,
        "prompts": prompts,
        "images": lambda file: images_table(file, images),
        "prompt_pictures": lambda file: prompt_pictures(file, images),
        "labels": labels,
        "scores": lambda file: scores(file, judge),
    }
    files = [(name, part(path, name)) for name in TABLES]
    if not any(file for _, file in files):
        raise Unreadable(
            f"{path.name} holds none of images, prompts, generators, labels, scores.csv "
            "(or the same as .jsonl)."
        )
    for name, file in files:
        if file is not None:
            yield from readers[name](file)


def images_table(path: Path, folder: Path | None = None) -> Iterator[Record]:
    """Prompts and generators come with the first image that names them."""
    parent, source = folder or path.parent, path.name
    prompts: dict[str, int] = {}
    sent: set[str] = set()
    generators: set[str] = set()
    # Cells of a prompt, by their hash, that stood further up: they need no second look. An image without
    # metadata says nothing more about its prompt.
    seen: set[int] = set()

    def read(row: Line[Sequence[Any]]) -> Iterator[Record]:
        cells = row.value
        # Of a CSV all cells are texts.
        there = type(cells) is tuple and not cells[METADATA]
        mark = hash(PROMPT_CELLS(cells)) if there else 0
        if there and mark in seen:
            image = _image(row, text("prompt_id", cells[1]), {}, parent, source)
        else:
            prompt, more = _prompt(row, source)
            image = _image(row, prompt.key, more, parent, source)
            fingerprint = hash(
                (prompt.text, prompt.tags, prompt.atomicity, prompt.atoms, prompt.family)
            )
            known = prompts.setdefault(prompt.key, fingerprint)
            if known != fingerprint:
                reason = f"“{prompt.key}” stood for another prompt (or other tags) further up."
                raise Unfit("prompt", prompt.text, reason)
            if prompt.key not in sent:
                sent.add(prompt.key)
                yield prompt
            if there:
                seen.add(mark)
        if image.generator not in generators:
            generators.add(image.generator)
            yield GeneratorRecord(image.generator, line=row.line, source=source)
        yield image

    return records(table(path, required=IMAGES, optional=IMAGES_MORE), read, source)


def prompts(path: Path) -> Iterator[Record]:
    """Prompts alone: those that have no image yet, too."""
    return _read_table(path, PromptRecord, PROMPTS, PROMPTS_MORE)


def prompt_pictures(path: Path, folder: Path | None = None) -> Iterator[Record]:
    """What belongs to a prompt: the source of an edit, references, masks."""

    def read(row: Line[Sequence[Any]]) -> tuple[Record]:
        key, place, file = row.value
        picture = path_inside(folder or path.parent, text("file", file))
        key, place = text("prompt_id", key), text("place", place)
        return (PromptPictureRecord(key, place, picture, row.line, path.name),)

    return records(table(path, required=PROMPT_PICTURES, optional=()), read, path.name)


def generators(path: Path) -> Iterator[Record]:
    return _read_table(path, GeneratorRecord, ("generator",), GENERATORS_MORE)


def labels(path: Path) -> Iterator[Record]:
    if not is_csv(path):
        rows = table(path, required=LABELS, optional=[*LABEL_CELLS][len(LABELS) :])
        return records(rows, partial(_label, source=path.name), path.name)
    # Labels come by the million: without a step of Python for each row.
    return chain.from_iterable(_label_blocks(path))


def _label_blocks(path: Path) -> Iterator[Iterable[Record]]:
    source = path.name
    for block in table_blocks(path, required=LABELS, optional=[*LABEL_CELLS][len(LABELS) :]):
        if not isinstance(block, TableBlock):
            yield (block,)
            continue
        try:
            yield _read_columns(block, source)
        except Unfit:
            # Some of them are: row by row it shows which.
            rows = map(Line, block.lines, zip(*block.columns, strict=True))
            yield records(rows, partial(_label, source=source), source)


def _read_columns(block: TableBlock, source: str) -> Iterator[LabelRecord]:
    """The labels of a block. What stands in a column again and again is looked at once."""
    columns: list[Iterable[Any]] = []
    for (name, check), column in zip(LABEL_CELLS.items(), block.columns, strict=True):
        meant = {cell: check(name, cell) for cell in set(column)}
        same = repeat(*meant.values()) if len(meant) == 1 else None
        columns.append(same or map(meant.__getitem__, column))
    cells = zip(*columns, block.lines, repeat(source), strict=False)
    # As `LabelRecord` itself makes one of its fields, which takes longer.
    return map(tuple.__new__, repeat(LabelRecord), cells)


def _label(row: Line[Sequence[Any]], source: str) -> tuple[Record]:
    cells = [
        check(name, cell)
        for (name, check), cell in zip(LABEL_CELLS.items(), row.value, strict=True)
    ]
    return (tuple.__new__(LabelRecord, (*cells, row.line, source)),)


LANGUAGE = re.compile(r"(?=.{2,12}$)[a-z]{2,3}(-[a-z0-9]{2,8})*")


def scores(path: Path, judge: str = "") -> Iterator[Record]:
    """`judge`: of the rows that name none; then the table needs no such column."""

    def record(image: str, score: float | None, named: str, *more: Any) -> ScoreRecord:
        return ScoreRecord(image, text("judge", named or judge), score, *more)

    required, more = ("image_id", "score"), ("judge",)
    if judge:
        return _read_table(path, record, required, more + SCORES_MORE)
    return _read_table(path, record, required + more, SCORES_MORE)


def _read_table(
    path: Path, record: Callable[..., Record], required: tuple[str, ...], optional: tuple[str, ...]
) -> Iterator[Record]:
    """A record of each row, its fields in the order of the columns."""
    checks, source = [(name, *CHECKS[name]) for name in (*required, *optional)], path.name

    def read(row: Line[Sequence[Any]]) -> tuple[Record]:
        cells = [
            empty if value == "" and empty is not NEEDED else check(name, value)
            for (name, check, empty), value in zip(checks, row.value, strict=True)
        ]
        return (record(*cells, row.line, source),)

    return records(table(path, required=required, optional=optional), read, path.name)


# --- cells -----------------------------------------------------------------------------------------


def text(field: str, value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise Unfit(field, value, f"“{field}” must be a text.")
    if not value.strip():
        raise Unfit(field, value, f"“{field}” is empty.")
    return restored(value)


def number(field: str, value: Any) -> float:
    try:
        if isinstance(value, bool):
            raise ValueError
        result = float(value)
    except (TypeError, ValueError, OverflowError):
        raise Unfit(field, value, f"“{field}” must be a number.") from None
    check_number(field, result, value)
    return result


def whole(field: str, value: Any) -> int:
    result = number(field, value)
    if result != int(result) or not 0 <= result <= 32_767:
        raise Unfit(field, value, f"“{field}” must be a whole number from 0 to 32767.")
    return int(result)


def day(field: str, value: Any) -> date | None:
    text = value.strip() if isinstance(value, str) else str(value)
    if not text:
        return None
    try:
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            raise ValueError
        return date.fromisoformat(text)
    except ValueError:
        words = "A full date like 2024-10-05 is needed."
        if re.fullmatch(r"\d{4}(-\d{1,2})?", text):
            words += " If only the month is known, take its first day."
        raise Unfit(field, value, words) from None


def instant(field: str, value: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
        # The first and the last day of the calendar have no other time zones.
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        raise Unfit(
            field, value, f"“{field}” must be a moment like 2025-11-30T12:00:00+00:00."
        ) from None


def code_of_language(field: str, value: Any) -> str:
    code = value.strip().lower() if isinstance(value, str) else ""
    if not LANGUAGE.fullmatch(code):
        raise Unfit(field, value, f"“{field}” must be a code like de or zh-hans.")
    return code


def _value(value: Any) -> float | str:
    if isinstance(value, bool):
        return float(value)
    if value == "":
        raise Unfit("value", value, "“value” is empty.")
    if isinstance(value, list | dict):
        raise Unfit("value", value, "“value” must be a number or a text.")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    except (TypeError, ValueError):
        return text("value", value)
    check_number("value", result, value)
    return result


def _yes_no(field: str, value: Any) -> bool:
    answer = YES_NO.get(str(value).strip().lower())
    if answer is None:
        raise Unfit(field, value, f"“{field}” must be 0 or 1.")
    return bool(answer)


def _name(field: str, value: Any) -> str:
    """Most are as they should be."""
    if type(value) is str and value and value[0] != "'":
        return value
    return text(field, value)


def _optional_text(field: str, value: Any) -> str:
    return restored(value) if isinstance(value, str) else str(value)


def _family(field: str, value: Any) -> str:
    return _optional_text(field, value).strip()


def _prompt(row: Line[Sequence[Any]], source: str) -> tuple[PromptRecord, dict[str, Any]]:
    """The prompt, and what the metadata say of the image alone."""
    line, (_, key, words, _, _, _, _, tags, atomicity, metadata, atoms, family) = row
    more = json_object("metadata", metadata)
    prompt = PromptRecord(
        text("prompt_id", key),
        text("prompt", words),
        _tags("tags", tags),
        atoms_of("atoms", atoms),
        None if atomicity == "" else whole("atomicity", atomicity),
        {name: more.pop(name) for name in PROMPT_KEYS if name in more},
        _family("prompt_family", family),
        line,
        source,
    )
    return prompt, more


def _image(
    row: Line[Sequence[Any]], prompt: str, metadata: dict[str, Any], folder: Path, source: str
) -> ImageRecord:
    line, (key, _, _, generator, file, variant, sample, *_) = row
    variant = variant_of(variant)
    return ImageRecord(
        text("image_id", key),
        prompt,
        text("generator", generator),
        path_inside(folder, text("file", file)) if file else None,
        variant,
        0 if sample == "" else whole("sample", sample),
        metadata,
        line,
        source,
    )


def variant_of(value: Any) -> str:
    value = value or "original"
    if not isinstance(value, str) or value not in VARIANTS:
        raise Unfit("variant", value, "“variant” must be original or rewritten.")
    return value


def path_inside(folder: Path, name: str) -> Path:
    """The file of this name, which must lie below the folder."""
    if "\0" in name or "\\" in name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise Unfit("file", name, "“file” must be a path below the folder of the images.")
    path = folder / name
    # Unlike Path.is_file, this one takes names that no file system can have.
    if not os.path.isfile(path):
        raise Unfit("file", name, "There is no such file.")
    if not path.resolve().is_relative_to(folder.resolve()):
        raise Unfit("file", name, "The file is a link that leads out of the folder.")
    return path


def _tags(field: str, value: Any) -> tuple[str, ...]:
    parts = value
    if not isinstance(value, list):
        words = restored(str(value))
        parts = words.split(";")
        if words.startswith("["):
            # A list as JSON: a tag may hold the sign that separates tags.
            with contextlib.suppress(ValueError, RecursionError):
                parts = json.loads(words)
    return tuple(str(part).strip() for part in parts if str(part).strip())


def json_object(field: str, value: Any) -> dict[str, Any]:
    if value == "" or value == {}:
        return {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            raise Unfit(field, value[:80], f"“{field}” must be a JSON object.") from None
    if not isinstance(value, dict):
        raise Unfit(field, value, f"“{field}” must be a JSON object.")
    return dict(value)


def atoms_of(field: str, value: Any) -> tuple[AtomRecord, ...]:
    """The atoms as our exports write them: `[{kind, text, question, expected, parents}]`."""
    if value == "":
        return ()
    try:
        items = json.loads(value) if isinstance(value, str) else value
        return tuple(
            AtomRecord(
                int(item.get("index", index)),
                str(item["kind"]),
                str(item.get("text", "")),
                str(item.get("question", "")),
                str(item.get("expected", "Yes")),
                tuple(int(parent) for parent in item.get("parents", ())),
            )
            for index, item in enumerate(items)
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise Unfit(
            "atoms",
            str(value)[:80],
            "“atoms” must be a JSON list of objects with kind, text, question, expected, parents.",
        ) from None


def part(folder: Path, name: str) -> Path | None:
    for suffix in (".csv", ".jsonl", ".json"):
        if (folder / f"{name}{suffix}").is_file():
            return folder / f"{name}{suffix}"
    return None


# Of each column: what a cell must be, and what an empty one is.
NEEDED: Any = object()
CHECKS: dict[str, tuple[Check, Any]] = {
    **dict.fromkeys(("prompt_id", "prompt", "generator", "image_id"), (text, NEEDED)),
    "judge": (text, ""),
    **dict.fromkeys(("note", "reason", "error"), (_optional_text, "")),
    "family": (_family, ""),
    **dict.fromkeys(("atomicity", "atom"), (whole, None)),
    "release_date": (day, None),
    "tags": (_tags, ()),
    "atoms": (atoms_of, ()),
    "metadata": (json_object, NEEDED),
    "score": (number, None),
    "correct": (_yes_no, None),
    "evidence": (lambda field, value: json_object(field, value) or None, None),
}
# The same of labels, in the order of their fields; most columns are empty or not there.
LABEL_CELLS: dict[str, Check] = {
    **dict.fromkeys(("image_id", "rater", "question"), _name),
    "value": lambda _, cell: _value(cell),
    "atom": lambda field, cell: None if cell == "" else whole(field, cell),
    "seconds": lambda field, cell: None if cell == "" else number(field, cell),
    "submitted_at": lambda field, cell: None if cell == "" else instant(field, cell),
    "form": lambda field, cell: _optional_text(field, cell) if cell else "",
    "language": lambda field, cell: code_of_language(field, cell) if cell else "",
}


FORMATS = {
    "tidy": Format(
        "tidy tables (CSV, JSONL)",
        lambda s: study(s.path, s.images, s.judge),
        is_free=True,
        order=10,
    )
}
