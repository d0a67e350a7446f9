"""Label Studio's exports, JSON and JSON-MIN: each task's answers, by person.

A task is an image: `data.image_id` where there is one, as in our own export, or else its file. Whatever is
drawn on a picture is no answer to a question; it is counted and left out. Before version 1 annotations were
called completions.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from jurybox_formats.sources import tidy_tables
from jurybox_formats.sources.checks import Unfit
from jurybox_formats.sources.format import Format, Source
from jurybox_formats.sources.json_values import take, take_text
from jurybox_formats.sources.records import LabelRecord, Record, Unreadable
from jurybox_formats.sources.rows import Line
from jurybox_formats.sources.text_files import document, numbered
from jurybox_formats.tools.task_images import (
    PICTURES,
    TaskReader,
    first_of,
    hide_address,
    key_of,
    question_and_part,
    single_export,
)

GIVEN, FORMERLY = "annotations", "completions"

# In JSON-MIN the answers stand between these two, each under the name of its question.
BEGINS, ENDS = "id", "annotator"
Item = dict[str, Any]


def read(source: Source) -> Iterator[Record]:
    path = single_export(source.path)
    tasks = document(path)
    if not isinstance(tasks, list):
        raise Unreadable(f"{path.name} is no list of tasks.")
    if tasks and all(isinstance(task, dict) and ENDS in task for task in tasks):
        tasks = [_from_min(task) for task in tasks]
    elif tasks and not any(
        isinstance(task, dict) and {GIVEN, FORMERLY} & task.keys() for task in tasks
    ):
        raise Unreadable(
            f"{path.name} holds no annotations: export from Label Studio as JSON or as JSON-MIN."
        )
    reader = _Reader(source, path)
    yield from reader.records(numbered(tasks), reader.read_task)
    yield from reader.remarks()


class _Reader(TaskReader):
    def read_task(self, row: Line[Any]) -> Iterator[Record]:
        task = row.value
        data = take(task, "data", dict, "an object")
        file = first_of(data, PICTURES)
        key = key_of(data, file)
        if not key:
            raise Unfit("data", str(data)[:80], "Neither “image_id” nor an image stands in it.")
        yield from self.send(key, file, data)
        given = take(task, FORMERLY if FORMERLY in task else GIVEN, list, "a list")
        self.left["predictions of models"] += len(task.get("predictions") or [])
        # All of a task, or none of it.
        answered: set[tuple[str, str]] = set()
        yield from [label for one in given for label in self._labels(key, one, answered)]

    def _labels(self, key: str, one: Any, answered: set[tuple[str, str]]) -> Iterator[LabelRecord]:
        if isinstance(one, dict) and (one.get("was_cancelled") or one.get("skipped")):
            self.left["tasks that somebody skipped"] += 1
            return
        results = take(one, "result", list, "a list")
        rater = _rater(one.get("completed_by"))
        seconds, moment = one.get("lead_time"), one.get("created_at")
        for result in results:
            name = take_text(result, "from_name")
            value = _value(result)
            if value is None:
                self.left[f"“{name}” ({result.get('type')}), no answer about the image"] += 1
                continue
            if (rater, name) in answered:
                raise Unfit(name, value, f"{rater} answered “{name}” twice about {key}.")
            answered.add((rater, name))
            question, part = question_and_part(name)
            yield LabelRecord(
                key,
                rater,
                question,
                value,
                part,
                None if seconds is None else tidy_tables.number("lead_time", seconds),
                _moment(moment) if moment else None,
            )


def _from_min(record: Item) -> Item:
    """A record of JSON-MIN, which is one annotation, as a task of JSON."""
    names = list(record)
    first, end = names.index(BEGINS) if BEGINS in record else -1, names.index(ENDS)
    results = [
        {"from_name": name, **one}
        for name in names[first + 1 : end]
        for one in _results_of_min(record[name])
    ]
    about = {name: record.get(name) for name in ("created_at", "lead_time")}
    return {
        "data": {name: record[name] for name in names[: max(first, 0)]},
        "annotations": [{"completed_by": record[ENDS], "result": results, **about}],
    }


def _results_of_min(value: Any) -> Iterator[Item]:
    """One text stands as it is, several choices in an object, and all else in a list of objects."""
    if isinstance(value, str):
        yield {"type": "choices", "value": {"choices": [value]}}
        return
    given = value if isinstance(value, list) else [value]
    if given and all(isinstance(one, str) for one in given):
        yield {"type": "textarea", "value": {"text": given}}
        return
    for one in given:
        kinds = ("choices", "rating", "number")
        kind = next((k for k in kinds if isinstance(one, dict) and k in one), "drawn or other")
        yield {"type": kind, "value": one if isinstance(one, dict) else {}}


def _value(result: Item) -> float | str | None:
    """None where it is no answer to a question about the whole image."""
    kind = result.get("type")
    value = take(result, "value", dict, "an object")
    if kind in ("number", "rating"):
        return tidy_tables.number(str(kind), value.get(str(kind)))
    if kind in ("choices", "textarea"):
        if {"x", "start"} & value.keys():
            return None
        given = value.get("choices" if kind == "choices" else "text")
        words = [given] if isinstance(given, str) else given
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise Unfit(str(kind), str(given)[:80], f"“{kind}” must have a list of texts.")
        if not words:
            raise Unfit(str(kind), "", f"“{kind}” is empty.")
        return ("|" if kind == "choices" else "\n").join(words)
    return None


def _moment(value: Any) -> datetime:
    """A text; before version 1 the seconds since 1970."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            return datetime.fromtimestamp(value, UTC)
        except (ValueError, OverflowError, OSError):
            raise Unfit("created_at", value, "“created_at” is no moment.") from None
    return tidy_tables.instant("created_at", value)


def _rater(who: Any) -> str:
    """The number of an account, rather than an address of mail; a name as our export wrote it."""
    if isinstance(who, dict):
        who = who.get("id") or who.get("email") or who.get("username")
    if isinstance(who, int) and not isinstance(who, bool):
        return f"annotator-{who}"
    if isinstance(who, str) and who.strip():
        return hide_address(who)
    raise Unfit("completed_by", who, "An annotation must say who made it.")


FORMATS = {
    "label_studio": Format(
        "Label Studio: tasks with their annotations (JSON)", read, is_free=True, order=160
    )
}
