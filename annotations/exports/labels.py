"""Labelled sets as rows and as lines: the tidy columns, in constant memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter

import numpy as np
from django.db.models import TextField
from django.db.models.functions import Cast

from annotations import consensus
from annotations.exports.image_chunks import image_chunks
from annotations.exports.pseudonyms import naming
from annotations.models import Annotation, Answer, FormVersion, Study
from annotations.scales import CANT_TELL
from annotations.sources.text_files import FORMULA
from annotations.sources.tidy_tables import instant

COLUMNS = (
    *("image_id", "rater", "question", "value", "atom", "form", "seconds", "submitted_at"),
    # Of the question, as people read it; empty for the form's own words.
    "language",
)
CONSENSUS_COLUMNS = ("image_id", "question", "atom", "rule", "value", "raters", "undecided")
CHUNK = 5000
# How a text begins that `defused` may change.
RISKY = frozenset((*FORMULA, "'"))
Rows = Iterable[dict[str, object]]


def label_rows(
    study: Study, *, people: str = "everybody", among: Sequence[int] | None = None
) -> Iterator[dict[str, object]]:
    """One row per person and question, in the order of images, people and questions.

    People stand in the order of the names that are shown: that of the others would tell something,
    and be another one when the file has come in again.
    """
    name = naming(study, people)
    forms: dict[int, str] = {}
    for chunk in image_chunks(study, "pk", among=among):
        answers = (
            _countable_answers(study)
            .filter(annotation__image__in=[pk for _, pk in chunk])
            .order_by("annotation__image__key", "annotation_id", "question", "atom__index")
            .values_list(
                "annotation__image__key",
                "annotation__annotator_id",
                "question",
                "value",
                "text",
                "atom__index",
                "annotation__form_id",
                "annotation__seconds",
                # As text: an annotation's answers share one moment, which is read once.
                Cast("annotation__submitted_at", TextField()),
                "annotation__language",
            )
        )
        for _, of_image in groupby(answers.iterator(chunk_size=CHUNK), itemgetter(0)):
            given = sorted(of_image, key=lambda answer: name(answer[1]))
            for (
                image,
                person,
                question,
                value,
                text,
                atom,
                form,
                seconds,
                moment,
                asked_in,
            ) in given:
                if form not in forms:
                    forms[form] = str(FormVersion.objects.defer("definition").get(pk=form))
                yield {
                    "image_id": image,
                    "rater": name(person),
                    "question": question,
                    "value": text if value is None else _short(value),
                    "atom": "" if atom is None else atom,
                    "form": forms[form],
                    "seconds": "" if seconds is None else _short(seconds),
                    "submitted_at": _iso(moment),
                    "language": asked_in,
                }


def consensus_rows(
    study: Study, *, rule: str = "majority", among: Sequence[int] | None = None
) -> Iterator[dict[str, object]]:
    """One row per image, question and atom: what people say together, or why nobody can tell."""
    rows = label_rows(study, among=among)
    for image, of_image in groupby(rows, itemgetter("image_id")):
        given: dict[tuple, list[float]] = {}
        for row in of_image:
            place = (row["question"], row["atom"])
            if isinstance(row["value"], int | float):
                given.setdefault(place, []).append(float(row["value"]))
            elif row["value"] == CANT_TELL:
                given.setdefault(place, [])
        for (question, atom), values in sorted(
            given.items(), key=lambda g: (g[0][0], str(g[0][1]))
        ):
            value = consensus.RULES[rule](np.array(values).reshape(-1, 1))[0]
            undecided = bool(np.isnan(value))
            yield {
                "image_id": image,
                "question": question,
                "atom": atom,
                "rule": rule,
                "value": "" if undecided else _short(float(value)),
                "raters": len(values),
                "undecided": _why_undecided(rule, len(values)) if undecided else "",
            }


def as_csv(rows: Rows, columns: Sequence[str] = COLUMNS) -> Iterator[str]:
    """Lines, some hundreds at a time."""
    line = io.StringIO()
    writer = csv.writer(line)
    writer.writerow(columns)
    cells = itemgetter(*columns)
    for number, row in enumerate(rows, 1):
        # By hand, without a call for each cell: exports have them by the million.
        writer.writerow(
            [
                defused(cell) if type(cell) is str and cell[:1] in RISKY else cell
                for cell in cells(row)
            ]
        )
        if number % 500 == 0:
            yield line.getvalue()
            line.seek(0)
            line.truncate()
    yield line.getvalue()


def csv_text(*lines: Iterable[object]) -> str:
    """A small table, its head first."""
    out = io.StringIO()
    csv.writer(out).writerows([defused(cell) for cell in line] for line in lines)
    return out.getvalue()


def as_jsonl(rows: Rows) -> Iterator[str]:
    for row in rows:
        given = {name: value for name, value in row.items() if value != ""}
        yield json.dumps(given, ensure_ascii=False) + "\n"


def defused(value: object) -> object:
    """A leading apostrophe keeps a spreadsheet from running the cell; numbers stay numbers.

    What looks as if it had been defused gets one more, so that `text_files.restored` gives back
    exactly what was there.
    """
    if isinstance(value, str) and value.lstrip("'").startswith(FORMULA):
        return "'" + value
    return value


def _countable_answers(study: Study):
    return Answer.objects.filter(
        annotation__study=study, annotation__state=Annotation.State.COUNTED
    )


def _why_undecided(rule: str, raters: int) -> str:
    if not raters:
        return "nobody could tell"
    if rule == "unanimous":
        return "people disagree" if raters > 1 else "only one person answered"
    return "as many people say one thing as another"


@lru_cache(maxsize=256)
def _iso(moment: str) -> str:
    """A moment as the databases write it, as exports do."""
    return instant("submitted_at", moment).isoformat()


def _short(value: float) -> float | int:
    return int(value) if value.is_integer() else value
