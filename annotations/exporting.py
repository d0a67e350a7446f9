"""Labelled sets as files: the tidy columns, row by row, in constant memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator

from annotations.models import Annotation, Answer, Study

COLUMNS = ("image_id", "rater", "question", "value", "atom", "form", "seconds", "submitted_at")
# What a spreadsheet would run as a formula when it stands first in a cell.
FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")


def label_rows(study: Study) -> Iterator[dict[str, object]]:
    """One row per person and question, in the order of images, people and questions."""
    answers = (
        Answer.objects.filter(annotation__study=study, annotation__state=Annotation.State.COUNTED)
        .select_related("annotation__image", "annotation__annotator", "annotation__form", "atom")
        .order_by(
            "annotation__image__key", "annotation__annotator__name", "question", "atom__index"
        )
    )
    for answer in answers.iterator(chunk_size=2000):
        annotation = answer.annotation
        yield {
            "image_id": annotation.image.key,
            "rater": annotation.annotator.name,
            "question": answer.question,
            "value": answer.text if answer.value is None else _short(answer.value),
            "atom": "" if answer.atom is None else answer.atom.index,
            "form": str(annotation.form),
            "seconds": "" if annotation.seconds is None else annotation.seconds,
            "submitted_at": annotation.submitted_at.isoformat(),
        }


def as_csv(rows: Iterable[dict[str, object]]) -> Iterator[str]:
    line = io.StringIO()
    writer = csv.DictWriter(line, COLUMNS)
    writer.writeheader()
    yield line.getvalue()
    for row in rows:
        line.seek(0)
        line.truncate()
        writer.writerow({name: defused(value) for name, value in row.items()})
        yield line.getvalue()


def as_jsonl(rows: Iterable[dict[str, object]]) -> Iterator[str]:
    for row in rows:
        given = {name: value for name, value in row.items() if value != ""}
        yield json.dumps(given, ensure_ascii=False) + "\n"


def defused(value: object) -> object:
    """A leading apostrophe keeps a spreadsheet from running the cell; numbers stay numbers."""
    if isinstance(value, str) and value.startswith(FORMULA):
        return "'" + value
    return value


def _short(value: float) -> float | int:
    return int(value) if value.is_integer() else value
