"""What a set's own script says of pictures, as scores: T2I-CoReBench's checklists, UniGenBench's tables,
WISE's lines, DPG-Bench's texts, TIIF's answers.
LongText's lines and CVTG's counts of words are what was read in pictures; OneIG's tables have one number for all
pictures of a grid.

A score that the script could not read (T2I-CoReBench's empty text, WISE's 999) is none, with the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from jurybox_formats.sets.prompt_sets import word_counts
from jurybox_formats.sets.prompt_sets.files import TEXT, SetRow
from jurybox_formats.sets.prompt_sets.items import ONEIG_CATEGORIES, Item, corebench_task
from jurybox_formats.sets.prompt_sets.pictures import Names
from jurybox_formats.sets.prompt_sets.result_places import (
    find_prompt,
    folder_of,
    image_of,
    posix_path,
    unknown_columns,
)
from jurybox_formats.sources.checks import LARGEST_NUMBER, Unfit, check_number
from jurybox_formats.sources.json_values import take_text
from jurybox_formats.sources.records import Record, ScoreRecord
from jurybox_formats.sources.rows import Images, Line
from jurybox_formats.sources.rows import records as rows_as_records
from jurybox_formats.sources.text_files import numbered

LONGTEXT_COLUMNS = ("image", "prompt", "ocr_gt", "ocr_results")
CVTG_COUNTS = ("correct_words", "total_words", "ned_word_data")
CVTG_OTHERS = ("clipscore", "vqascore", "aesthetic_score")
# `alignment_prompt_score_EN_2025-06-01_10-00-00.csv`
_ONEIG_FILE = re.compile(r"(alignment|text|style|reasoning)_prompt_score.*")
# The first column has no name; where it was opened and saved again, it has this one.
_ROW_NAMES = ("", "Unnamed: 0")
# Whose ids stand alone: those of these parts. An alignment's id names its folder.
_PART_OF = {
    "text": "Text_Rendering",
    "style": "Anime_Stylization",
    "reasoning": "Knowledge_Reasoning",
}
_NO_SCORE = "The script gave this picture no score."


def _name_column(values: Mapping[str, Any]) -> str | None:
    return next((name for name in _ROW_NAMES if name in values), None)


def _kind_of(row: SetRow) -> str:
    match = _ONEIG_FILE.fullmatch(PurePosixPath(row.file).stem.lower())
    return match[1] if match else ""


# --- LongText


def _longtext(row: SetRow, names: Names, generator: str, judge: str) -> Iterator[Record]:
    path = posix_path(row.values["image"])
    item, sample = _find_by_words(row, names, path)
    read = row.values["ocr_results"]
    if not isinstance(read, str):
        raise Unfit("ocr_results", str(read)[:80], "“ocr_results” must be a text.")
    text = item.metadata["text"]
    expected = text if isinstance(text, str) else "\n".join(text)
    language = word_counts.language_of(expected)
    found, wanted = word_counts.count_words(expected, read, language, as_written=False)
    if not wanted:
        raise Unfit("text", expected[:80], "The prompt has no words to be read.")
    image = image_of(item, sample, generator or _generator_of(path, row))
    yield image
    evidence = {
        "expected": expected,
        "read": read,
        **(unknown_columns(row, LONGTEXT_COLUMNS) or {}),
    }
    yield ScoreRecord(image.key, judge or "longtext", found / wanted, evidence=evidence)


def _find_by_words(row: SetRow, names: Names, path: PurePosixPath) -> tuple[Item, int | None]:
    """By the picture's name; where several prompts have its number, by the prompt that stands beside it."""
    found = names.find(path.stem, (*path.parts[:-1], *PurePosixPath(row.file).parts[:-1]))
    said = row.values.get("prompt")
    if not isinstance(found, str) and said in (None, found[0].text):
        return found
    if isinstance(said, str):
        alike = names.find_all(path.stem)
        fitting = [(item, sample) for item, sample in alike if item.text == said]
        if len(fitting) == 1:
            return fitting[0]
    words = found if isinstance(found, str) else "Its prompt is not the one of this number."
    raise Unfit("image", str(path)[:80], words)


# Folders of pictures that are called after no generator.
_PLAIN = {"en", "zh", "images", "samples", "results", "cvtg", "cvtg-style", "2", "3", "4", "5"}


def _generator_of(path: PurePosixPath, row: SetRow) -> str:
    for folders in (path.parts[:-1], PurePosixPath(row.file).parts[:-1]):
        named = [one for one in folders if one.lower() not in _PLAIN and one.strip("/. ")]
        if named:
            return named[-1]
    return "unnamed"


# --- CVTG


