"""Label Studio's exports, JSON and JSON-MIN: each task's answers, by person.

A task is an image: `data.image_id` where there is one, as in our own export, or else its file. Whatever is
drawn on a picture is no answer to a question; it is counted and left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from annotations.sources import picture_folder, picture_names, tidy_tables
from annotations.sources.checks import Unfit
from annotations.sources.json_values import Images, take, take_text
from annotations.sources.mapped_table import Pictures
from annotations.sources.picture_names import UNKNOWN
from annotations.sources.records import (
    ImageRecord,
    LabelRecord,
    PromptRecord,
    Record,
    Remark,
    Unreadable,
)
from annotations.sources.rows import Row, records
from annotations.sources.text_files import document, numbered

# What Label Studio puts before the name of a file that was uploaded.
UPLOADED = re.compile(r"^[0-9a-f]{8}-(?=.)")
OF_ATOM = re.compile(r"(.+)\.(\d{1,5})")
PROMPTS, GENERATORS = ("prompt", "caption", "text"), ("generator", "model")
PICTURES = ("image", "img", "picture", "url")
# In JSON-MIN the answers stand between these two, each under the name of its question.
BEGINS, ENDS = "id", "annotator"
Item = dict[str, Any]


def read(path: Path, images: Path | None = None, generator: str = "") -> Iterator[Record]:
    if path.is_dir():
        files = sorted(path.glob("*.json"))
        if len(files) != 1:
            raise Unreadable(f"{path.name} holds {len(files)} files of JSON; name the one export.")
        path, images = files[0], images or path
    tasks = document(path)
    if not isinstance(tasks, list):
        raise Unreadable(f"{path.name} is no list of tasks.")
    if tasks and all(isinstance(task, dict) and ENDS in task for task in tasks):
        tasks = [_from_min(task) for task in tasks]
    elif tasks and not any(isinstance(task, dict) and "annotations" in task for task in tasks):
        raise Unreadable(
            f"{path.name} holds no annotations: export from Label Studio as JSON or as JSON-MIN."
        )
    reader = _Reader(path.name, images, generator)
    yield from records(numbered(tasks), reader.read_task, path.name)
    yield from reader.remarks()


class _Reader:
    def __init__(self, source: str, images: Path | None, generator: str) -> None:
        self.source, self.generator = source, generator
        self.pictures = None
        if images is not None:
            self.pictures = Pictures(images, picture_folder.list_files(images)[1])
        self.seen, self.told = Images(), set[str]()
        self.left: Counter[str] = Counter()

    def read_task(self, row: Row[Any]) -> Iterator[Record]:
        task, line = row.value, row.line
        data = take(task, "data", dict, "an object")
        file = _first(data, PICTURES)
        key = _first(data, ("image_id",)) or (picture_names.image_key(_name(file)) if file else "")
        if not key:
            raise Unfit("data", str(data)[:80], "Neither “image_id” nor an image stands in it.")
        yield from self._image(key, file, data, line)
        given = take(task, "annotations", list, "a list")
        self.left["predictions of models"] += len(task.get("predictions") or [])
        # All of a task, or none of it.
        yield from [label for one in given for label in self._labels(key, one, line)]

    def remarks(self) -> Iterator[Remark]:
        for what, count in sorted(self.left.items()):
            if count:
                yield Remark(f"{self.source}: left out: {count} × {what}.")

    def _image(self, key: str, file: str, data: Item, line: int) -> Iterator[Record]:
        text = _first(data, PROMPTS)
        if not text:
            self.left["tasks without a prompt as images; their labels need an image here"] += 1
            return
        prompt = picture_names.prompt_key(text)
        if prompt not in self.told:
            self.told.add(prompt)
            yield PromptRecord(prompt, text, line=line, source=self.source)
        maker = _first(data, GENERATORS) or self.generator or UNKNOWN
        content = None
        if self.pictures is not None:
            found = self.pictures.find(file, "") or self.pictures.find(_name(file), "")
            content = self.pictures.root / found if found else None
        yield from self.seen.send(
            ImageRecord(key, prompt, maker, content, line=line, source=self.source)
        )

    def _labels(self, key: str, one: Any, line: int) -> Iterator[LabelRecord]:
        results = take(one, "result", list, "a list")
        if one.get("was_cancelled"):
            self.left["tasks that somebody skipped"] += 1
            return
        rater = _rater(one.get("completed_by"))
        seconds, moment = one.get("lead_time"), one.get("created_at")
        answered: set[str] = set()
        for result in results:
            name = take_text(result, "from_name")
            value = _value(result)
            if value is None:
                self.left[f"“{name}” ({result.get('type')}), no answer about the image"] += 1
                continue
            if name in answered:
                raise Unfit(name, value, f"{rater} answered “{name}” twice about {key}.")
            answered.add(name)
            match = OF_ATOM.fullmatch(name)
            yield LabelRecord(
                key,
                rater,
                match[1] if match else name,
                value,
                int(match[2]) if match else None,
                None if seconds is None else tidy_tables.number("lead_time", seconds),
                tidy_tables.instant("created_at", moment) if moment else None,
                line=line,
                source=self.source,
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


def _rater(who: Any) -> str:
    """The number of an account, rather than an address of mail; a name as our export wrote it."""
    if isinstance(who, dict):
        who = who.get("id") or who.get("email") or who.get("username")
    if isinstance(who, int) and not isinstance(who, bool):
        return f"annotator-{who}"
    if isinstance(who, str) and who.strip():
        return who
    raise Unfit("completed_by", who, "An annotation must say who made it.")


def _name(file: str) -> str:
    """The name of an uploaded file as it was before."""
    name = PurePosixPath(file.partition("?")[0].replace("\\", "/")).name
    return UPLOADED.sub("", name)


def _first(data: Item, names: tuple[str, ...]) -> str:
    return next((data[n] for n in names if isinstance(data.get(n), str) and data[n].strip()), "")
