"""What an owner can change about a study and its people. StudyRefused says why not."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.labelling import assign
from annotations.models import Assignment, Image, Membership, Study

LAST_OWNER = "A study needs an owner: name another one first."


@transaction.atomic
def set_status(*, study: Study, status: str) -> None:
    """Open, paused or closed. Answers are always kept; a person in the middle of an image is told
    when they send it."""
    if status not in Study.Status.values:
        raise StudyRefused("A study is open, paused or closed.")
    study.status = status
    study.save(update_fields=["status"])
    event_log.note(study, "status", f"set the study to {status}")


@transaction.atomic
def set_overlap(*, study: Study, people: int) -> None:
    if not 1 <= people <= 100:
        raise StudyRefused("Each image is labelled by 1 to 100 people.")
    study.overlap = people
    study.save(update_fields=["overlap"])
    event_log.note(study, "overlap", f"asked for {people} people for each image")


@transaction.atomic
def set_gold_share(*, study: Study, share: int) -> None:
    if not 0 <= share <= 50:
        raise StudyRefused("The share of images with known answers is between 0 and 50 percent.")
    study.gold_share = share
    study.save(update_fields=["gold_share"])
    event_log.note(study, "gold share", f"mixes in {share} % images with known answers")


@transaction.atomic
def make_gold(*, image: Image, answers: dict[str, float | str] | None) -> None:
    """Known answers make an image a gold image; None makes it an ordinary one again."""
    if answers is not None and not answers:
        raise StudyRefused("A gold image needs at least one known answer.")
    image.gold = answers
    image.save(update_fields=["gold"])
    verb = "gave known answers to" if answers else "took the known answers from"
    event_log.note(image.study_id, "gold", f"{verb} the image {image.key}")


@transaction.atomic
def set_role(*, member: Membership, role: str) -> None:
    if role not in Membership.Role.values:
        raise StudyRefused("A person is owner, researcher or annotator.")
    if member.worker and role != Membership.Role.ANNOTATOR:
        raise StudyRefused("A crowd worker has no password and can only label.")
    if role != Membership.Role.OWNER:
        _check_another_owner(member)
    member.role = role
    member.save(update_fields=["role"])
    event_log.note(member.study_id, "role", f"made this person {role}", about=member)


@transaction.atomic
def remove(*, member: Membership) -> None:
    """They cannot see the study from now on. Their answers stay, under their name."""
    _check_another_owner(member)
    for held in Assignment.objects.filter(annotator=member, state=Assignment.State.LEASED):
        assign.release(assignment=held)
    member.refresh_from_db()
    member.user = None
    member.removed_at = timezone.now()
    member.save(update_fields=["user", "removed_at"])
    event_log.note(
        member.study_id, "removed", "removed this person; the answers stay", about=member
    )


def _check_another_owner(member: Membership) -> None:
    if member.role != Membership.Role.OWNER or member.user_id is None:
        return
    owners = Membership.objects.select_for_update().filter(
        study=member.study_id, role=Membership.Role.OWNER, user__isnull=False
    )
    if not [pk for pk in owners.order_by().values_list("pk", flat=True) if pk != member.pk]:
        raise StudyRefused(LAST_OWNER)
