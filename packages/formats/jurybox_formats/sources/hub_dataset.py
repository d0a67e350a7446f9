"""The rows that `export_dataset` writes: one for each image, with all that is known of it.

Both ends of it: the columns, for the writer, and the reader.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from jurybox_formats.sources import parquet_rows, tidy_tables
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.parquet_rows import EmbeddedFile
from jurybox_formats.sources.records import (
    PLACES,
    AtomRecord,
    GeneratorRecord,
    ImageRecord,
    LabelRecord,
    PromptPictureRecord,
    PromptRecord,
    Record,
    ScoreRecord,
)
from jurybox_formats.sources.rows import Images, Line, records

Fields = dict[str, str]


def _fields(text: str) -> Fields:
    """Column -> its type: one of the words that Arrow and the hub have in common, a list of one in
    brackets."""
    return dict(field.split(":") for field in text.split())


ATOM = _fields(
    "index:int32 kind:string text:string question:string expected:string parents:[int32]"
)
ANSWER = _fields(
    "rater:string question:string atom:int32 value:float64 value_text:string form:string "
    "seconds:float64 submitted_at:string language:string"
)
TOGETHER = _fields(
    "question:string atom:int32 rule:string value:float64 raters:int32 undecided:string"
)
SCORE = _fields(
    "judge:string score:float64 correct:bool atom:int32 reason:string error:string evidence:string"
)
# A column may have a list of objects, too.
COLUMNS: dict[str, str | Fields] = {
    **_fields(
        "image:image image_id:string prompt_id:string prompt:string tags:[string] atomicity:int32"
    ),
    "atoms": ATOM,
    **_fields("prompt_metadata:string prompt_family:string generator:string release_date:string"),
    **_fields("family:string generator_note:string variant:string sample:int32 metadata:string"),
    "answers": ANSWER,
    "consensus": TOGETHER,
    "scores": SCORE,
}
# What files of older versions lack.
ADDED = {"prompt_family"}
# Pictures of the prompt, in columns of their own where a study has any: source_image, mask_image …
PICTURE = re.compile(rf"({'|'.join(PLACES)})_image(?:_([1-9]\d?))?")
Cells = dict[str, Any]


def picture_column(place: str) -> str:
    kind, _, number = place.partition("-")
    return f"{kind}_image_{number}" if number else f"{kind}_image"


def picture_places(columns: Iterable[str]) -> dict[str, str]:
    """By column."""
    found = {column: PICTURE.fullmatch(column) for column in columns}
    return {
        column: f"{match[1]}-{match[2]}" if match[2] else match[1]
        for column, match in found.items()
        if match
    }


def is_ours(path: Path) -> bool:
    return COLUMNS.keys() - ADDED <= set(parquet_rows.columns(path))


def read(files: Iterable[Path], *, pictures: bool = True) -> Iterator[Record]:
    """`pictures`: False where only the labels are looked at."""
    seen, prompts = Images(), dict[str, PromptRecord]()
    for file in files:
        there = parquet_rows.columns(file)
        places = picture_places(there) if pictures else {}
        columns = [name for name in COLUMNS if name in there and (pictures or name != "image")]
        wanted = columns + list(places)

        read_row = partial(_of_row, seen=seen, prompts=prompts, places=places)
        yield from records(parquet_rows.rows(file, wanted), read_row, file.name, seen)


def _of_row(
    row: Line[Cells], seen: Images, prompts: dict[str, PromptRecord], places: dict[str, str]
) -> Iterator[Record]:
    cells = {name: "" if value is None else value for name, value in row.value.items()}
    key = _text("image_id", cells["image_id"])
    prompt = _prompt(cells)
    known = prompts.setdefault(prompt.key, prompt)
    if known is prompt:
        yield prompt
        for column, place in places.items():
            if shown := parquet_rows.content_of(cells[column] or None):
                yield PromptPictureRecord(prompt.key, place, EmbeddedFile(shown))
    elif (known.text, known.tags, known.atoms) != (prompt.text, prompt.tags, prompt.atoms):
        raise Unfit("prompt", prompt.text, f"“{prompt.key}” stood for another prompt further up.")
    generator = _text("generator", cells["generator"])
    if generator not in seen.generators:
        seen.generators.add(generator)
        yield GeneratorRecord(
            generator,
            tidy_tables.day("release_date", cells["release_date"]),
            _value_text(cells["family"]),
            _value_text(cells["generator_note"]),
        )
    content = parquet_rows.content_of(cells.get("image") or None)
    yield ImageRecord(
        key,
        prompt.key,
        generator,
        EmbeddedFile(content) if content else None,
        tidy_tables.variant_of(cells["variant"]),
        tidy_tables.whole("sample", cells["sample"]) if cells["sample"] != "" else 0,
        tidy_tables.json_object("metadata", cells["metadata"]),
    )
    yield from (_label(key, answer) for answer in _list(cells, "answers"))
    yield from (_score(key, score) for score in _list(cells, "scores"))


def _prompt(cells: Cells) -> PromptRecord:
    atoms = tuple(
        AtomRecord(
            tidy_tables.whole("index", atom.get("index")),
            _value_text(atom.get("kind")),
            _value_text(atom.get("text")),
            _value_text(atom.get("question")),
            _value_text(atom.get("expected")),
            tuple(atom.get("parents") or ()),
        )
        for atom in _list(cells, "atoms")
    )
    return PromptRecord(
        _text("prompt_id", cells["prompt_id"]),
        _text("prompt", cells["prompt"]),
        tuple(cells["tags"] or ()),
        atoms,
        None if cells["atomicity"] == "" else tidy_tables.whole("atomicity", cells["atomicity"]),
        tidy_tables.json_object("prompt_metadata", cells["prompt_metadata"]),
        _value_text(cells.get("prompt_family")),
    )


def _label(image: str, answer: Cells) -> LabelRecord:
    value, words = answer.get("value"), answer.get("value_text")
    if (value is None) == (words is None):
        raise Unfit("answers.value", value, "An answer has a number or a text, one of them.")
    seconds, moment = answer.get("seconds"), answer.get("submitted_at")
    return LabelRecord(
        image,
        _text("answers.rater", answer.get("rater")),
        _text("answers.question", answer.get("question")),
        _value_text(words) if value is None else tidy_tables.number("answers.value", value),
        answer.get("atom"),
        None if seconds is None else tidy_tables.number("answers.seconds", seconds),
        tidy_tables.instant("answers.submitted_at", moment) if moment else None,
        _value_text(answer.get("form")),
        _language(answer.get("language")),
    )


def _language(value: Any) -> str:
    return tidy_tables.code_of_language("answers.language", value) if value else ""


def _score(image: str, score: Cells) -> ScoreRecord:
    value = score.get("score")
    return ScoreRecord(
        image,
        _text("scores.judge", score.get("judge")),
        None if value is None else tidy_tables.number("scores.score", value),
        score.get("correct"),
        score.get("atom"),
        _value_text(score.get("reason")),
        _value_text(score.get("error")),
        tidy_tables.json_object("scores.evidence", score.get("evidence") or "") or None,
    )


def _list(cells: Cells, name: str) -> list[Cells]:
    value = cells.get(name) or []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Unfit(name, str(value)[:80], f"“{name}” must be a list of objects.")
    return value


def _text(field: str, value: Any) -> str:
    """As it stands: nothing in these files was put before a text against spreadsheets."""
    if not isinstance(value, str) or not value.strip():
        raise Unfit(field, value, f"“{field}” must be a text that is not empty.")
    return value


def _value_text(value: Any) -> str:
    return value if isinstance(value, str) else ""
