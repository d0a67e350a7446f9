"""What a set's own script says of pictures, as scores: T2I-CoReBench's checklists, UniGenBench's tables,
WISE's lines, DPG-Bench's texts, TIIF's answers. What was read of texts: `text_results.py`.

A score that the script could not read (T2I-CoReBench's empty text, WISE's 999) is none, with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from jurybox_formats.sets.prompt_sets import text_results
from jurybox_formats.sets.prompt_sets.files import TEXT, SetRow
from jurybox_formats.sets.prompt_sets.items import Item, corebench_task
from jurybox_formats.sets.prompt_sets.picture_names import Names
from jurybox_formats.sets.prompt_sets.result_places import (
    find_prompt,
    folder_of,
    image_of,
    posix_path,
    unknown_columns,
)
from jurybox_formats.sources.checks import LARGEST_NUMBER, Unfit
from jurybox_formats.sources.json_values import take_text
from jurybox_formats.sources.records import Record, ScoreRecord
from jurybox_formats.sources.rows import Images, Line
from jurybox_formats.sources.rows import records as rows_as_records
from jurybox_formats.sources.text_files import numbered

_GRADES = ("consistency", "realism", "aesthetic_quality")
TIIF_COLUMNS = (
    *("attribute", "desc", "jsonl_file", "line_idx", "questions", "gt_answers", "model_pred"),
)
_FAILED = 999
# `./results/sdxl/12.png, 0.5, 1.0, 0.25, 0.5, 0.5625`
_DPG_LINE = re.compile(r"(?P<path>.+?\.\w{3,4}), (?P<scores>[\d.e-]+(?:, [\d.e-]+)+)")


def is_result(name: str, row: SetRow) -> bool:
    values = row.values
    if name == "corebench":
        points = values.get("Checklist")
        return (
            isinstance(points, list)
            and all(isinstance(p, dict) for p in points)
            and any("score" in p for p in points)
        )
    if name == "unigenbench":
        return row.form == "table" and {"index", "testpoint", "result_json"} <= values.keys()
    if name == "wise":
        return "prompt_id" in values and ("score" in values or "consistency" in values)
    if name == "dpg":
        return row.form == "text" and bool(_DPG_LINE.match(values[TEXT]))
    if name == "tiif":
        return row.form == "object" and {"line_idx", "desc", "model_pred"} <= values.keys()
    return text_results.is_result(name, row)


def records(
    name: str,
    rows: Sequence[SetRow],
    items: Mapping[str, Item],
    generator: str,
    judge: str,
    seen: Images,
) -> Iterator[Record]:
    names, read = Names(items), _READ[name]
    for row in rows:
        line = Line(row.line, row)
        yield from rows_as_records(
            [line], lambda line: read(line.value, names, generator, judge), row.file, seen
        )


def _corebench(row: SetRow, names: Names, generator: str, judge: str) -> Iterator[Record]:
    path = PurePosixPath(row.file)
    item, sample = find_prompt(names, row.id, path.parts[:-1])
    judge = judge or path.stem.removeprefix(f"{corebench_task(item.key)}-")
    who = generator or folder_of(path)
    image = image_of(item, sample, who)
    yield image
    scores = [point.get("score") for point in row.values["Checklist"]]
    read = [float(score) for score in scores if score in (0, 1) and not isinstance(score, bool)]
    for atom, score in enumerate(scores):
        told = float(score) if score in (0, 1) else None
        error = "" if told is not None else "The reply was neither yes nor no."
        yield ScoreRecord(image.key, judge, told, atom=atom, error=error)
    mean = sum(read) / len(read) if read else None
    yield ScoreRecord(image.key, judge, mean, error="" if read else "No reply was yes or no.")


def _unigenbench(row: SetRow, names: Names, generator: str, judge: str) -> Iterator[Record]:
    picture = posix_path(row.values.get("img_path"))
    stem = picture.stem or row.values["index"]
    edition = PurePosixPath(row.file).stem.rpartition("_")[2]
    item, sample = find_prompt(names, stem, (edition, *picture.parts[:-1]))
    try:
        scores = json.loads(row.values["result_json"])["score"]
        read = [float(score) for score in scores]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Unfit("result_json", row.values["result_json"][:80], "It has no “score”.") from None
    if len(read) != len(item.atoms) or set(read) - {0.0, 1.0}:
        words = f"There must be {len(item.atoms)} scores, each 0 or 1."
        raise Unfit("result_json", str(scores)[:80], words)
    who = generator or folder_of(picture)
    image = image_of(item, sample, who)
    yield image
    judge = judge or "unigenbench"
    for atom, score in enumerate(read):
        yield ScoreRecord(image.key, judge, score, atom=atom)
    yield ScoreRecord(image.key, judge, sum(read) / len(read))


def _wise(row: SetRow, names: Names, generator: str, judge: str) -> Iterator[Record]:
    path = PurePosixPath(row.file)
    item, sample = find_prompt(names, str(row.values["prompt_id"]), path.parts[:-1])
    who = generator or folder_of(path)
    image = image_of(item, sample, who)
    yield image
    grades = [grade for grade in ("score", *_GRADES) if grade in row.values]
    for grade in grades:
        value = row.values[grade]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise Unfit(grade, value, f"“{grade}” must be a number.")
        if not abs(value) <= LARGEST_NUMBER:
            raise Unfit(grade, str(value)[:80], f"“{grade}” is too large, or no number.")
        name = judge or "wise"
        name = name if grade == "score" else f"{name}-{grade}"
        failed = value == _FAILED
        error = "The reply could not be read." if failed else ""
        yield ScoreRecord(image.key, name, None if failed else float(value), error=error)


def _dpg(row: SetRow, names: Names, generator: str, judge: str) -> Iterator[Record]:
    def read_line(line: Line[str]) -> Iterator[Record]:
        match = _DPG_LINE.fullmatch(line.value.strip())
        # Its end is a summary of categories.
        return iter(()) if match is None else _dpg_line(match, row, names, generator, judge)

    # An image stands on line 1 of its file, a score on its own.
    return rows_as_records(numbered(row.values[TEXT].splitlines()), read_line, row.file)


def _dpg_line(
    match: re.Match[str], row: SetRow, names: Names, generator: str, judge: str
) -> Iterator[Record]:
    picture = posix_path(match["path"])
    item, _ = find_prompt(names, picture.stem, ())
    who = generator or folder_of(picture)
    try:
        *crops, _ = [float(part) for part in match["scores"].split(", ")]
    except ValueError:
        raise Unfit("line", match[0][:80], "A picture's line is its path and numbers.") from None
    for cell, score in enumerate(crops):
        image = image_of(item, cell if len(crops) > 1 else None, who)
        yield replace(image, line=row.line, source=row.file)
        yield ScoreRecord(image.key, judge or "dpg", score)


# --- TIIF: a file for each picture, eval_results/MODEL/TYPE/short/12.json


def _tiif(row: SetRow, names: Names, generator: str, judge: str) -> Iterator[Record]:
    kind, length = (take_text(row.values, name) for name in ("attribute", "desc"))
    item, _ = find_prompt(names, str(row.values["line_idx"]), (kind, length))
    told = row.values["model_pred"]
    if not isinstance(told, list) or len(told) != len(item.atoms):
        words = f"There must be {len(item.atoms)} answers, one to each question."
        raise Unfit("model_pred", str(told)[:80], words)
    folders = PurePosixPath(row.file).parts[:-1]
    who = generator or (folders[-3] if len(folders) > 2 else "unnamed")
    image = image_of(item, None, who)
    yield image
    judge = judge or "tiif"
    known = []
    for place, (said, atom) in enumerate(zip(told, item.atoms, strict=True)):
        answer = _answer(said)
        right = float(answer == atom.expected) if answer else None
        error = "" if answer else f"“{str(said)[:40]}” is neither yes nor no."
        known += [] if right is None else [right]
        yield ScoreRecord(image.key, judge, right, atom=place, error=error)
    mean = sum(known) / len(known) if known else None
    error = "" if known else "No answer was yes or no."
    kept = unknown_columns(row, TIIF_COLUMNS)
    yield ScoreRecord(image.key, judge, mean, error=error, evidence=kept)


def _answer(said: Any) -> str:
    """ "Yes" or "No"; empty where it is neither."""
    word = said.strip(" .,!").capitalize() if isinstance(said, str) else ""
    return word if word in ("Yes", "No") else ""


_READ: dict[str, Any] = {
    "corebench": _corebench,
    "unigenbench": _unigenbench,
    "wise": _wise,
    "dpg": _dpg,
    "tiif": _tiif,
    **text_results.READERS,
}
