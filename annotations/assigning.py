"""Which image comes next for whom.

`Image.taken` counts the places of the study's overlap that are in use: live leases and answers. It
moves in the same transaction as the lease or the answer, with a condition in the UPDATE itself, so
that two people never get the last place.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotations.models import Assignment, Image, Membership, Study
from annotations.queries import left_for

TRIES = 20
LATELY = timedelta(seconds=10)


def seeded_place(study_slug: str, image_key: str) -> int:
    """The same order for everybody who imports the same study, and no order of the generators."""
    digest = hashlib.sha256(f"{study_slug}\0{image_key}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


@transaction.atomic
def next_image(*, annotator: Membership) -> Assignment | None:
    """The lease that this person holds, or a new one; None when nothing is left for them."""
    study = annotator.study
    release_expired(study=study)
    held = (
        Assignment.objects.filter(annotator=annotator, state=Assignment.State.LEASED)
        .select_related("image__prompt")
        .first()
    )
    if held:
        keep_lease(assignment=held, study=study)
        return held
    if not study.is_open:
        return None
    for _ in range(TRIES):
        image = left_for(annotator).select_related("prompt").first()
        if image is None:
            return None
        if take_place(image=image, study=study):
            return Assignment.objects.create(
                study=study, image=image, annotator=annotator, leased_until=_lease_end(study)
            )
    return None


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
    gone, _ = Assignment.objects.filter(pk=assignment.pk, state=Assignment.State.LEASED).delete()
    if gone:
        _give_back_place([assignment.image_id])


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
            study=study, state=Assignment.State.LEASED, leased_until__lt=timezone.now()
        )
        .select_for_update()
        .values_list("pk", "image_id")
    )
    if expired:
        Assignment.objects.filter(pk__in=[pk for pk, _ in expired]).delete()
        _give_back_place([image for _, image in expired])
    return len(expired)


def take_place(*, image: Image, study: Study) -> bool:
    """Claim one of the study's places on this image; False when all are taken."""
    taken = Image.objects.filter(pk=image.pk, taken__lt=study.overlap).update(taken=F("taken") + 1)
    return taken == 1


def lease_length(study: Study) -> timedelta:
    return timedelta(minutes=study.lease_minutes)


def _give_back_place(images: list[int]) -> None:
    for image in images:
        Image.objects.filter(pk=image, taken__gt=0).update(taken=F("taken") - 1)


def _lease_end(study: Study):
    return timezone.now() + lease_length(study)
