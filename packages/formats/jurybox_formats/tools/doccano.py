"""doccano's JSONL or JSON of image classification: a line for each image, a file for each person.

In a project that people label together the one file, `all.jsonl`, does not say who gave a label.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.picture_folder import is_picture
from jurybox_formats.sources.records import LabelRecord, Record, Remark, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import json_rows, objects
from jurybox_formats.tools.task_images import TaskReader, key_of, question_and_part

TOGETHER, NOBODY = "all", "doccano"
NAMED = {"id", "label"}
# One of these names the image; a text of our export that doccano sends back has no file.
IMAGES = {"filename", "image_id", "data"}
# What version 1.5 called the file; that of a text has the text there.
FORMERLY = "data"
# Beside an image that our export sent: which questions its labels answer.
QUESTIONS, BETWEEN = "questions", ": "


def read(source: Source) -> Iterator[Record]:
    path = source.path
    files = [path]
    if path.is_dir():
        files = sorted(path.glob("*.jsonl")) or sorted(path.glob("*.json"))
    if not files:
        raise Unreadable(f"{path.name} holds no JSONL and no JSON.")
    reader = _Reader(source, path)
    for file in files:
        first = next(iter(objects(json_rows(file), file.name)), None)
        named = first.value.keys() if isinstance(first, Line) else set()
        if not (named >= NAMED and named & IMAGES):
            raise Unreadable(
                f"{file.name} is no export of image classification: its first line lacks “id”, “filename” or "
                "“label”."
            )
        reader.who = NOBODY if file.stem == TOGETHER else file.stem
        if reader.who == NOBODY:
            words = f"{file.name} does not say who gave a label: all stand under “{NOBODY}”."
            yield Remark(words)
        reader.answered.clear()
        rows = objects(json_rows(file), file.name)
        yield from reader.records(rows, reader.read_line, file.name)
    yield from reader.remarks()


class _Reader(TaskReader):
    who = NOBODY

    def read_line(self, row: Line[Any]) -> Iterator[Record]:
        item = row.value
        file = _file_of(item)
        labels = take(item, "label", list, "a list of texts")
        if not all(isinstance(one, str) and one.strip() for one in labels):
            raise Unfit("label", str(labels)[:80], "“label” must be a list of texts.")
        key = key_of(item, file)
        if not key:
            raise Unfit("filename", "", "Neither “image_id” nor an image stands in it.")
        if labels and key in self.answered:
            raise Unfit("filename", file, f"{key} stands twice in this file.")
        if labels:
            self.answered.add(key)
        yield from self.send(key, file, item)
        if not labels:
            self.left["images that nobody gave a label"] += 1
        for (question, atom), texts in _by_question(labels, item.get(QUESTIONS)).items():
            yield LabelRecord(key, self.who, question, "|".join(texts), atom)


def _file_of(item: dict[str, Any]) -> str:
    if "filename" in item or FORMERLY not in item:
        return take_text(item, "filename") if "filename" in item else ""
    file = take_text(item, FORMERLY)
    if not is_picture(file):
        raise Unfit(FORMERLY, file[:80], "This is a text, not the name of a picture.")
    return file


def label_text(question: str, answer: str) -> str:
    return f"{question}{BETWEEN}{answer}"


def _by_question(labels: list[str], asked: Any) -> dict[tuple[str, int | None], list[str]]:
    """The answers by question and part; a label that names none of those asked answers “label”."""
    known = [one for one in asked if isinstance(one, str)] if isinstance(asked, list) else []
    found: dict[tuple[str, int | None], list[str]] = {}
    for label in labels:
        named, between, text = label.partition(BETWEEN)
        if not between or named not in known:
            found.setdefault(("label", None), []).append(label)
            continue
        found.setdefault(question_and_part(named), []).append(text)
    return found


FORMATS = {
    "doccano": Format(
        "doccano: labels of image classification (JSONL)", read, is_free=True, order=180
    )
}
