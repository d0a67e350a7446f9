"""Saves an answer and leases the next image by one statement, which is a transaction by itself.

PostgreSQL lives in another process: each statement wakes it up and waits for it, and for an answer in
steps there are a dozen (docs/decisions/0003). What is usual goes this way: the image in hand is
answered for the first time, and the next one has a place free. First the rows that change are locked,
if they are still as they were read; whatever is written asks whether that found them. So all of it is
written or nothing, and then the steps say why.

SQLite knows no such statement, and needs none: it runs in this process.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from django.db import connection
from django.db.models.expressions import RawSQL

from annotations.database.leases import lease_end
from annotations.database.prepared import Part, Prepared, inserted, insertion
from annotations.labelling import order_sql
from annotations.labelling.answer_sql import (
    ANSWER_THE_LEASE,
    FROM_RESERVE,
    INSERT_ANSWERS,
    KNOWN,
    TAKE,
    AnswerRow,
)
from annotations.labelling.assign import lease_length
from annotations.labelling.image_order import Walk
from annotations.models import Annotation, Assignment, Image, Membership

# With the conditions of the statements below: whoever changes one of these rows meanwhile has to wait,
# and what somebody has changed until now is seen.
READY = """
    ready AS (
        SELECT person.id
        FROM annotations_membership AS person
        JOIN annotations_study AS study ON study.id = person.study_id
        JOIN annotations_assignment AS held ON held.annotator_id = person.id
        JOIN {next}
        WHERE person.id = %s AND person.walk = %s AND study.deleted_at IS NULL
          AND held.image_id = %s AND held.state = 'leased' AND NOT EXISTS ({known})
        FOR NO KEY UPDATE OF person, held, next)"""
NEXT_OF_ALL = """
    annotations_image AS next ON next.id = %s AND (next.taken < %s OR next.gold IS NOT NULL)"""
NEXT_IN_RESERVE = """
    annotations_assignment AS next
    ON next.image_id = %s AND next.annotator_id = person.id AND next.state = 'reserved'"""
IF_READY = "AND EXISTS (SELECT 1 FROM ready)"
# Only then does this person hold no other image.
IF_ANSWERED = "AND EXISTS (SELECT 1 FROM answered)"
# A list for each column, so that the statement is the same for every form.
ANSWERS = f"""{INSERT_ANSWERS}
    SELECT kept.id, said.* FROM kept, unnest(
        %s::text[], %s::bigint[], %s::double precision[], %s::text[]) AS said"""  # noqa: S608
# With the key of the lease, where it was given.
LEASED = Prepared(
    lambda mark: (
        Image.objects.order_by()
        .filter(pk=mark("image"))
        .annotate(lease=RawSQL("SELECT id FROM lease", []))
        .select_related("prompt")
    )
)


def is_usual(annotator: Membership) -> bool:
    """Whether nothing is to be counted before this person gets another image."""
    postgresql = connection.vendor == "postgresql"
    return postgresql and annotator.quota is None and not annotator.must_practise


def save_and_lease(annotation: Annotation, answers: Sequence[AnswerRow]) -> Assignment | None:
    """The lease of the next image; None if nothing was written. Needs no lock on the person's row."""
    annotator, study = annotation.annotator, annotation.study
    as_read, walk = json.dumps(annotator.walk), Walk(annotator)
    lease = Assignment(
        study=study, annotator=annotator, leased_until=lease_end(lease_length(study))
    )
    in_reserve = bool(walk.reserve)
    if in_reserve:
        lease.image_id = walk.reserve.pop(0)
    elif candidate := walk.next():
        lease.image_id = candidate.image_id
    else:
        return None
    walked = walk.state()
    steps = (
        *_saved(annotation, answers, as_read, *_next(lease, in_reserve)),
        (f"walked AS ({order_sql.SAVE} {IF_READY})", [json.dumps(walked), annotator.pk]),
        *_leased(lease, in_reserve),
    )
    image = LEASED.first(
        image=lease.image_id,
        after=(
            f"WITH {', '.join(sql for sql, _ in steps)} ",
            [value for _, values in steps for value in values],
        ),
    )
    if image is None or image.lease is None:
        return None
    annotator.walk, lease.image = walked, image
    inserted(lease, image.lease)
    return lease


def _saved(
    annotation: Annotation,
    answers: Sequence[AnswerRow],
    walk: str,
    following: str,
    next_values: list,
) -> Iterator[Part]:
    image, person = annotation.image_id, annotation.annotator_id
    known, asked = KNOWN.part(submission=annotation.submission, image=image, person=person)
    as_read = [*next_values, person, walk, image, *asked]
    yield READY.format(next=following, known=known), as_read
    yield f"answered AS ({ANSWER_THE_LEASE} {IF_READY} RETURNING id)", [image, person, "leased"]
    row, values = insertion(annotation)
    yield f"kept AS ({row} FROM ready RETURNING id)", values
    said = [[answer[column] for answer in answers] for column in range(len(AnswerRow._fields))]
    yield f"said AS ({ANSWERS})", said


def _next(lease: Assignment, in_reserve: bool) -> tuple[str, list]:
    if in_reserve:
        return NEXT_IN_RESERVE, [lease.image_id]
    return NEXT_OF_ALL, [lease.image_id, lease.study.overlap]


def _leased(lease: Assignment, in_reserve: bool) -> Iterator[Part]:
    if in_reserve:
        given = [lease.leased_until, lease.image_id, lease.annotator_id]
        yield f"lease AS ({FROM_RESERVE} {IF_ANSWERED} RETURNING id)", given
        return
    yield f"taken AS ({TAKE} {IF_READY})", [lease.image_id, lease.study.overlap]
    row, values = insertion(lease)
    yield f"lease AS ({row} FROM answered RETURNING id)", values
