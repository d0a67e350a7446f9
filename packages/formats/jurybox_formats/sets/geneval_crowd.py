"""GenEval's crowd answers: five workers per image, each with the paper's form.

Workers have no names in these files: the first of an image is "worker-1", and need not be the
"worker-1" of another image.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.records import (
    ImageRecord,
    LabelRecord,
    PromptRecord,
    Record,
    Rejected,
    Remark,
    Unreadable,
)
from jurybox_formats.sources.rows import Images, Line, records
from jurybox_formats.sources.text_files import csv_rows, wrong_width

NEEDED = (
    "Input.index",
    "Input.prompt_id",
    "Input.image_id",
    "Input.caption",
    "Answer.task-quality",
)
# column -> (our question, the values it may have; None for free text)
ANSWERS: dict[str, tuple[str, Any]] = {
    "Answer.task-objects": ("objects", None),
    "Answer.task-count-0": ("count-0", range(6)),
    "Answer.task-count-1": ("count-1", range(6)),
    "Answer.task-color-0": ("color-0", None),
    "Answer.task-color-1": ("color-1", None),
    "Answer.task-position-x": ("position-x", {"left", "right", "neither_x"}),
    "Answer.task-position-y": ("position-y", {"above", "below", "neither_y"}),
    "Answer.task-real-0": ("realism-0", range(1, 4)),
    "Answer.task-real-1": ("realism-1", range(1, 4)),
    "Answer.task-quality": ("fit", range(1, 5)),
}
FREE_TEXT = "Answer.task-objects"
# https://…/images/clip/00220/samples/00002.png
MAKER = re.compile(r"/([^/]+)/\d+/samples/\d+\.\w+$")


def crowd(
    path: Path, generator: str, seen: Images, prompts: Mapping[str, PromptRecord]
) -> Iterator[Record]:
    rows = csv_rows(path)
    first = next(rows, None)
    header = first.value if isinstance(first, Line) else []
    absent = [name for name in NEEDED if name not in header]
    if absent:
        raise Unreadable(
            f"{path.name} is no file of GenEval's crowd answers: it lacks {absent[0]}."
        )
    workers: Counter[str] = Counter()
    sent: set[str] = set()
    if not prompts:
        yield Remark(
            f"{path.name}: without evaluation_metadata.jsonl beside it, nobody can say which "
            "answers mean that an image is right; “aligned” was left out."
        )

    def read_row(record: Line[dict[str, str]]) -> Iterator[Record | Unfit]:
        row = record.value
        try:
            key, sample = f"{int(row['Input.prompt_id']):05d}", int(row["Input.image_id"])
        except ValueError:
            words = "“Input.prompt_id” and “Input.image_id” must be whole numbers."
            raise Unfit("Input.index", row["Input.index"], words) from None
        made = MAKER.search(row.get("Input.image_url", ""))
        maker = generator or (made[1] if made else path.stem.rpartition("_")[2])
        if key not in sent:
            sent.add(key)
            yield prompts.get(key) or PromptRecord(key, row["Input.caption"])
        image = f"{maker}/{key}/{sample:05d}"
        workers[image] += 1
        yield ImageRecord(image, key, maker, sample=sample)
        yield from _labels(row, image, f"worker-{workers[image]}", prompts.get(key))

    yield from records(_mended(rows, header, path.name), read_row, path.name, seen)


def _labels(
    row: dict[str, str], image: str, rater: str, prompt: PromptRecord | None
) -> Iterator[Record | Unfit]:
    seconds = _seconds(row.get("Answer.ee", ""))
    for column, (question, allowed) in ANSWERS.items():
        text = row.get(column, "").strip()
        if not text:
            continue
        value: float | str = text
        if isinstance(allowed, range):
            try:
                value = float(text)
            except ValueError:
                value = -1.0
            if value not in allowed:
                words = f"It must be a whole number from {allowed.start} to {allowed.stop - 1}."
                yield Unfit(column, text, words)
                continue
        elif allowed is not None and text not in allowed:
            yield Unfit(column, text, f"It must be one of {', '.join(sorted(allowed))}.")
            continue
        yield LabelRecord(image, rater, question, value, None, seconds)
    if prompt is not None:
        right = float(is_right(row, prompt.metadata))
        yield LabelRecord(image, rater, "aligned", right, None, seconds)


def _seconds(text: str) -> float | None:
    try:
        seconds = float(text)
    except ValueError:
        return None
    return seconds if seconds >= 0 else None


def is_right(row: Mapping[str, str], metadata: Mapping[str, Any]) -> bool:
    """Every clause of the prompt is met by the worker's answers (5 stands for five or more)."""
    slots = {row.get(f"Input.object_{slot}_name", ""): slot for slot in (1, 0)}
    for number, clause in enumerate(metadata.get("include", ())):
        slot = slots.get(clause["class"], min(number, 1))
        if _count(row, slot) < clause["count"]:
            return False
        if "color" in clause and clause["color"] not in _colours(row, slot):
            return False
        if "position" in clause and clause["position"][0] not in _relations(row):
            return False
    return all(
        _count(row, slots.get(clause["class"], 0)) < clause["count"]
        for clause in metadata.get("exclude", ())
    )


def _count(row: Mapping[str, str], slot: int) -> float:
    try:
        return float(row.get(f"Answer.task-count-{slot}") or 0)
    except ValueError:
        return 0


def _colours(row: Mapping[str, str], slot: int) -> set[str]:
    return set(row.get(f"Answer.task-color-{slot}", "").split("|"))


def _relations(row: Mapping[str, str]) -> set[str]:
    """Where the second object is, seen from the first."""
    words = {"left": "left of", "right": "right of"}
    x, y = row.get("Answer.task-position-x", ""), row.get("Answer.task-position-y", "")
    return {words.get(x, x), y}


def _mended(
    rows: Iterator[Line[list[str]] | Rejected], header: list[str], source: str
) -> Iterator[Line[dict[str, str]] | Rejected | Remark]:
    """Records that an unquoted line end broke in two are put together where it is certain how."""
    width, place = len(header), header.index(FREE_TEXT) if FREE_TEXT in header else -1
    half: Line[list[str]] | None = None
    for row in rows:
        if not isinstance(row, Line):
            yield row
            continue
        line, cells = row
        if half is not None:
            start, begun = half
            # Only free text holds line ends, so the break is certain when it fell into that cell.
            if len(begun) == place + 1 and len(begun) + len(cells) - 1 == width:
                whole = [*begun[:-1], f"{begun[-1]}\n{cells[0]}", *cells[1:]]
                half = None
                yield Remark(f"{source}: lines {start} and {line} are one record; put together.")
                yield Line(start, dict(zip(header, whole, strict=True)))
                continue
            yield wrong_width(half, width, source)
            half = None
        if len(cells) == width:
            yield Line(line, dict(zip(header, cells, strict=True)))
        elif len(cells) < width:
            half = row
        else:
            yield wrong_width(row, width, source)
    if half is not None:
        yield wrong_width(half, width, source)
