"""Counts what people say about each image, so that the data browser can filter a hundred thousand.

Answering writes nothing here. The rows are brought up to date when somebody filters by them
(`audit.questions.tally`). Only rows that differ are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter

from django.db import transaction
from django.db.models import Count

from annotations.models import Annotation, Answer, Image, Study
from annotations.stored_answers.question import Question
from audit.models import Tally
from jurybox_formats.forms.scales import CANT_TELL

IMAGES = 2_000  # in a transaction

# question -> (people, mean, split, cannot tell)
Row = tuple[int, float | None, float | None, int]


def update_rows(study: Study) -> int:
    """How many were written or removed."""
    images = Image.objects.filter(study=study).order_by("pk")
    changed, last = 0, 0
    while chunk := list(images.filter(pk__gt=last).values_list("pk", flat=True)[:IMAGES]):
        changed += _keep_some(study, chunk[0], chunk[-1])
        last = chunk[-1]
    return changed


@transaction.atomic
def _keep_some(study: Study, first: int, last: int) -> int:
    counted = dict(_count_answers(study, first, last))
    stored = {
        (tally.image_id, tally.question): tally
        for tally in Tally.objects.filter(study=study, image__gte=first, image__lte=last)
    }
    gone = [tally.pk for place, tally in stored.items() if place not in counted]
    fresh, moved = [], []
    for place, row in counted.items():
        made = Tally(
            study=study,
            image_id=place[0],
            question=place[1],
            **dict(zip(FIELDS, row, strict=True)),
        )
        there = stored.get(place)
        if there is None:
            fresh.append(made)
        elif tuple(getattr(there, name) for name in FIELDS) != row:
            made.pk = there.pk
            moved.append(made)
    Tally.objects.filter(pk__in=gone).delete()
    Tally.objects.bulk_create(fresh, batch_size=500, ignore_conflicts=True)
    Tally.objects.bulk_update(moved, FIELDS, batch_size=200)
    return len(gone) + len(fresh) + len(moved)


TALLY = Question(
    name="tally",
    compute=lambda study, parameters: {"changed": update_rows(study)},
)
FIELDS = ("people", "mean", "split", "cannot_tell")


def _count_answers(study: Study, first: int, last: int) -> Iterator[tuple[tuple[int, str], Row]]:
    rows = (
        Answer.objects.filter(
            annotation__image__gte=first,
            annotation__image__lte=last,
            annotation__study=study,
            annotation__state=Annotation.State.COUNTED,
        )
        .values_list("annotation__image_id", "question", "atom_id", "value", "text")
        .annotate(n=Count("pk"))
        .order_by("annotation__image_id", "question", "atom_id")
    )
    for place, given in groupby(rows.iterator(chunk_size=5000), itemgetter(0, 1)):
        yield place, _folded([tuple(row[2:]) for row in given])


def _folded(given: list[tuple]) -> Row:
    """(atom, value, text, how many) of one image and question."""
    people = cannot_tell = 0
    total, numbers = 0.0, 0
    alike = pairs = 0
    for _, of_unit in groupby(given, itemgetter(0)):
        sizes = []
        for _, value, text, n in of_unit:
            if value is None and text == CANT_TELL:
                cannot_tell += n
                continue
            sizes.append(n)
            if value is not None:
                total, numbers = total + value * n, numbers + n
        there = sum(sizes)
        people = max(people, there)
        pairs += there * (there - 1) // 2
        alike += sum(n * (n - 1) // 2 for n in sizes)
    mean = total / numbers if numbers else None
    return people, mean, 1 - alike / pairs if pairs else None, cannot_tell
