"""Yes or no to each point of a picture, by people and by a judge: T2I-CoReBench's checklists.

People's file and the judge's are written as the set's own script writes its results, `score` of each point 0 or 1:
`{"C-MI-001": {"Checklist": [{"question": …, "score": 1}]}}`; a folder of such files for several generators. The
judge's may be a table: check (C-MI-001#0, from 0) and answer (yes, no, 1, 0).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotations.errors import Refused
from audit.test_judge.rated_images import document_or_none
from audit.test_judge.sound_rows import sound_rows
from jurybox_formats.pair_files.rows import columns_of
from jurybox_formats.sources.records import Unreadable
from jurybox_formats.sources.text_files import document

COREBENCH = "corebench"
CHECK, ANSWER, LIST, SCORE = "check", "answer", "Checklist", "score"
ANSWERS = {"yes": True, "1": True, "1.0": True, "no": False, "0": False, "0.0": False}


@dataclass(frozen=True, slots=True)
class Check:
    """`name`: the prompt's id and the place of the point in its list, in the folder of the generator."""

    name: str
    prompt: str
    said: bool


def is_checklist(path: Path) -> bool:
    if path.is_dir():
        first = next(iter(sorted(path.rglob("*.json"))), None)
        return first is not None and is_checklist(first)
    items = document_or_none(path)
    one = next(iter(items.values()), None) if isinstance(items, dict) else None
    return isinstance(one, dict) and LIST in one


def read_checks(path: Path) -> list[Check]:
    """Points without an answer are left out: the script writes an empty text where it could read none."""
    found: dict[str, Check] = {}
    for name, prompt, said in _answers(path):
        if name in found:
            raise Refused(f"{path.name}: the check “{name[:80]}” stands twice.")
        if said is not None:
            found[name] = Check(name, prompt, said)
    if not found:
        raise Refused(
            f"{path.name} holds no answer: each point of a Checklist has a score, 0 or 1."
        )
    return list(found.values())


def _answers(path: Path) -> Iterator[tuple[str, str, bool | None]]:
    for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
        folder = file.parent.relative_to(path).as_posix() if path.is_dir() else "."
        items = document(file)
        if not isinstance(items, dict):
            raise Unreadable(f"{file.name} is no object of prompts by their id.")
        for key, item in items.items():
            points = item.get(LIST) if isinstance(item, dict) else None
            if not isinstance(points, list):
                raise Refused(f"{file.name}: “{key[:80]}” has no list “{LIST}”.")
            # The id alone names a prompt: pictures of several generators are one cluster.
            prefix = key if folder == "." else f"{folder}/{key}"
            for place, point in enumerate(points):
                yield f"{prefix}#{place}", key, _verdict(point, f"{file.name}, {prefix}#{place}")


def _verdict(point: Any, where: str) -> bool | None:
    if not isinstance(point, dict):
        raise Refused(f"{where[:120]}: a point is an object with a question and a score.")
    score = point.get(SCORE)
    if score is None or score == "":
        return None
    if isinstance(score, bool) or score not in (0, 1):
        raise Refused(f"{where[:120]}: a score is 0 or 1, not “{str(score)[:40]}”.")
    return bool(score)


def read_answers(path: Path) -> dict[str, bool]:
    """Of a judge, by the name of the check."""
    if is_checklist(path):
        return {check.name: check.said for check in read_checks(path)}
    columns = columns_of(path)
    if CHECK not in columns or ANSWER not in columns:
        raise Refused(
            f"{path.name} wants the columns {CHECK} (C-MI-001#0, the first point is 0) and {ANSWER}, or is "
            "written as the set’s script writes its results."
        )
    found: dict[str, bool] = {}
    for row in sound_rows(path, required=(CHECK, ANSWER), optional=()):
        name, said = str(row.value[CHECK]).strip(), str(row.value[ANSWER]).strip().lower()
        where = f"{path.name}, row {row.line}"
        if name in found:
            raise Refused(f"{where}: the check “{name[:80]}” stands twice.")
        if said not in ANSWERS:
            raise Refused(f"{where}: an answer is yes or no, not “{said[:40]}”.")
        found[name] = ANSWERS[said]
    return found
