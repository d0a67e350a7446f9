"""What the pages of this app show: read, never written."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count

from annotations.database.prepared import Prepared, ask
from annotations.models import Annotation, Answer, Assignment, Image, Membership, Study

# Beyond it nobody needs to know exactly, and PostgreSQL would look into each row for every answer.
COUNTED_UP_TO = 300


@dataclass(frozen=True, slots=True)
class StudyCounts:
    prompts: int
    images: int
    generators: int
    people: int
    annotations: int
    labelled: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one person is: answered, and how many are still left for them, or more than that."""

    mine: int
    left: int
    more: bool = False

    @property
    def mine_total(self) -> int:
        return self.mine + self.left


def memberships_of(user: AbstractBaseUser):
    return (
        Membership.objects.filter(user_id=user.pk)
        .select_related("study")
        .order_by("-study__created_at", "study__slug")
    )


def counts(study: Study) -> StudyCounts:
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED)
    return StudyCounts(
        prompts=study.prompts.count(),
        images=study.images.count(),
        generators=study.generators.count(),
        people=study.memberships.count(),
        annotations=counted.count(),
        labelled=counted.values("image").distinct().count(),
    )


def progress(annotator: Membership) -> Progress:
    """Counted, never remembered: exact, with a count that stops where it would get long.

    Images that nobody has met yet are left for this person whoever they are, and an index counts
    them. Only where few of these remain is it looked at which of the others they know already.
    """
    person, study, overlap = annotator.pk, annotator.study_id, annotator.study.overlap
    [(mine, passed, fresh)] = ask(FRESH, [person, person, study, COUNTED_UP_TO + 1])
    if fresh - passed > COUNTED_UP_TO:
        return Progress(mine, COUNTED_UP_TO, more=True)
    [(left,)] = ask(LEFT, [study, overlap, overlap, overlap, person])
    return Progress(mine, left)


FRESH = """
    SELECT (SELECT COUNT(*) FROM annotations_assignment
            WHERE annotator_id = %s AND state = 'answered'),
           (SELECT COUNT(*) FROM annotations_assignment
            WHERE annotator_id = %s AND state = 'skipped'),
           (SELECT COUNT(*) FROM (
                SELECT 1 FROM annotations_image
                WHERE study_id = %s AND taken = 0 AND NOT (file = '') AND gold IS NULL
                LIMIT %s) AS fresh)"""
# One look by key for each image they met: as a join, PostgreSQL may go through all images instead;
# with the words of a partial index among the conditions, through all of that index for each.
LEFT = """
    SELECT (SELECT COUNT(*) FROM annotations_image
            WHERE study_id = %s AND taken < %s
              AND NOT (file = '') AND gold IS NULL)
         + (SELECT COALESCE(SUM(CASE WHEN state = 'leased' AND taken >= %s THEN 1
                                     WHEN state <> 'leased' AND taken < %s THEN -1
                                     ELSE 0 END), 0)
            FROM (SELECT had.state,
                         (SELECT CASE WHEN NOT (met.file = '') AND met.gold IS NULL
                                 THEN met.taken END
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
        .order_by("-pk")
        .values_list("image__public_id")[:1]
    )
)


def last_public_id(annotator: Membership) -> str:
    """The image that was answered last, for the way back; nothing where none was."""
    return LAST.first(person=annotator.pk) or ""


def held(annotator: Membership) -> Assignment | None:
    """The image in this person's hands; nothing is given out for asking."""
    return (
        Assignment.objects.filter(annotator=annotator, state=Assignment.State.LEASED)
        .select_related("image")
        .first()
    )


def answers_of(annotator: Membership):
    """A person's own answers, newest first, with what they said."""
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
    """The images that this person answered before and after this one, in the order they came."""
    others = (
        Annotation.objects.filter(annotator=annotation.annotator_id)
        .exclude(state=Annotation.State.WITHDRAWN)
        .values_list("image__public_id", flat=True)
    )
    return {
        "before": others.filter(pk__lt=annotation.pk).order_by("-pk").first() or "",
        "after": others.filter(pk__gt=annotation.pk).order_by("pk").first() or "",
    }


SAID = Prepared(
    lambda mark: (
        Answer.objects.filter(annotation__annotator=mark("person"), annotation__image=mark("image"))
        .order_by()
        .values_list("question", "atom__index", "value", "text")
    )
)


def earlier_answers(annotator: Membership, image: Image) -> dict[str, float | str]:
    """What this person said about this image, to start from when they correct it."""
    return {
        name if index is None else f"{name}.{index}": text if value is None else value
        for name, index, value, text in SAID.all(person=annotator.pk, image=image.pk)
    }


def addresses(study_id: int, keys: set[str]) -> dict[str, str]:
    """key -> public address, of the images that have a file."""
    if not keys:
        return {}
    found = Image.objects.filter(study=study_id, key__in=keys).exclude(file="").order_by()
    return dict(found.values_list("key", "public_id"))


def missing_prompts(study: Study) -> list[str]:
    """Prompts that some generator has no image of: averages must not move in silence."""
    return list(
        study.prompts.annotate(made=Count("images__generator", distinct=True))
        .filter(made__lt=study.generators.count())
        .values_list("key", flat=True)
    )


def missing_images(study: Study) -> dict[str, list[str]]:
    """For each generator that made something: the prompts that it made nothing of."""
    keys = dict(study.prompts.values_list("pk", "key"))
    made: dict[str, set[int]] = {}
    pairs = study.images.order_by().values_list("generator__name", "prompt_id").distinct()
    for generator, prompt in pairs.iterator():
        made.setdefault(generator, set()).add(prompt)
    absent = {
        generator: sorted(keys[pk] for pk in keys.keys() - found)
        for generator, found in sorted(made.items())
    }
    return {generator: prompts for generator, prompts in absent.items() if prompts}
