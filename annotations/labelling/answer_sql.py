"""The SQL by which an answer is saved and the next image leased: in steps (`record`, `assign`), and on
PostgreSQL at once (`at_once`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Value

from annotations.database.prepared import Prepared, execute
from annotations.models import Annotation, Revision

INSERT_ANSWERS = """
    INSERT INTO annotations_answer (annotation_id, question, atom_id, value, text)"""


class AnswerRow(NamedTuple):
    question: str
    atom_id: int | None
    value: float | None
    text: str


def insert_answers(annotation: int, rows: Sequence[AnswerRow]) -> None:
    """Half of what objects of the model cost."""
    if rows:
        marks = ", ".join(["(%s, %s, %s, %s, %s)"] * len(rows))
        values = [value for row in rows for value in (annotation, *row)]
        execute(f"{INSERT_ANSWERS} VALUES {marks}", *values)


# Finds in one query (annotation, 1) if this submission was saved before, also if it was corrected
# since, and (annotation, 0) if this person has answered for the image. Usually there is no row.
KNOWN = Prepared(
    lambda mark: (
        Annotation.objects.order_by()
        .filter(submission=mark.uuid("submission"))
        .values_list("pk", Value(1))
        .union(
            Revision.objects.order_by()
            .filter(submission=mark.uuid("submission"))
            .values_list("annotation", Value(1)),
            Annotation.objects.order_by()
            .filter(image=mark("image"), annotator=mark("person"))
            .values_list("pk", Value(0)),
            all=True,
        )
    )
)
ANSWER_THE_LEASE = """
    UPDATE annotations_assignment SET state = 'answered', leased_until = NULL
    WHERE image_id = %s AND annotator_id = %s AND state = %s"""
FROM_RESERVE = """
    UPDATE annotations_assignment SET state = 'leased', leased_until = %s
    WHERE image_id = %s AND annotator_id = %s AND state = 'reserved'"""
TAKE = """
    UPDATE annotations_image SET taken = taken + 1
    WHERE id = %s AND (taken < %s OR gold IS NOT NULL)"""
