"""Labels as Label Studio's tasks: each person's answers are one annotation of the image."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from annotations.exports.labels import Rows
from annotations.exports.tool_tasks import ChoiceTexts, Row, choice_texts, question_of, tasks
from annotations.models import Study


def label_studio(study: Study, rows: Rows) -> Iterator[str]:
    choices = choice_texts(study)
    between = "[\n"
    for number, task in enumerate(tasks(study, rows), 1):
        data = {
            "image_id": task.image,
            "prompt": task.prompt,
            "generator": task.generator,
            "image": task.file,
        }
        people = [_annotation(rater, given, choices) for rater, given in task.people]
        sent = {"id": number, "data": data, "annotations": people}
        yield between + json.dumps(sent, ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


def _annotation(rater: str, rows: list[Row], choices: Mapping[str, ChoiceTexts]) -> dict[str, Any]:
    results = []
    for row in rows:
        asked = choices.get(row["question"])
        chosen = asked.texts_of(row["value"]) if asked is not None else []
        kind = "textarea"
        value: dict[str, Any] = {"text": [row["value"]]}
        if chosen:
            kind, value = "choices", {"choices": chosen}
        elif isinstance(row["value"], int | float):
            kind, value = "number", {"number": row["value"]}
        results.append(
            {"from_name": question_of(row), "to_name": "image", "type": kind, "value": value}
        )
    seconds = rows[0]["seconds"]
    return {
        "completed_by": rater,
        "created_at": rows[0]["submitted_at"],
        "lead_time": seconds if seconds != "" else None,
        "result": results,
    }
