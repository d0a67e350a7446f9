"""The answers of a study that count, as arrays: for what concerns people and no judge.

Which person gave an answer, in which order, matters little here: a thing that was judged (an image,
or one atom of its prompt) has its answers in slots, so a crowd of thousands takes no more room than
the few who answered each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from annotations.models import Annotation, Answer, Study

CHUNK = 20_000
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Forms:
    """Every form that was sent in and counts, one entry each."""

    key: np.ndarray  # ascending
    rater: np.ndarray  # a membership's key
    image: np.ndarray
    prompt: np.ndarray
    seconds: np.ndarray  # nan where nobody took the time
    moment: np.ndarray  # seconds since 1970


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to one question, one entry each; `unit` is what an answer is about."""

    rater: np.ndarray
    unit: np.ndarray
    value: np.ndarray  # a text is a code: its name says nothing
    moment: np.ndarray
    prompt_of_unit: np.ndarray
    is_number: bool

    @property
    def units(self) -> int:
        return self.prompt_of_unit.size

    def slots(self) -> tuple[np.ndarray, np.ndarray]:
        """Slots × units: the first, second, … answer about each, nan where there is none; and
        who gave it."""
        order = np.argsort(self.unit, kind="stable")
        unit = self.unit[order]
        place = np.arange(unit.size) - np.searchsorted(unit, unit)
        shape = (int(place.max()) + 1, self.units)
        values, raters = np.full(shape, np.nan), np.full(shape, NOBODY)
        values[place, unit] = self.value[order]
        raters[place, unit] = self.rater[order]
        return values, raters


def forms_of(study: Study) -> Forms:
    rows = (
        Annotation.objects.filter(study=study, state=Annotation.State.COUNTED)
        .order_by("pk")
        .values_list(
            "pk", "annotator_id", "image_id", "image__prompt_id", "seconds", "submitted_at"
        )
    )
    found = [
        (*keys, np.nan if seconds is None else seconds, moment.timestamp())
        for *keys, seconds, moment in rows.iterator(chunk_size=CHUNK)
    ]
    columns = list(zip(*found, strict=True)) or [()] * 6
    return Forms(
        *(np.array(column, dtype=np.int64) for column in columns[:4]),
        *(np.array(column, dtype=float) for column in columns[4:]),
    )


def answers_of(study: Study, forms: Forms) -> dict[str, Answered]:
    """Question -> its answers. One query, whatever there is."""
    rows = (
        Answer.objects.filter(annotation__study=study, annotation__state=Annotation.State.COUNTED)
        .order_by()
        .values_list("question", "annotation_id", "atom_id", "value", "text")
    )
    found: dict[str, tuple[list, list, list]] = {}
    for question, form, atom, value, text in rows.iterator(chunk_size=CHUNK):
        keys, atoms, values = found.setdefault(question, ([], [], []))
        keys.append(form)
        atoms.append(atom or 0)
        values.append(text if value is None else value)
    return {question: _answered(forms, *parts) for question, parts in found.items()}


def _answered(forms: Forms, keys: list, atoms: list, values: list) -> Answered:
    key, part = np.array(keys, dtype=np.int64), np.array(atoms, dtype=np.int64)
    place = np.minimum(np.searchsorted(forms.key, key), forms.key.size - 1)
    # A form that came between the two queries is the next reading's.
    known = forms.key[place] == key
    value, is_number = _as_numbers(values)
    # The database gives rows in any order; the same answers are the same arrays.
    order = np.lexsort((part, key))
    order = order[known[order]]
    place, part, value = place[order], part[order], value[order]
    images, image = np.unique(forms.image[place], return_inverse=True)
    names, atom = np.unique(part, return_inverse=True)
    _, first, unit = np.unique(image * names.size + atom, return_index=True, return_inverse=True)
    return Answered(
        rater=forms.rater[place],
        unit=unit,
        value=value,
        moment=forms.moment[place],
        prompt_of_unit=forms.prompt[place][first],
        is_number=is_number,
    )


def _as_numbers(values: list) -> tuple[np.ndarray, bool]:
    if not any(isinstance(value, str) for value in values):
        return np.array(values, dtype=float), True
    codes = {name: code for code, name in enumerate(sorted({str(value) for value in values}))}
    return np.array([codes[str(value)] for value in values], dtype=float), False
