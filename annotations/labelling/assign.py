"""Gives each person their next image, and takes it back.

A study wants each image labelled by so many people (its overlap), so an image has that many places.
`Image.taken` counts the places in use: live leases and answers. It changes in the same transaction
as the lease or the answer, with the condition in the UPDATE itself, so two people never get the
last place. What images share with the leases of workers stands in `annotations.database.leases`.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext

from annotations.database.deadlocks import begins_again
from annotations.database.leases import lease_end, ran_out
from annotations.database.prepared import Prepared, ask, execute, insert
from annotations.errors import LabelRefused
from annotations.labelling.answer_sql import FROM_RESERVE, TAKE
from annotations.labelling.image_order import Walk
from annotations.models import Assignment, HandedBack, Image, Membership, Study

# How often another image is tried when somebody else takes the last place of one.
TRIES = 20
LATELY = timedelta(seconds=10)
# A page that is open and connected renews its leases more often than this.
HEARD_OF = timedelta(seconds=150)

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
PUBLIC_ID = Prepared(
    lambda mark: (
        Assignment.objects.order_by()
        .filter(annotator=mark("person"), image=mark("image"), state="reserved")
        .values_list("image__public_id", flat=True)
    )
)
WALK = Prepared(
    lambda mark: (
        Membership.objects.order_by()
        .select_for_update(no_key=True, of=("self",))
        .filter(pk=mark("person"), study__deleted_at=None)
        .values_list("walk")
    )
)
LEASES = """
    SELECT (SELECT id FROM annotations_assignment WHERE annotator_id = %s AND state = 'leased'),
           (SELECT id FROM annotations_assignment
            WHERE study_id = %s AND state IN ('leased', 'reserved') AND leased_until < %s LIMIT 1)"""


@begins_again
@transaction.atomic(savepoint=False)
def next_image(*, annotator: Membership) -> Assignment | None:
    """The lease that this person holds, or a new one; None when nothing is left for them."""
    # One person holds one image, so two tabs of one person wait for each other here.
    lock(annotator)
    return next_image_locked(annotator)


def next_image_locked(annotator: Membership, *, holds_nothing: bool = False) -> Assignment | None:
    """`next_image` for a caller that has locked this person's row.

    Expired leases are released when a page is opened, and before a person reads that nothing is
    left, but not with every answer. `holds_nothing`: they have just answered their image.
    """
    study = annotator.study
    if not holds_nothing:
        held = _held_lease(annotator)
        if held:
            # Given by the answer that led to this page, it needs no second write.
            if not renewed_lately(assignment=held, study=study):
                renew_lease(assignment=held, study=study)
            return held
    if not study.is_open or annotator.must_practise or has_done_their_share(annotator):
        return None
    lease = _new_lease(annotator)
    if lease is None and (release_expired(study=study) or call_in_reserves(study=study)):
        lease = _new_lease(annotator)
    if lease is None and annotator.worker:
        # They see their completion code only when they have skipped nothing for good.
        lease = _skipped_again(annotator)
    return lease


def _held_lease(annotator: Membership) -> Assignment | None:
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    [(own, expired)] = ask(LEASES, [annotator.pk, annotator.study_id, now])
    if expired:
        release_expired(study=annotator.study)
    return HELD.first(person=annotator.pk) if own else None


def _new_lease(annotator: Membership) -> Assignment | None:
    study, walk = annotator.study, Walk(annotator)
    if walk.reserve and (lease := _from_reserve(annotator, walk)):
        return lease
    for _ in range(TRIES):
        candidate = walk.next()
        if candidate is None:
            break
        image = IMAGE.first(image=candidate.image_id)
        if take_place(image=image.pk, study=study):
            walk.save()
            lease = Assignment(
                study=study,
                image=image,
                annotator=annotator,
                leased_until=lease_end(lease_length(study)),
            )
            insert(lease)
            return lease
    return None


def _from_reserve(annotator: Membership, walk: Walk) -> Assignment | None:
    """Lease the next image of this person's reserve; some may have run out meanwhile."""
    end = connection.ops.adapt_datetimefield_value(lease_end(lease_length(annotator.study)))
    while walk.reserve:
        if execute(FROM_RESERVE, end, walk.reserve.pop(0), annotator.pk):
            walk.save()
            return HELD.first(person=annotator.pk)
    return None


def _skipped_again(annotator: Membership) -> Assignment | None:
    """Lease an image again that this person skipped, the next one in turn with a free place."""
    walk = Walk(annotator)
    for _ in range(TRIES):
        candidate = walk.next_skipped()
        if candidate is None:
            break
        image = IMAGE.first(image=candidate.image_id)
        if take_place(image=image.pk, study=annotator.study):
            walk.save()
            lease = Assignment.objects.get(image=image, annotator=annotator)
            lease.image = image
            lease.state = Assignment.State.LEASED
            lease.leased_until = lease_end(lease_length(annotator.study))
            lease.save(update_fields=["state", "leased_until"])
            return lease
    return None


def lock(annotator: Membership) -> None:
    """Lock this person's row, so that their requests run one after the other (two tabs)."""
    walk = WALK.first(person=annotator.pk)
    if walk is None:
        raise LabelRefused(gettext("This study is being deleted; nothing was saved."))
    annotator.walk = walk


