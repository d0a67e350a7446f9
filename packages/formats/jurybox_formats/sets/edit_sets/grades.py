"""The grades that each set's own script writes, as scores: one judge for each point, and one for what the
script makes of all.

GEdit: a table for each kind of edit. ImgEdit: `result.json`, replies by key. KRIS: `metrics.json` of each
category. RISE: the judged table, as a spreadsheet or CSV. An edit that was not graded has no score, and says
why; nothing is made up for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from jurybox_formats.sets.edit_sets import spreadsheet
from jurybox_formats.sets.edit_sets.items import PLAIN, Item
from jurybox_formats.sets.edit_sets.points import FREE, POINTS
from jurybox_formats.sources.checks import TEXT_LENGTH, Unfit
from jurybox_formats.sources.records import ImageRecord, Record, Rejected, ScoreRecord, Unreadable
from jurybox_formats.sources.rows import Images, Line, records
from jurybox_formats.sources.text_files import document, json_lines, numbered, objects, table_rows

# In the evidence of a score: columns of its row that nobody here reads.
COLUMNS = "columns"
# Folders that are called after the model that graded.
BACKBONES = {"gpt4o", "gpt-4o", "gpt4.1", "gpt-4.1", "qwen25vl", "qwen2.5-vl"}
NOT_GRADED = "The script gave this edit no grade."

GEDIT_GRADES = {
    "semantic_consistency": ("sementics_score", "semantics_score", "semantic_score"),
    "perceptual_quality": ("quality_score",),
}
KRIS_GRADES = {
    "visual_consistency": "consistency_score",
    "visual_quality": "quality_score",
    "instruction": "instruction_score",
    "knowledge": "knowledge_score",
}
RISE_GRADES = {
    "reasoning": "Reasoning",
    "consistency": "ApprConsistency",
    "plausibility": "VisualPlausibility",
}


@dataclass(frozen=True, slots=True)
class Graded:
    """One row: of which edit, by whom, the grade of each point."""

    key: str
    generator: str
    said: Mapping[str, Any]
    reasons: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, Any] = field(default_factory=dict)
    backbone: str = ""


def holds_grades(name: str, path: Path) -> bool:
    """By its beginning; a file that cannot be read holds none."""
    try:
        row = next(_rows(name, path, path.name), None)
    except (Unreadable, UnicodeDecodeError):
        return False
    return isinstance(row, Line) and _FITS[name](path, row.value)


def read_grades(
    name: str,
    root: Path,
    file: str,
    items: Mapping[str, Item],
    generator: str,
    judge: str,
    seen: Images,
) -> Iterator[Record]:
    def read_row(row: Line[dict[str, Any]]) -> Iterator[Record]:
        graded = _READ[name](PurePosixPath(file), row.value)
        item = items.get(graded.key)
        if item is None:
            raise Unfit("key", graded.key, "No instruction has this id.")
        return _scores(name, graded, item, generator, judge)

    return records(_rows(name, root / file, file), read_row, file, seen)


def _scores(name: str, graded: Graded, item: Item, generator: str, judge: str) -> Iterator[Record]:
    points = POINTS[name]
    read = {point: _grade(name, point, said) for point, said in graded.said.items()}
    who = generator or graded.generator
    key = f"{who}/{item.key}"
    yield ImageRecord(key, item.key, who)
    judge = judge or graded.backbone or name
    is_free = bool(item.metadata.get(FREE))
    for point in points.names:
        value = read.get(point)
        if value is None and point not in points.wanted(item.tags, is_free):
            continue
        reason = graded.reasons.get(point, "")
        ending = point.replace("_", "-")
        error = "" if value is not None else NOT_GRADED
        yield ScoreRecord(key, f"{judge}-{ending}", value, reason=reason, error=error)
    grades = {point: value for point in points.names if (value := read.get(point)) is not None}
    lacking = [point for point in points.wanted(item.tags, is_free) if point not in grades]
    evidence: dict[str, Any] = {
        "answers": [
            {"question": point, "name": point, "said": graded.said.get(point), "score": value}
            for point, value in read.items()
        ]
    }
    if graded.columns:
        evidence[COLUMNS] = dict(graded.columns)
    if lacking:
        error = f"No grade of {', '.join(lacking)}."
        yield ScoreRecord(key, judge, error=error, evidence=evidence)
    else:
        overall = points.overall(grades, item.tags, is_free)
        yield ScoreRecord(key, judge, overall, evidence=evidence)


def _grade(name: str, point: str, said: Any) -> float | None:
    """None where there is no grade; what is not on the scale is refused."""
    if said is None or isinstance(said, str) and said.strip().lower() in ("", "nan", "none"):
        return None
    points = POINTS[name]
    try:
        value = float("" if isinstance(said, bool) else said)
    except (TypeError, ValueError, OverflowError):
        raise Unfit(point, str(said)[:80], f"The grade of {point} must be a number.") from None
    if not points.least <= value <= points.most:
        words = f"A grade of {point} is from {points.least:g} to {points.most:g}."
        raise Unfit(point, str(said)[:80], words)
    return value


# --- files as rows of objects


def _rows(name: str, path: Path, file: str) -> Iterator[Line[dict[str, Any]] | Rejected]:
    suffix = path.suffix.lower()
    if suffix == ".xlsx" and name == "rise":
        yield from spreadsheet.read_rows(path)
    elif suffix in (".csv", ".tsv"):
        yield from table_rows(path, file)
    elif suffix == ".jsonl":
        yield from objects(json_lines(path), file)
    elif suffix == ".json":
        content = document(path)
        if isinstance(content, list):
            yield from objects(numbered(content), file)
        elif isinstance(content, dict):
            for n, (key, value) in enumerate(content.items(), 1):
                yield Line(n, {"": key, "value": value})


# --- one reader for each set


def _fits_gedit(path: Path, row: Mapping[str, Any]) -> bool:
    return "key" in row and all(
        any(name in row for name in names) for names in GEDIT_GRADES.values()
    )


def _read_gedit(file: PurePosixPath, values: dict[str, Any]) -> Graded:
    picture = PurePosixPath(_text(values.get("edited_image")).replace("\\", "/"))
    language = _text(values.get("instruction_language")) or _language_of(picture, file)
    named = {
        point: next((name for name in names if name in values), "")
        for point, names in GEDIT_GRADES.items()
    }
    known = {"key", "instruction", "instruction_language", "intersection_exist", *named.values()}
    columns = {name: value for name, value in values.items() if name not in known}
    folders = [part for part in file.parts[:-1] if part.lower() not in BACKBONES]
    backbone = next((part for part in file.parts[:-1] if part.lower() in BACKBONES), "")
    parts = picture.parts
    who = parts[parts.index("fullset") - 1] if "fullset" in parts[1:] else ""
    return Graded(
        f"{language}/{_text(values['key'])}",
        who or _generator_of(folders),
        {point: values.get(name) for point, name in named.items()},
        columns=columns,
        backbone=backbone,
    )


def _language_of(picture: PurePosixPath, file: PurePosixPath) -> str:
    for part in (*picture.parts[-2:-1], *file.stem.split("_")):
        if part in ("en", "cn"):
            return part
    return "en"


def _fits_imgedit(path: Path, row: Mapping[str, Any]) -> bool:
    value = row.get("value")
    return path.suffix.lower() == ".json" and (
        isinstance(value, str)
        and any(map(_grade_of_line, value.splitlines()))
        or isinstance(value, dict)
        and value.keys() == {"error"}
    )


def _read_imgedit(file: PurePosixPath, values: dict[str, Any]) -> Graded:
    key, reply = str(values.get("", "")), values.get("value")
    said: dict[str, Any] = {}
    if isinstance(reply, str):
        found = [grade for grade in map(_grade_of_line, reply.splitlines()) if grade]
        names = POINTS["imgedit"].names
        if len(found) > len(names):
            raise Unfit("reply", reply[:80], f"{len(found)} grades stand there, three are wanted.")
        said = dict(zip(names, found, strict=False))
    columns = {"reply": reply[:TEXT_LENGTH] if isinstance(reply, str) else reply}
    return Graded(
        key,
        _generator_of(list(file.parts[:-1])),
        {point: said.get(point) for point in POINTS["imgedit"].names},
        columns=columns,
    )


def _fits_kris(path: Path, row: Mapping[str, Any]) -> bool:
    value = row.get("value")
    return isinstance(value, dict) and any(name in value for name in KRIS_GRADES.values())


def _read_kris(file: PurePosixPath, row: dict[str, Any]) -> Graded:
    key, values = str(row.get("", "")), row.get("value")
    if not isinstance(values, dict):
        raise Unfit("value", str(values)[:80], "An object of grades is wanted here.")
    said = {point: values[name] for point, name in KRIS_GRADES.items() if name in values}
    reasons = {
        point: _text(values.get(name.replace("_score", "_reasoning")))[:TEXT_LENGTH]
        for point, name in KRIS_GRADES.items()
    }
    known = set(KRIS_GRADES.values())
    columns = {name: value for name, value in values.items() if name not in known}
    folders = list(file.parts[:-1])
    category = folders[-1] if folders else ""
    return Graded(f"{category}/{key}", _generator_of(folders[:-1]), said, reasons, columns)


def _fits_rise(path: Path, row: Mapping[str, Any]) -> bool:
    return "index" in row and "Reasoning" in row


def _read_rise(file: PurePosixPath, values: dict[str, Any]) -> Graded:
    said = {point: values.get(name) for point, name in RISE_GRADES.items()}
    known = {"index", "category", "instruction", "score", "complete", *RISE_GRADES.values()}
    columns = {
        name: value
        for name, value in values.items()
        if name not in known and value not in ("", None)
    }
    # MODEL_judge.xlsx in the folder of the model.
    who = file.stem.removesuffix("_judge") if file.stem.endswith("_judge") else ""
    generator = _generator_of(list(file.parts[:-1]))
    return Graded(
        _text(values.get("index")),
        generator if generator != "unnamed" else who or generator,
        said,
        columns=columns,
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _generator_of(folders: list[str]) -> str:
    """The innermost folder that is called after a model."""
    named = [one for one in folders if one.lower() not in {*PLAIN, "csv_results", "data"}]
    return named[-1] if named else "unnamed"


_FITS = {"gedit": _fits_gedit, "imgedit": _fits_imgedit, "kris": _fits_kris, "rise": _fits_rise}
_READ = {"gedit": _read_gedit, "imgedit": _read_imgedit, "kris": _read_kris, "rise": _read_rise}


def _grade_of_line(line: str) -> str:
    """Of `Visual Naturalness: 4`, also in Markdown's bold; empty of any other line."""
    name, _, grade = line.partition(":")
    grade = grade.strip(" \t*")
    is_one = grade.isascii() and grade.isdecimal() and 0 < len(name.strip(" \t*#-")) <= 100
    return grade if is_one else ""
