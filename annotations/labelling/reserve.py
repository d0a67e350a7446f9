"""The images that come after the one in hand, leased ahead: their forms wait in the browser, so that a
person goes on labelling while the connection is gone.

A reserve keeps images from other people, so it is small, never more than half of what is left when
shared by all who are at work, and it ends with the page: reserved images are renewed together and
given back together.
"""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from annotations.database.leases import lease_end
from annotations.database.prepared import insert
from annotations.labelling import assign
from annotations.labelling.image_order import Walk
from annotations.labelling.queries import progress
from annotations.models import Assignment, Image, Membership


@transaction.atomic
def keep_reserve(*, annotator: Membership) -> list[Image]:
    """Renew what this person holds and fill up their reserve, or take back what is too much of it.
    Returns its images in the order in which they come."""
    assign.lock(annotator)
    study, walk = annotator.study, Walk(annotator)
    held = Assignment.objects.filter(annotator=annotator, state__in=Assignment.HELD)
    until = lease_end(assign.lease_length(study))
    in_hand = held.filter(state=Assignment.State.LEASED).update(leased_until=until)
    reserved = {row.image_id: row for row in _reserved(annotator)}
    walk.reserve = [image for image in walk.reserve if image in reserved]
    may_go_on = in_hand and study.is_open and not annotator.must_practise
    size = _size(annotator) if may_go_on else 0
    if len(walk.reserve) > size:
        assign.give_back([reserved[image] for image in walk.reserve[size:]], walk)
    elif len(walk.reserve) < size:
        _fill(annotator, walk, size)
    walk.save()
    held.update(leased_until=until)
    reserved = {row.image_id: row for row in _reserved(annotator)}
    return [reserved[image].image for image in walk.reserve]


def _reserved(annotator: Membership) -> list[Assignment]:
    rows = Assignment.objects.filter(annotator=annotator, state=Assignment.State.RESERVED)
    return list(rows.select_related("image__prompt").prefetch_related("image__prompt__atoms"))


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
