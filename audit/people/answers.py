"""The answers of a study that count, as arrays.

A unit is what an answer is about: an image, or one atom of its prompt. The answers about a unit
stand in slots, first, second, third, and not in a column for each person: a crowd of thousands
takes no more room than the few people who answered about each image.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np

from annotations.models import Annotation, Answer, Study
from audit.reports.pairing import family_codes
from jurybox_formats.forms import marks
from jurybox_formats.forms.scales import CANT_TELL

CHUNK = 20_000
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Forms:
    """Every submitted form that counts, one entry each."""

    key: np.ndarray  # ascending
    rater: np.ndarray  # a membership's key
    image: np.ndarray
    prompt: np.ndarray  # a code as of `People.prompts`
    generator: np.ndarray  # a code, in the order of `generators`
    seconds: np.ndarray  # nan where no time was recorded
    moment: np.ndarray  # seconds since 1970; inf where only the time of an import is known
    generators: tuple[str, ...]  # by name
    language: np.ndarray  # in which it was asked; empty for the form's own words


@dataclass(frozen=True, slots=True)
class QuestionAnswers:
    """The answers to one question, one entry each."""

    rater: np.ndarray
    unit: np.ndarray
    value: np.ndarray  # texts as codes
    moment: np.ndarray
    prompt_of_unit: np.ndarray
    generator_of_unit: np.ndarray
    is_number: bool
    # Language -> how many answers were asked in it.
    languages: dict[str, int]

    @property
    def units(self) -> int:
        return self.prompt_of_unit.size

    def slots(self) -> tuple[np.ndarray, np.ndarray]:
        """Slots × units: the first, second, … answer about each unit, nan where there is none; and
        who gave it."""
        order = np.argsort(self.unit, kind="stable")
        unit = self.unit[order]
        place = np.arange(unit.size) - np.searchsorted(unit, unit)
        shape = (int(place.max()) + 1, self.units)
        values, raters = np.full(shape, np.nan), np.full(shape, NOBODY)
        values[place, unit] = self.value[order]
        raters[place, unit] = self.rater[order]
        return values, raters

    def by_person(self, people: Sequence[int]) -> np.ndarray:
        """These people × units, nan where there is no answer."""
        raters, code = np.unique(self.rater, return_inverse=True)
        rows = {pk: row for row, pk in enumerate(people)}
        place = np.array([rows.get(pk, NOBODY) for pk in raters.tolist()])[code]
        values = np.full((len(people), self.units), np.nan)
        listed = place != NOBODY
        values[place[listed], self.unit[listed]] = self.value[listed]
        return values


def forms_of(study: Study) -> Forms:
    rows = (
        Annotation.objects.filter(study=study, state=Annotation.State.COUNTED)
        .order_by("pk")
        .values_list(
            "pk",
            "annotator_id",
            "image_id",
            "image__prompt__key",
            "image__generator__name",
            "image__prompt__family",
            "seconds",
            "submitted_at",
            "created_at",
            "language",
        )
    )
    entries = [
        (*told, np.nan if seconds is None else seconds, _moment(given, stored), asked_in)
        for *told, seconds, given, stored, asked_in in rows.iterator(chunk_size=CHUNK)
    ]
    columns: list[Sequence[Any]] = [*zip(*entries, strict=True)] or [()] * 9
    generators = tuple(sorted(set(columns[4])))
    family_of = dict(zip(columns[3], columns[5], strict=True))
    families = family_codes([family_of[key] for key in sorted(family_of)])
    for place in (3, 4):
        code = {key: at for at, key in enumerate(sorted(set(columns[place])))}
        columns[place] = [code[key] for key in columns[place]]
    key, rater, image, prompt, generator = (np.array(c, dtype=np.int64) for c in columns[:5])
    prompt = prompt if families is None else families[prompt]
    seconds, moment = (np.array(column, dtype=float) for column in columns[6:8])
    language = np.array(columns[8], dtype=str)
    return Forms(key, rater, image, prompt, generator, seconds, moment, generators, language)


def _moment(given: datetime, stored: datetime) -> float:
    """An import without times writes one moment for both; an answer is given before it is stored."""
    return np.inf if given == stored else given.timestamp()


def answers_of(
    study: Study, forms: Forms
) -> tuple[dict[str, QuestionAnswers], dict[str, dict[str, int]]]:
    """Question -> its answers, in one query; and question -> how many of them (`of`) are "can't
    tell" (`n`), which is no value and is in no array."""
    rows = (
        Answer.objects.filter(annotation__study=study, annotation__state=Annotation.State.COUNTED)
        .order_by()
        .values_list("question", "annotation_id", "atom_id", "value", "text")
    )
    columns: dict[str, tuple[list, list, list]] = {}
    unsure: dict[str, int] = {}
    for question, form, atom, value, text in rows.iterator(chunk_size=CHUNK):
        if text == CANT_TELL:
            unsure[question] = unsure.get(question, 0) + 1
            continue
        if marks.are_in(text):
            continue
        keys, atoms, values = columns.setdefault(question, ([], [], []))
        keys.append(form)
        atoms.append(atom or 0)
        values.append(text if value is None else value)
    answered = {question: _question_answers(forms, *parts) for question, parts in columns.items()}
    cannot_tell = {
        question: {"n": n, "of": n + len(columns.get(question, ((),))[0])}
        for question, n in sorted(unsure.items())
    }
    return answered, cannot_tell


def _question_answers(forms: Forms, keys: list, atoms: list, values: list) -> QuestionAnswers:
    key, part = np.array(keys, dtype=np.int64), np.array(atoms, dtype=np.int64)
    place = np.minimum(np.searchsorted(forms.key, key), forms.key.size - 1)
    # A form submitted between the two queries is left for the next time.
    known = forms.key[place] == key
    value, is_number = _as_numbers(values)
    # The database returns rows in any order; the arrays are in the order of forms and atoms.
    order = np.lexsort((part, key))
    order = order[known[order]]
    place, part, value = place[order], part[order], value[order]
    images, image = np.unique(forms.image[place], return_inverse=True)
    names, atom = np.unique(part, return_inverse=True)
    _, first, unit = np.unique(image * names.size + atom, return_index=True, return_inverse=True)
    return QuestionAnswers(
        rater=forms.rater[place],
        unit=unit,
        value=value,
        moment=forms.moment[place],
        prompt_of_unit=forms.prompt[place][first],
        generator_of_unit=forms.generator[place][first],
        is_number=is_number,
        languages=_count_languages(forms.language[place]),
    )


def _count_languages(language: np.ndarray) -> dict[str, int]:
    names, counts = np.unique(language, return_counts=True)
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def _as_numbers(values: list) -> tuple[np.ndarray, bool]:
    if not any(isinstance(value, str) for value in values):
        return np.array(values, dtype=float), True
    codes = {name: code for code, name in enumerate(sorted({str(value) for value in values}))}
    return np.array([codes[str(value)] for value in values], dtype=float), False
