"""Labelled sets as rows and as lines: the tidy columns, in constant memory."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from django.db.models import QuerySet, TextField
from django.db.models.functions import Cast

from annotations import consensus
from annotations.exports.image_chunks import image_chunks
from annotations.exports.pseudonyms import naming
from annotations.models import Answer, FormVersion, Study
from jurybox_formats.forms.scales import CANT_TELL
from jurybox_formats.sources.text_files import FORMULA
from jurybox_formats.sources.tidy_tables import instant

COLUMNS = (
    *("image_id", "rater", "question", "value", "atom", "form", "seconds", "submitted_at"),
    # Of the question, as people read it; empty for the form's own words.
    "language",
)
CONSENSUS_COLUMNS = ("image_id", "question", "atom", "rule", "value", "raters", "undecided")
CHUNK = 5000
# Lines that are sent at once; cells that are remembered, and the longest of them.
LINES, REMEMBERED, SHORT = 500, 2_000, 100
# How a text begins that `defused` may change.
RISKY = frozenset((*FORMULA, "'"))
Rows = Iterable[dict[str, object]]


# An answer as the database gives it: question, value, text, index of the atom.
AnswerCells = tuple[str, float | None, str, int | None]


class PersonAnswers(NamedTuple):
    """What one person said of one image."""

    image: str
    rater: str
    form: str
    seconds: float | None
    moment: str
    language: str
    answers: list[AnswerCells]


class LabelRows:
    """One row per person and question, in the order of images, people and questions.

    People stand in the order of the names that are shown: that of the others would tell something,
    and be another one when the file has come in again.
    """

    def __init__(self, study: Study, people: str, among: Sequence[int] | None) -> None:
        self.study, self.people, self.among = study, people, among
        # Rows that were read.
        self.count = 0

    def __iter__(self) -> Iterator[dict[str, object]]:
        for one in self.by_person():
            seconds = "" if one.seconds is None else _short(one.seconds)
            for question, value, text, atom in one.answers:
                yield {
                    "image_id": one.image,
                    "rater": one.rater,
                    "question": question,
                    "value": text if value is None else _short(value),
                    "atom": "" if atom is None else atom,
                    "form": one.form,
                    "seconds": seconds,
                    "submitted_at": one.moment,
                    "language": one.language,
                }

    def by_person(self) -> Iterator[PersonAnswers]:
        """The same, as each person gave it."""
        self.count = 0
        name = naming(self.study, self.people)
        forms: dict[int, str] = {}
        for chunk in image_chunks(self.study, "pk", among=self.among):
            answers = _answers_about([pk for _, pk in chunk])
            for image, of_image in groupby(answers.iterator(chunk_size=CHUNK), itemgetter(0)):
                people = [
                    (name(person), list(rows)) for person, rows in groupby(of_image, itemgetter(1))
                ]
                for rater, rows in sorted(people, key=itemgetter(0)):
                    form, seconds, moment, language = rows[0][6:]
                    if form not in forms:
                        forms[form] = str(FormVersion.objects.defer("definition").get(pk=form))
                    self.count += len(rows)
                    cells = [row[2:6] for row in rows]
                    yield PersonAnswers(
                        image, rater, forms[form], seconds, _iso(moment), language, cells
                    )


def label_rows(
    study: Study, *, people: str = "everybody", among: Sequence[int] | None = None
) -> LabelRows:
    return LabelRows(study, people, among)


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
    if isinstance(rows, LabelRows):
        return _label_lines(rows)
    return _lines(rows, columns)


def _lines(rows: Rows, columns: Sequence[str]) -> Iterator[str]:
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
        if number % LINES == 0:
            yield line.getvalue()
            line.seek(0)
            line.truncate()
    yield line.getvalue()


def _label_lines(rows: LabelRows) -> Iterator[str]:
    """The same of labels, for which a writer and a dictionary of each row are too slow."""
    lines = [csv_text(COLUMNS)]
    words, answers = Cells(lambda word: (word,)), Cells(_answer_cells)
    image, image_cell = "", ""
    for one in rows.by_person():
        if one.image != image:
            image, image_cell = one.image, _cells(one.image)
        begin = image_cell + words[one.rater]
        seconds = "" if one.seconds is None else _short(one.seconds)
        # Neither a number nor a moment needs quotation marks.
        end = f"{words[one.form]}{seconds},{one.moment},{words[one.language][:-1]}\r\n"
        lines += [f"{begin}{answers[answer]}{end}" for answer in one.answers]
        if len(lines) >= LINES:
            yield "".join(lines)
            lines.clear()
    yield "".join(lines)


class Cells(dict[Any, str]):
    """What is shown -> its cells in a CSV, each with a comma. What comes again is there already."""

    def __init__(self, show: Callable[[Any], Iterable[object]]) -> None:
        self.show = show

    def __missing__(self, key: Any) -> str:
        cells = _cells(*self.show(key))
        if len(self) >= REMEMBERED:
            self.clear()
        if len(cells) <= SHORT:
            self[key] = cells
        return cells


def _answer_cells(answer: AnswerCells) -> tuple[object, ...]:
    question, value, text, atom = answer
    return question, text if value is None else _short(value), "" if atom is None else atom


def _cells(*cells: object) -> str:
    # With an empty one at the end: so the last of them has its comma, too.
    return csv_text([*cells, ""]).removesuffix("\r\n")


def csv_text(*lines: Iterable[object]) -> str:
    """A small table, its head first."""
    out = io.StringIO()
    csv.writer(out).writerows([defused(cell) for cell in line] for line in lines)
    return out.getvalue()


def as_jsonl(rows: Rows) -> Iterator[str]:
    # One encoder: `json.dumps` makes one for each row.
    encode = json.JSONEncoder(ensure_ascii=False).encode
    for row in rows:
        yield encode({name: value for name, value in row.items() if value != ""}) + "\n"


def defused(value: object) -> object:
    """A leading apostrophe keeps a spreadsheet from running the cell; numbers stay numbers.

    What looks as if it had been defused gets one more, so that `text_files.restored` gives back
    exactly what was there.
    """
    if isinstance(value, str) and value.lstrip("'").startswith(FORMULA):
        return "'" + value
    return value


def _answers_about(images: Sequence[int]) -> QuerySet[Answer, tuple[Any, ...]]:
    """Not by the study too: SQLite would look through all that it has, for every few images."""
    return (
        Answer.objects.that_count()
        .filter(annotation__image__in=images)
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
