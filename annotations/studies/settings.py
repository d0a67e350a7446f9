"""What an owner can change about a study and its people. StudyRefused says why not."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import ngettext

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.labelling import assign
from annotations.models import Invitation, Membership, Study
from annotations.studies import retention
from annotations.studies.crowd import end_session
from annotations.studies.invitations import lock_people

TITLE_MOST, DESCRIPTION_MOST = 200, 5000
LAST_OWNER = "A study needs an owner: name another one first."


@transaction.atomic
def set_status(*, study: Study, status: str) -> None:
    """Open, paused or closed. Answers are always kept; a person in the middle of an image learns it
    when they send it."""
    if status not in Study.Status.values:
        raise StudyRefused("A study is open, paused or closed.")
    study.status = status
    study.save(update_fields=["status"])
    retention.status_changed(study)
    event_log.note(study, "status", f"set the study to {status}")


@transaction.atomic
def describe(*, study: Study, title: str, description: str) -> None:
    """How the study is called and what people read about it. Its short name stays: addresses and
    files carry it."""
    title, description = " ".join(title.split()), description.strip()
    if not title or len(title) > TITLE_MOST:
        raise StudyRefused(f"A title has 1 to {TITLE_MOST} characters; this one has {len(title)}.")
    if len(description) > DESCRIPTION_MOST:
        raise StudyRefused(
            f"A description has at most {DESCRIPTION_MOST} characters; this one has "
            f"{len(description)}."
        )
    if title != study.title:
        event_log.note(study, "title", "changed the title")
    if description != study.description:
        event_log.note(study, "description", "changed the description")
    study.title, study.description = title, description
    study.save(update_fields=["title", "description"])


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
        raise StudyRefused("The share of gold questions is between 0 and 50 percent.")
    study.gold_share = share
    study.save(update_fields=["gold_share"])
    event_log.note(study, "gold share", f"mixes in {share} % gold questions")


@transaction.atomic
def set_fastest(*, study: Study, seconds: float) -> None:
    """An answer that took less is marked as too fast; 0: only people much faster than others are."""
    if not 0 <= seconds <= 600:
        raise StudyRefused("The minimum time of an answer is between 0 and 600 seconds.")
    study.fastest_seconds = seconds
    study.save(update_fields=["fastest_seconds"])
    event_log.note(study, "fastest", f"marks answers that took less than {seconds:g} s")


@transaction.atomic
def set_role(*, member: Membership, role: str) -> None:
    _check_role(member, role)
    if role != Membership.Role.OWNER:
        _check_another_owner(member)
        if member.role == Membership.Role.OWNER and member.user_id is not None:
            # Else they could become an owner again by a link of their own.
            _close(Q(made_by=member.user_id, kind=Invitation.Kind.PERSON), member.study_id)
    member.role = role
    member.save(update_fields=["role"])
    event_log.note(member.study_id, "role", f"made this person {role}", about=member)


@transaction.atomic
def remove(*, member: Membership) -> str:
    """They cannot see the study from now on, and no link lets them in again. Their answers stay,
    under their name. Returns what else the owner should know, in words."""
    lock_people(member.study_id)
    member.refresh_from_db()
    if member.removed_at is not None:
        return ""
    _check_another_owner(member)
    assign.release_all(annotator=member)
    end_session(member)
    member.refresh_from_db()
    member.removed_account, member.user = member.user, None
    member.removed_at = timezone.now()
    member.session_key = ""
    member.save(update_fields=["user", "removed_account", "removed_at", "session_key"])
    closed = _close_links_known_to(member)
    words = "removed this person; the answers stay"
    if closed:
        words += f"; closed {closed} open link{'s' * (closed > 1)} that they knew"
    event_log.note(member.study_id, "removed", words, about=member)
    if not closed:
        return ""
    return ngettext(
        "%(closed)s link that %(name)s made or came by is closed. Make a new one for others.",
        "%(closed)s links that %(name)s made or came by are closed. Make a new one for others.",
        closed,
    ) % {"name": member.name, "closed": closed}


@transaction.atomic
def add_again(*, member: Membership, role: str) -> None:
    """Let somebody in again who was removed, in this role. Only an owner's own decision does."""
    lock_people(member.study_id)
    member.refresh_from_db()
    if member.removed_account_id is None:
        raise StudyRefused("Nobody was removed here whose account is still known.")
    if Membership.objects.filter(study=member.study_id, user=member.removed_account_id).exists():
        raise StudyRefused("This account is in the study under another name.")
    _check_role(member, role)
    member.user, member.removed_account = member.removed_account, None
    member.removed_at, member.role = None, role
    member.save(update_fields=["user", "removed_account", "removed_at", "role"])
    words = f"let this person in again as {role}"
    event_log.note(member.study_id, "added again", words, about=member)


def _close_links_known_to(member: Membership) -> int:
    """Links that this person made, and the one they came by if it would let others in. A crowd's
    link stays open unless they made it: its other workers go on."""
    known = Q(pk=member.invitation_id, kind=Invitation.Kind.PERSON)
    if member.removed_account_id is not None:
        known |= Q(made_by=member.removed_account_id)
    return _close(known, member.study_id)


def _close(chosen: Q, study_id: int) -> int:
    """Close those of the study's links that still let somebody in."""
    now = timezone.now()
    links = Invitation.objects.filter(
        chosen,
        Q(expires_at=None) | Q(expires_at__gt=now),
        Q(uses=None) | Q(used__lt=F("uses")),
        study=study_id,
        closed_at=None,
    )
    return links.update(closed_at=now)


def _check_role(member: Membership, role: str) -> None:
    if role not in Membership.Role.values:
        raise StudyRefused("A person is owner, researcher or annotator.")
    if member.worker and role != Membership.Role.ANNOTATOR:
        raise StudyRefused("A crowd worker has no password and can only label.")


def _check_another_owner(member: Membership) -> None:
    if member.role != Membership.Role.OWNER or member.user_id is None:
        return
    owners = Membership.objects.select_for_update().filter(
        study=member.study_id, role=Membership.Role.OWNER, user__isnull=False
    )
    if not [pk for pk in owners.order_by().values_list("pk", flat=True) if pk != member.pk]:
        raise StudyRefused(LAST_OWNER)
