"""Each person's answers compared with the majority of the other people's."""

from __future__ import annotations

import numpy as np

from annotations import marks
from annotations.consensus import leading_among_others
from annotations.models import Annotation, Answer, Study
from annotations.scales import CANT_TELL
from annotations.studies.share import Share


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
        .values_list(
            "annotation__annotator_id",
            "annotation__image_id",
            "question",
            "atom_id",
            "value",
            "text",
            "annotation__state",
        )
    )
    people: list[int] = []
    unit_of: list[int] = []
    value_of: list[int] = []
    counted: list[bool] = []
    units: dict[tuple[int, str, int | None], int] = {}
    values: dict[float | str, int] = {}
    for person, image, question, atom, value, text, state in rows.iterator(chunk_size=20_000):
        if text == CANT_TELL or marks.are_in(text):
            continue
        people.append(person)
        unit_of.append(units.setdefault((image, question, atom), len(units)))
        # Values and texts only need to be distinguished, so each gets a number.
        value_of.append(values.setdefault(text if value is None else value, len(values)))
        counted.append(state == Annotation.State.COUNTED)
    if not people:
        return {}
    given = np.array(value_of)
    expected = leading_among_others(np.array(unit_of), given, np.array(counted))
    members, who = np.unique(people, return_inverse=True)
    right = np.bincount(who, weights=expected == given)
    of = np.bincount(who, weights=expected >= 0)
    return {
        int(member): Share(int(r), int(n)) for member, r, n in zip(members, right, of, strict=True)
    }
