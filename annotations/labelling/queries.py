"""What the label pages show: progress, the image in hand, earlier answers. Only reads."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from annotations.database.prepared import Prepared, ask
from annotations.labelling import order_sql as sql
from annotations.labelling.image_order import Walk, part_of
from annotations.models import Annotation, Answer, Assignment, Image, Membership

# Above this an exact count helps nobody, and PostgreSQL would read every row for it.
COUNTED_UP_TO = 300


@dataclass(frozen=True, slots=True)
class Progress:
    """How many images one person has answered, and how many are left (`more`: at least so many)."""

    mine: int
    left: int
    more: bool = False

    @property
    def mine_total(self) -> int:
        return self.mine + self.left


def progress(annotator: Membership) -> Progress:
    """Goes on by one with every image, also one with known answers: nothing tells which those are."""
    counted = _count_progress(annotator)
    if annotator.quota is None:
        return counted
    theirs = max(0, annotator.quota - counted.mine)
    if counted.more and theirs > counted.left:
        return counted
    return Progress(counted.mine, min(counted.left, theirs))


def _count_progress(annotator: Membership) -> Progress:
    """Counted with every answer, and the count stops at COUNTED_UP_TO.

    Images that nobody has seen yet are left for every person, and an index counts them. Only when
    few of those remain, this person's own images are looked up as well.
    """
    if annotator.study.given_alone or annotator.group_id:
        return _counted_in_part(annotator)
    person, study, overlap = annotator.pk, annotator.study_id, annotator.study.overlap
    [(mine, passed, fresh)] = ask(FRESH, [person, person, study, COUNTED_UP_TO + 1])
    if fresh - passed > COUNTED_UP_TO:
        return Progress(mine, COUNTED_UP_TO, more=True)
    [(left,)] = ask(LEFT, [study, overlap, overlap, overlap, person])
    return Progress(mine, left + Walk(annotator).known_to_come(left))


def _counted_in_part(annotator: Membership) -> Progress:
    """The same for people who get a part of the images: of their group, or of a draw."""
    person, study = annotator.pk, annotator.study
    group = annotator.group if annotator.group_id else None
    if study.given_alone:
        images = sql.INSIDE.format(selection=int(study.given_alone)) + part_of(annotator)
    else:
        assert group is not None
        images = (sql.INSIDE if group.inside else sql.OUTSIDE).format(
            selection=int(group.selection_id)
        )
    asked = [person, person, study.pk, study.overlap, person, COUNTED_UP_TO + 1]
    [(mine, held, free)] = ask(sql.IN_PART.format(images=images), asked)
    if free > COUNTED_UP_TO:
        return Progress(mine, COUNTED_UP_TO, more=True)
    return Progress(mine, held + free + Walk(annotator).known_to_come(held + free))


FRESH = """
    SELECT (SELECT COUNT(*) FROM annotations_assignment
            WHERE annotator_id = %s AND state = 'answered'),
           (SELECT COUNT(*) FROM annotations_assignment
            WHERE annotator_id = %s AND state = 'skipped'),
           (SELECT COUNT(*) FROM (
                SELECT 1 FROM annotations_image
                WHERE study_id = %s AND taken = 0 AND NOT (file = '') AND gold IS NULL
                LIMIT %s) AS fresh)"""
# One look-up by key for each image the person had: with a join, PostgreSQL may read all images
# instead, and with the condition of a partial index here, all of that index for each image.
# A known image is left while they hold it; it is not among those counted first, as if it were full.
LEFT = """
    SELECT (SELECT COUNT(*) FROM annotations_image
            WHERE study_id = %s AND taken < %s
              AND NOT (file = '') AND gold IS NULL)
         + (SELECT COALESCE(SUM(CASE WHEN state IN ('leased', 'reserved')
                                     THEN CASE WHEN taken >= %s THEN 1 ELSE 0 END
                                     WHEN taken < %s THEN -1
                                     ELSE 0 END), 0)
            FROM (SELECT had.state,
                         (SELECT CASE WHEN met.file = '' THEN NULL
                                      WHEN met.gold IS NULL THEN met.taken ELSE 32767 END
                          FROM annotations_image AS met WHERE met.id = had.image_id) AS taken
                  FROM annotations_assignment AS had
                  WHERE had.annotator_id = %s) AS own)"""


def last_answered(annotator: Membership) -> Annotation | None:
    return (
        Annotation.objects.filter(annotator=annotator, state=Annotation.State.COUNTED)
        .select_related("image__prompt")
        .order_by("-submitted_at", "-pk")
        .first()
    )


LAST = Prepared(
    lambda mark: (
        Annotation.objects.filter(annotator=mark("person"))
        .exclude(state=Annotation.State.WITHDRAWN)
        # As in the index of a person's answers: by id, those of all people are looked through.
        .order_by("-submitted_at")
        .values_list("image__public_id")[:1]
    )
)


def last_public_id(annotator: Membership) -> str:
    """The image this person answered last, for the Back button; empty if there is none."""
    return LAST.first(person=annotator.pk) or ""


def held_assignment(annotator: Membership) -> Assignment | None:
    """The image this person holds now. Does not give them one."""
    return (
        Assignment.objects.filter(annotator=annotator, state=Assignment.State.LEASED)
        .select_related("image")
        .first()
    )


def answers_of(annotator: Membership) -> QuerySet[Annotation]:
    """A person's own annotations with their answers, newest first."""
    return (
        Annotation.objects.filter(annotator=annotator)
        .exclude(state=Annotation.State.WITHDRAWN)
        .select_related("image__prompt", "form")
        .prefetch_related("answers__atom")
        .order_by("-submitted_at", "-pk")
    )


def own_answer(annotator: Membership, public_id: str) -> Annotation | None:
    return (
        Annotation.objects.filter(annotator=annotator, image__public_id=public_id)
        .exclude(state=Annotation.State.WITHDRAWN)
        .select_related("image__prompt")
        .first()
    )


def neighbours(annotation: Annotation) -> dict[str, str]:
    """The images this person answered just before and just after this one."""
    others = (
        Annotation.objects.filter(annotator=annotation.annotator_id)
        .exclude(state=Annotation.State.WITHDRAWN)
        .values_list("image__public_id", flat=True)
    )
    return {
        "before": others.filter(pk__lt=annotation.pk).order_by("-pk").first() or "",
        "after": others.filter(pk__gt=annotation.pk).order_by("pk").first() or "",
    }


EARLIER = Prepared(
    lambda mark: (
        Answer.objects.filter(annotation__annotator=mark("person"), annotation__image=mark("image"))
        .order_by()
        .values_list("question", "atom__index", "value", "text")
    )
)


def earlier_answers(annotator: Membership, image: Image) -> dict[str, float | str]:
    """This person's answers about this image, to fill the form when they correct it."""
    return {
        name if index is None else f"{name}.{index}": text if value is None else value
        for name, index, value, text in EARLIER.all(person=annotator.pk, image=image.pk)
    }
