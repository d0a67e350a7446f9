"""Which image comes next for whom.

`Image.taken` counts the places of the study's overlap that are in use: live leases and answers. It
moves in the same transaction as the lease or the answer, with a condition in the UPDATE itself, so
that two people never get the last place.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from annotations.database.prepared import Prepared, ask, execute, insert
from annotations.labelling.image_order import Walk, seeded_place
from annotations.leases import ran_out
from annotations.models import Assignment, Image, Membership, Study

__all__ = ["next_image", "seeded_place", "take_place", "upcoming"]

TRIES = 20
LATELY = timedelta(seconds=10)


HELD = Prepared(
    lambda mark: (
        Assignment.objects.order_by()
        .filter(annotator=mark("person"), state=Assignment.State.LEASED)
        .select_related("image__prompt")
    )
)
IMAGE = Prepared(
    lambda mark: Image.objects.order_by().filter(pk=mark("image")).select_related("prompt")
)
WALK = Prepared(
    lambda mark: (
        Membership.objects.order_by()
        .select_for_update(no_key=True)
        .filter(pk=mark("person"))
        .values_list("walk")
    )
)
LEASES = """
    SELECT (SELECT id FROM annotations_assignment WHERE annotator_id = %s AND state = 'leased'),
           (SELECT id FROM annotations_assignment
            WHERE study_id = %s AND state = 'leased' AND leased_until < %s LIMIT 1)"""
TAKE = """
    UPDATE annotations_image SET taken = taken + 1
    WHERE id = %s AND (taken < %s OR gold IS NOT NULL)"""


@transaction.atomic(savepoint=False)
def next_image(*, annotator: Membership) -> Assignment | None:
    """The lease that this person holds, or a new one; None when nothing is left for them."""
    # Two tabs of one person wait for each other here: one person holds one image.
    lock(annotator)
    return next_in_turn(annotator)


def next_in_turn(annotator: Membership, *, empty_handed: bool = False) -> Assignment | None:
    """As `next_image`, for one whose turn it is: their row is locked.

    Leases that ran out are looked for when a page is opened, and before anybody hears that nothing
    is left; not with every answer. `empty_handed`: they have just answered for what they held.
    """
    study = annotator.study
    if not empty_handed:
        held = _held_still(annotator)
        if held:
            keep_lease(assignment=held, study=study)
            return held
    if not study.is_open or has_done_their_share(annotator):
        return None
    lease = _new_lease(annotator)
    if lease is None and release_expired(study=study):
        lease = _new_lease(annotator)
    return lease


def _held_still(annotator: Membership) -> Assignment | None:
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    [(own, expired)] = ask(LEASES, [annotator.pk, annotator.study_id, now])
    if expired:
        release_expired(study=annotator.study)
    return HELD.first(person=annotator.pk) if own else None


def _new_lease(annotator: Membership) -> Assignment | None:
    study, walk = annotator.study, Walk(annotator)
    for _ in range(TRIES):
        found = walk.next()
        if found is None:
            break
        image = IMAGE.first(image=found.image_id)
        if take_place(image=image, study=study):
            walk.save()
            lease = Assignment(
                study=study, image=image, annotator=annotator, leased_until=_lease_end(study)
            )
            insert(lease)
            return lease
    return None


def lock(annotator: Membership) -> None:
    """What one person sends and asks for happens one after the other: a double click, two tabs."""
    annotator.walk = WALK.first(person=annotator.pk)


def upcoming(*, annotator: Membership) -> str:
    """The address of the image that would come next, so that a browser can load it ahead."""
    found = Walk(annotator).next()
    return found.public_id if found else ""


def has_done_their_share(annotator: Membership) -> bool:
    if annotator.quota is None:
        return False
    done = Assignment.objects.filter(annotator=annotator, state=Assignment.State.ANSWERED)
    return done.count() >= annotator.quota


def keep_lease(*, assignment: Assignment, study: Study) -> None:
    """A sign of life: the page is still open."""
    assignment.leased_until = _lease_end(study)
    assignment.save(update_fields=["leased_until"])


def renewed_lately(*, assignment: Assignment, study: Study) -> bool:
    renewed = assignment.leased_until - lease_length(study)
    return timezone.now() - renewed < LATELY


@transaction.atomic
def release(*, assignment: Assignment) -> None:
    """The page was closed before an answer: the image goes back to the queue at once."""
    person = Membership.objects.select_for_update().get(pk=assignment.annotator_id)
    gone, _ = Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.LEASED).delete()
    if gone:
        _give_back_place([assignment.image_id])
        walk = Walk(person)
        walk.step_back(assignment.image)
        walk.save()


@transaction.atomic
def skip(*, assignment: Assignment, note: str = "") -> None:
    """Not for this person; somebody else will answer."""
    changed = Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.LEASED).update(
        state=Assignment.State.SKIPPED, leased_until=None, note=note
    )
    if changed:
        _give_back_place([assignment.image_id])


@transaction.atomic
def release_expired(*, study: Study) -> int:
    expired = list(
        Assignment.objects.filter(
            ran_out(lease_length(study)), study=study, state=Assignment.State.LEASED
        )
        .order_by("pk")
        .select_for_update(skip_locked=True)
        .values_list("pk", "image_id")
    )
    if expired:
        Assignment.objects.filter(pk__in=[pk for pk, _ in expired]).delete()
        _give_back_place([image for _, image in expired])
    return len(expired)


def take_place(*, image: Image, study: Study) -> bool:
    """Claim one of the study's places on this image; False when all are taken."""
    return execute(TAKE, image.pk, study.overlap) == 1


def lease_length(study: Study) -> timedelta:
    return timedelta(minutes=study.lease_minutes)


def _give_back_place(images: list[int]) -> None:
    # In one order everywhere, so that two who give back several never wait for each other.
    for image in sorted(images):
        Image.objects.filter(pk=image, taken__gt=0).update(taken=F("taken") - 1)


def _lease_end(study: Study):
    return timezone.now() + lease_length(study)
