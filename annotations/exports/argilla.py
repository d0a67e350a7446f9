"""Labels as Argilla's records: the responses of each person, and the questions beside them.

A zip as `rg.Dataset.to_disk` leaves a folder: `records.json` and `.argilla/settings.json`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from typing import Any

from annotations.exports.files import Sink
from annotations.exports.labels import Rows
from annotations.exports.tool_tasks import Row, Task, choice_texts, plain, tasks
from annotations.models import Study
from jurybox_formats.tools.argilla import BEFORE_ATOM, question_name, user_id_of

Item = dict[str, Any]


VERSION = "2.8.0"


def argilla(study: Study, rows: Rows) -> Iterator[bytes]:
    questions = _Questions(study)
    sink = Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("records.json", "w", force_zip64=True) as member:
            between = "[\n"
            for task in tasks(study, rows):
                record = _record(task, questions)
                member.write((between + json.dumps(record, ensure_ascii=False)).encode())
                between = ",\n"
                yield sink.take()
            member.write(b"[]\n" if between == "[\n" else b"\n]\n")
        about = {
            "settings": questions.settings(study),
            "dataset": {"name": study.slug, "guidelines": None, "allow_extra_metadata": True},
            "version": {"argilla": VERSION},
        }
        for name, value in about.items():
            words = json.dumps(value, ensure_ascii=False, indent=2)
            archive.writestr(f".argilla/{name}.json", words + "\n")
    yield sink.take()


def _record(task: Task, questions: _Questions) -> Item:
    responses: dict[str, list[Item]] = {}
    for rater, rows in task.people:
        for row in rows:
            name = question_name(row["question"], row["atom"])
            value = questions.value(name, row)
            answer = {"value": value, "user_id": user_id_of(rater), "status": "submitted"}
            responses.setdefault(name, []).append(answer)
    return {
        "id": task.image,
        "fields": {"prompt": task.prompt},
        "metadata": {"image_id": task.image, "generator": task.generator},
        "suggestions": {},
        "responses": responses,
        "vectors": {},
    }


class _Questions:
    """What was answered, as Argilla's questions: choices by their texts, all else as text."""

    def __init__(self, study: Study) -> None:
        self.asked = {question["name"]: question for question in study.form.questions}
        self.texts = choice_texts(study)
        # Question -> its choices; None where any text is an answer.
        self.choices: dict[str, dict[str, None] | None] = {}

    def value(self, name: str, row: Row) -> str | list[str]:
        texts = self.texts.get(row["question"])
        if texts is None or not self.asked[row["question"]].get("choices"):
            self.choices.setdefault(name, None)
            return plain(row["value"])
        chosen = texts.texts_of(row["value"]) or [plain(row["value"])]
        if name not in self.choices:
            self.choices[name] = dict.fromkeys(texts.texts.values())
        (self.choices[name] or {}).update(dict.fromkeys(chosen))
        return chosen if texts.several else chosen[0]

    def settings(self, study: Study) -> Item:
        metadata = [_metadata("image_id"), _metadata("generator")]
        return {
            "guidelines": None,
            "questions": [self._question(*one) for one in self.choices.items()],
            "fields": [_setting("prompt", "Prompt", {"type": "text", "use_markdown": False}, True)],
            "vectors": [],
            "metadata": metadata,
            "allow_extra_metadata": True,
            "distribution": {"strategy": "overlap", "min_submitted": study.overlap},
            "mapping": None,
        }

    def _question(self, name: str, choices: dict[str, None] | None) -> Item:
        question = self.asked.get(name.partition(BEFORE_ATOM)[0], {})
        text = question.get("text") or name
        if choices is None:
            return _setting(name, text, {"type": "text", "use_markdown": False}, False)
        settings: Item = {
            "type": "label_selection",
            "options": [{"value": one, "text": one} for one in choices],
            "visible_options": None,
        }
        if question.get("kind") == "choices":
            settings |= {"type": "multi_label_selection", "options_order": "natural"}
        return _setting(name, text, settings, False)


def _setting(name: str, title: str, settings: Item, required: bool) -> Item:
    kind = settings["type"]
    about = {"name": name, "title": title, "description": None, "required": required}
    return about | {"settings": settings, "type": kind}


def _metadata(name: str) -> Item:
    settings = {"type": "terms", "values": None, "visible_for_annotators": False}
    return {
        "name": name,
        "title": name,
        "settings": settings,
        "visible_for_annotators": False,
    }
