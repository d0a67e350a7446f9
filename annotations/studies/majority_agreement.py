"""Each person's answers compared with the majority of the other people's."""

from __future__ import annotations

import numpy as np

from annotations.consensus import leading_among_others
from annotations.database.columns import blocks
from annotations.models import Annotation, Answer, Study
from annotations.studies.share import Share
from jurybox_formats.forms import marks
from jurybox_formats.forms.scales import CANT_TELL

COLUMNS = (
    "annotation__annotator_id",
    "annotation__image_id",
    "annotation__state",
    "atom_id",
    "question",
    "value",
    "text",
)


def agreement_with_majority(study: Study) -> dict[int, Share]:
    """membership -> how often this person's answer is that of most others.

    Their own answer is left out of the majority: with three people it would be a third of it. Where
    the others are tied, the answer is not counted. Answers that were set aside are compared, but
    have no vote. "Can't tell" and marks on the image are neither compared
    nor votes.
    """
    rows = (
        Answer.objects.filter(annotation__study=study)
        .exclude(annotation__state=Annotation.State.WITHDRAWN)
        .order_by()
    )
    # Questions, values and texts only need to be distinguished, so each gets a number.
    questions: dict[str, int] = {}
    values: dict[float | str, int] = {}
    found = [np.empty((6, 0), dtype=np.int64)]
    for block in blocks(rows, *COLUMNS):
        compared = [row for row in block if not _is_left_out(row[-1])]
        if not compared:
            continue
        people, images, states, atoms, asked, given, texts = zip(*compared, strict=True)
        found.append(
            np.array(
                [
                    people,
                    images,
                    [state == Annotation.State.COUNTED for state in states],
                    [atom or 0 for atom in atoms],
                    [questions.setdefault(question, len(questions)) for question in asked],
                    [
                        values.setdefault(text if value is None else value, len(values))
                        for value, text in zip(given, texts, strict=True)
                    ],
                ],
                dtype=np.int64,
            )
        )
    person, image, counted, atom, question, value = np.concatenate(found, axis=1)
    if not person.size:
        return {}
    units = _number(image, atom, question)
    expected = leading_among_others(units, value, counted.astype(bool))
    members, who = np.unique(person, return_inverse=True)
    right = np.bincount(who, weights=expected == value)
    of = np.bincount(who, weights=expected >= 0)
    return {
        int(member): Share(int(r), int(n)) for member, r, n in zip(members, right, of, strict=True)
    }


def _is_left_out(text: str) -> bool:
    return bool(text) and (text == CANT_TELL or marks.are_in(text))


def _number(*columns: np.ndarray) -> np.ndarray:
    """Rows that are alike in all columns get one number."""
    numbers = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        names, codes = np.unique(column, return_inverse=True)
        numbers = np.unique(numbers * names.size + codes, return_inverse=True)[1]
    return numbers