def _cvtg(row: SetRow, names: Names, generator: str, judge: str) -> Iterator[Record]:
    path = posix_path(row.values["image"])
    item, sample = _find_by_words(row, names, path)
    found, wanted = (_take_whole(row, name) for name in ("correct_words", "total_words"))
    if not 0 <= found <= wanted or not wanted:
        words = f"{found} of {wanted} words cannot have been read."
        raise Unfit("correct_words", found, words)
    distances = row.values.get("ned_word_data")
    if distances is not None and not _are_shares(distances):
        raise Unfit("ned_word_data", str(distances)[:80], "This is a list of numbers from 0 to 1.")
    image = image_of(item, sample, generator or _generator_of(path, row))
    yield image
    # The other measures are judges of their own, and go out with the counts.
    known = ("image", "prompt", *CVTG_COUNTS)
    evidence = {name: row.values[name] for name in CVTG_COUNTS if name in row.values}
    evidence |= unknown_columns(row, known) or {}
    told: dict[str, tuple[float, dict[str, Any] | None]] = {"": (found / wanted, evidence)}
    if distances:
        told["-ned"] = (sum(distances) / len(distances), None)
    for name in CVTG_OTHERS:
        if name in row.values:
            told[f"-{name}"] = (_take_number(row, name), None)
    for ending, (score, kept) in told.items():
        yield ScoreRecord(image.key, (judge or "cvtg") + ending, score, evidence=kept)


def _take_whole(row: SetRow, name: str) -> int:
    value = row.values[name]
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise Unfit(name, str(value)[:80], f"“{name}” must be a whole number.")
    return value


def _are_shares(values: Any) -> bool:
    return isinstance(values, list) and all(
        isinstance(one, int | float) and not isinstance(one, bool) and 0 <= one <= 1
        for one in values
    )


def _take_number(row: SetRow, name: str) -> float:
    value = row.values[name]
    try:
        number = float("" if isinstance(value, bool) else value)
    except (TypeError, ValueError, OverflowError):
        raise Unfit(name, str(value)[:80], f"“{name}” must be a number.") from None
    check_number(name, number, str(value)[:80])
    return number


# --- OneIG: a row for each prompt, a column for each generator


def _oneig(row: SetRow, names: Names, generator: str, judge: str) -> Iterator[Record]:
    kind, first = _kind_of(row), _name_column(row.values)
    assert first is not None
    folder, _, id = row.values[first].strip().rpartition("_")
    category = _PART_OF.get(kind) or ONEIG_CATEGORIES.get(folder, "")
    keys = [f"{category}/{id}", f"zh/{category}/{id}"]
    # Both languages have the same ids; the file's name says which it is about.
    if "_zh" in PurePosixPath(row.file).stem.lower():
        keys.reverse()
    item = next(filter(None, map(names.find_by_key, keys)), None)
    if item is None:
        words = (
            "No prompt has this id: an alignment's is its folder and its number, as in human_000."
        )
        raise Unfit("id", row.values[first], words)
    columns = [name for name in row.values if name != first]
    if generator and len(columns) == 1:
        called = {columns[0]: generator}
    else:
        called = {name: name for name in columns if name.strip()}
    for column, who in called.items():
        image = image_of(item, None, who)
        yield image
        yield _oneig_score(row, column, image.key, kind, f"{judge or 'oneig'}-{kind}", item)


def _oneig_score(
    row: SetRow, column: str, key: str, kind: str, judge: str, item: Item
) -> ScoreRecord:
    said = row.values[column].strip()
    if said.lower() in ("", "nan", "none"):
        return ScoreRecord(key, judge, error=_NO_SCORE)
    if kind != "text":
        return ScoreRecord(key, judge, _take_number(row, column))
    try:
        distance, flawless, words = (float(part) for part in json.loads(said))
    except (ValueError, TypeError, RecursionError):
        reason = "Three numbers are wanted here, as in [12.5, 0.0, 0.8]: edits, flawless, words."
        raise Unfit(column, said[:80], reason) from None
    if not (distance >= 0 and 0 <= flawless <= 1 and 0 <= words <= 1):
        reason = "Edits are not below 0, shares from 0 to 1."
        raise Unfit(column, said[:80], reason)
    language = word_counts.language_of(str(item.metadata.get("text", "")))
    score = word_counts.one_ig_score(distance, flawless, words, language)
    evidence = {"ED": distance, "CR": flawless, "WAC": words}
    return ScoreRecord(key, judge, score, evidence=evidence)


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
    if name == "longtext":
        return {"image", "ocr_results"} <= values.keys()
    if name == "cvtg":
        return {"correct_words", "total_words"} <= values.keys() and "image" in values
    if name == "oneig":
        return row.form == "table" and bool(_kind_of(row)) and _name_column(values) is not None
    return False


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
    "longtext": _longtext,
    "cvtg": _cvtg,
    "oneig": _oneig,
}
