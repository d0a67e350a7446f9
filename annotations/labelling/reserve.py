"""The images that come after the one in hand, leased ahead: their forms wait in the browser, so that a
person goes on labelling while the connection is gone.

A reserve keeps images from other people, so it is small, never more than half of what is left when
shared by all who are at work, and it ends with the page: reserved images are renewed together and
given back together.
"""

from __future__ import annotations

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet

from annotations.database.deadlocks import begins_again
from annotations.database.leases import lease_end
from annotations.database.prepared import insert
from annotations.labelling import assign
from annotations.labelling.image_order import Walk
from annotations.labelling.queries import progress
from annotations.models import Assignment, Image, Membership


@begins_again
@transaction.atomic
def keep_reserve(*, annotator: Membership) -> list[Image]:
    """Renew what this person holds and fill up their reserve, or take back what is too much of it.
    Returns its images in the order in which they come."""
    assign.lock(annotator)
    study, walk = annotator.study, Walk(annotator)
    held = Assignment.objects.filter(annotator=annotator, state__in=Assignment.HELD)
    until = lease_end(assign.lease_length(study))
    in_hand = held.filter(state=Assignment.State.LEASED).update(leased_until=until)
    mine = Assignment.objects.filter(annotator=annotator, state=Assignment.State.RESERVED)
    reserved = set(mine.order_by().values_list("image_id", flat=True))
    walk.reserve = [image for image in walk.reserve if image in reserved]
    may_go_on = in_hand and study.is_open and not annotator.must_practise
    size = _size(annotator) if may_go_on else 0
    if len(walk.reserve) > size:
        assign.give_back(mine.filter(image__in=walk.reserve[size:]).select_related("image"), walk)
    elif len(walk.reserve) < size:
        _fill(annotator, walk, size)
    walk.save()
    held.update(leased_until=until)
    return _in_order(walk.reserve)


def with_prompts(images: list[Image]) -> list[Image]:
    """For their forms, which most pages have already."""
    rows = Image.objects.select_related("prompt").prefetch_related("prompt__atoms")
    return _in_order([image.pk for image in images], rows)


def _in_order(keys: list[int], rows: QuerySet[Image] | None = None) -> list[Image]:
    rows = Image.objects.all() if rows is None else rows
    found = rows.order_by().in_bulk(keys)
    return [found[key] for key in keys if key in found]


def _size(annotator: Membership) -> int:
    study = annotator.study
    in_hand = Assignment.objects.filter(study=study, state=Assignment.State.LEASED)
    size = min(settings.LABEL_RESERVE, progress(annotator).left // (2 * max(1, in_hand.count())))
    if annotator.quota is None:
        return size
    return max(0, min(size, annotator.quota - assign.answered_by(annotator) - 1))


def _fill(annotator: Membership, walk: Walk, size: int) -> None:
    rows = []
    until = lease_end(assign.lease_length(annotator.study))
    for _ in range(size - len(walk.reserve)):
        candidate = walk.next()
        if candidate is None:
            break
        # Inserted at once: the walk passes over what the person has.
        row = Assignment(
            study=annotator.study,
            image_id=candidate.image_id,
            annotator=annotator,
            state=Assignment.State.RESERVED,
            leased_until=until,
        )
        insert(row)
        rows.append(row)
    # Always in the same order, so that two transactions never wait for each other.
    by_image = sorted(rows, key=lambda row: row.image_id)
    full = {
        row.pk
        for row in by_image
        if not assign.take_place(image=row.image_id, study=annotator.study)
    }
    if full:
        Assignment.objects.filter(pk__in=full).delete()
    walk.reserve += [row.image_id for row in rows if row.pk not in full]