def upcoming(*, annotator: Membership) -> str:
    """The public id of the image after this one, so that a browser can load it early."""
    walk = Walk(annotator)
    # A reserve that has run out holds nothing.
    if walk.reserve and (reserved := PUBLIC_ID.first(person=annotator.pk, image=walk.reserve[0])):
        return reserved
    candidate = walk.next()
    if candidate is None and annotator.worker:
        candidate = Walk(annotator).next_skipped()
    return candidate.public_id if candidate else ""


def has_done_their_share(annotator: Membership) -> bool:
    if annotator.quota is None:
        return False
    return answered_by(annotator) >= annotator.quota


def answered_by(annotator: Membership) -> int:
    done = Assignment.objects.filter(annotator=annotator, state=Assignment.State.ANSWERED)
    return done.count()


def was_given(*, image: Image, annotator: Membership) -> bool:
    """Whether this person ever had the image, also if it was handed back since."""
    return (
        Assignment.objects.filter(image=image, annotator=annotator).exists()
        or HandedBack.objects.filter(image=image, annotator=annotator).exists()
    )


def renew_lease(*, assignment: Assignment, study: Study) -> None:
    """The page is still open."""
    assignment.leased_until = lease_end(lease_length(study))
    assignment.save(update_fields=["leased_until"])


def renewed_lately(*, assignment: Assignment, study: Study) -> bool:
    if assignment.leased_until is None:
        return False
    renewed = assignment.leased_until - lease_length(study)
    return timezone.now() - renewed < LATELY


@begins_again
@transaction.atomic
def release(*, assignment: Assignment) -> None:
    """The page was closed without an answer: others can get the image at once."""
    person = Membership.objects.select_for_update().get(pk=assignment.annotator_id)
    gone, _ = Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.LEASED).delete()
    if gone:
        _hand_back([(assignment.image_id, person.pk)])
        walk = Walk(person)
        walk.step_back(assignment.image)
        walk.save()


@begins_again
@transaction.atomic
def release_all(*, annotator: Membership, comes_again: bool = True) -> None:
    """What this person has in hand and in reserve: others can get it at once. `comes_again`: they
    get it next, if nobody has taken it until then."""
    person = Membership.objects.select_for_update().filter(pk=annotator.pk).first()
    if person is None:
        return  # Gone, with all they held.
    walk = Walk(person)
    held = Assignment.objects.filter(annotator=person, state__in=Assignment.HELD)
    give_back(held.select_related("image"), walk)
    if not comes_again:
        walk.back = []
    walk.save()
    annotator.walk = person.walk


def give_back(held: Iterable[Assignment], walk: Walk) -> None:
    """Images of one person, whose row is locked, and whose walk is saved by the caller."""
    turn = {image: number for number, image in enumerate(walk.reserve)}
    rows = sorted(held, key=lambda row: turn.get(row.image_id, -1), reverse=True)
    if not rows:
        return
    Assignment.objects.filter(pk__in=[row.pk for row in rows]).delete()
    _hand_back([(row.image_id, row.annotator_id) for row in rows])
    for row in rows:
        walk.step_back(row.image)
    gone = {row.image_id for row in rows}
    walk.reserve = [image for image in walk.reserve if image not in gone]


@begins_again
@transaction.atomic
def skip(*, assignment: Assignment, note: str = "") -> None:
    """This person does not answer for the image; somebody else will."""
    changed = Assignment.objects.filter(pk=assignment.pk, state__in=Assignment.HELD).update(
        state=Assignment.State.SKIPPED, leased_until=None, note=note
    )
    if changed:
        _give_back_place([assignment.image_id])


@begins_again
@transaction.atomic
def release_expired(*, study: Study) -> int:
    held = Assignment.objects.filter(study=study, state__in=Assignment.HELD)
    return _take_from_holders(held.filter(ran_out(lease_length(study))))


@begins_again
@transaction.atomic
def call_in_reserves(*, study: Study) -> int:
    """Nobody reads that nothing is left while others have images in reserve. Whoever has not been
    heard of for a while may be answering theirs without a connection, and keeps them until they run
    out."""
    heard_of = timezone.now() + lease_length(study) - HEARD_OF
    reserved = Assignment.objects.filter(study=study, state=Assignment.State.RESERVED)
    return _take_from_holders(reserved.filter(leased_until__gt=heard_of))


def _take_from_holders(held: QuerySet[Assignment]) -> int:
    rows = list(
        held.order_by("pk")
        .select_for_update(skip_locked=True)
        .values_list("pk", "image_id", "annotator_id")
    )
    if rows:
        Assignment.objects.filter(pk__in=[pk for pk, _, _ in rows]).delete()
        _hand_back([(image, person) for _, image, person in rows])
    return len(rows)


def take_place(*, image: int, study: Study) -> bool:
    """Claim one of the study's places on the image with this key; False when all are taken."""
    return execute(TAKE, image, study.overlap) == 1


def lease_length(study: Study) -> timedelta:
    return timedelta(minutes=study.lease_minutes)


def _hand_back(given: list[tuple[int, int]]) -> None:
    """Images, each with the person who had it."""
    _give_back_place([image for image, _ in given])
    HandedBack.objects.bulk_create(
        [HandedBack(image_id=image, annotator_id=person) for image, person in given],
        ignore_conflicts=True,
    )


def _give_back_place(images: list[int]) -> None:
    # Always in the same order, so that two transactions never wait for each other.
    for image in sorted(images):
        Image.objects.filter(pk=image, taken__gt=0).update(taken=F("taken") - 1)
