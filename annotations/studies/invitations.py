"""Invitations to a study: a signed link for people with an account, and one for crowd workers.

A crowd platform opens the link with the worker's id in the address (Prolific: `PROLIFIC_PID`,
Mechanical Turk: `workerId`). Nobody checks that id, so it only opens a membership for labelling,
never somebody's account. A worker uses one browser at a time: opening the link in another one ends
the session in the first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import timedelta
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core import signing
from django.db import transaction
from django.utils import timezone

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.models import Assignment, Invitation, Membership, Study

SALT = "annotations.invitation"
PERSON_LINK = timedelta(days=14)
# The names platforms use for the worker's id in an address.
WORKER_KEYS = ("PROLIFIC_PID", "workerId", "worker_id", "participant", "participantId", "worker")
WORKER = re.compile(r"[A-Za-z0-9_.@:-]{1,100}")


@transaction.atomic
def invite(*, study: Study, role: str = "annotator", note: str = "") -> Invitation:
    """A link for people who have an account, or make one when they come."""
    if role not in Membership.Role.values:
        raise StudyRefused("An invitation needs one of the roles: owner, researcher, annotator.")
    event_log.note(study, "invited", f"made a link for a new {role}")
    return Invitation.objects.create(
        study=study, role=role, note=note[:200], expires_at=timezone.now() + PERSON_LINK
    )


@transaction.atomic
def open_to_crowd(
    *,
    study: Study,
    note: str = "",
    images_each: int | None = None,
    completion_code: str = "",
    completion_url: str = "",
) -> Invitation:
    """A link for a crowd platform. Workers see the completion code when their images are done."""
    if images_each is not None and images_each < 1:
        raise StudyRefused("Each worker needs at least one image.")
    if completion_url and not completion_url.startswith("https://"):
        raise StudyRefused("The address to return to must begin with https://.")
    if not completion_code.strip():
        raise StudyRefused("Give the completion code that the platform expects.")
    event_log.note(study, "opened to a crowd", "made a link for a crowd's workers")
    return Invitation.objects.create(
        study=study,
        kind=Invitation.Kind.CROWD,
        note=note[:200],
        images_each=images_each,
        completion_code=completion_code.strip()[:100],
        completion_url=completion_url,
    )


@transaction.atomic
def close_invitation(*, invitation: Invitation) -> None:
    """The link stops working; people who used it stay."""
    if invitation.closed_at is None:
        invitation.closed_at = timezone.now()
        invitation.save(update_fields=["closed_at"])
        words = f"closed the link of {invitation.created_at:%Y-%m-%d} for {invitation.role}s"
        event_log.note(invitation.study_id, "closed a link", words)


def token_of(invitation: Invitation) -> str:
    return signing.dumps([invitation.pk, invitation.nonce], salt=SALT)


def read_token(token: str) -> Invitation:
    """The invitation of a link; StudyRefused if it is not ours, closed or expired."""
    try:
        pk, nonce = signing.loads(token, salt=SALT)
    except (signing.BadSignature, TypeError, ValueError):
        raise StudyRefused(
            "This link is not complete. Ask for it again, or copy it as a whole."
        ) from None
    invitations = Invitation.objects.select_related("study").filter(study__deleted_at=None)
    invitation = invitations.filter(pk=pk, nonce=nonce).first()
    if invitation is None or invitation.closed_at is not None:
        raise StudyRefused("This invitation has been closed. Ask the study's owner for a new one.")
    if invitation.expires_at is not None and invitation.expires_at < timezone.now():
        raise StudyRefused("This invitation has expired. Ask the study's owner for a new one.")
    return invitation


@transaction.atomic
def accept(*, invitation: Invitation, user: Any) -> Membership:
    """Join the study. Somebody who is in it already keeps their role."""
    if invitation.kind != Invitation.Kind.PERSON:
        raise StudyRefused("This link is for the workers of a crowd platform.")
    known = Membership.objects.filter(study=invitation.study, user=user).first()
    if known is not None:
        return known
    return Membership.objects.create(
        study=invitation.study,
        user=user,
        name=_free_name(invitation.study, user.get_username()),
        role=invitation.role,
        invitation=invitation,
    )


def worker_in(address: Mapping[str, str]) -> str:
    """The worker's id as the platform wrote it into the address; StudyRefused without one."""
    worker = next((address[key] for key in WORKER_KEYS if address.get(key)), "").strip()
    if not WORKER.fullmatch(worker):
        raise StudyRefused(
            "This link needs your worker number in its address (PROLIFIC_PID or workerId). "
            "Open it from the platform's page of this task."
        )
    return worker


@transaction.atomic
def enter_from_crowd(*, invitation: Invitation, worker: str) -> Membership:
    """This worker's membership, made at the first visit. Its account has no password and is in no
    other study."""
    if invitation.kind != Invitation.Kind.CROWD:
        raise StudyRefused("This link is for people with an account.")
    study = invitation.study
    known = Membership.objects.select_related("user").filter(study=study, worker=worker).first()
    if known is not None:
        if known.user is None:
            raise StudyRefused("You are no longer part of this study. Your answers are kept.")
        return known
    if not study.is_open:
        raise StudyRefused(f"This study is {study.get_status_display()} and takes nobody new.")
    digest = hashlib.sha256(f"{study.pk}/{worker}".encode()).hexdigest()
    user = get_user_model()(username=f"worker-{digest[:24]}")
    user.set_unusable_password()
    user.save()
    return Membership.objects.create(
        study=study,
        user=user,
        name=_free_name(study, worker),
        worker=worker,
        invitation=invitation,
        quota=invitation.images_each,
    )


def remember_session(*, member: Membership, session_key: str) -> None:
    """End the worker's earlier session: one browser at a time."""
    if member.session_key and member.session_key != session_key:
        store = import_module(settings.SESSION_ENGINE).SessionStore
        store(member.session_key).delete()
    member.session_key = session_key
    member.save(update_fields=["session_key"])


def completion_of(member: Membership) -> Invitation | None:
    """The invitation whose code this worker may see, for a caller who knows that all is done.

    None for a worker without an answer, also if no image was left when they came.
    """
    invitation = member.invitation
    if invitation is None or invitation.kind != Invitation.Kind.CROWD:
        return None
    done = member.assignments.filter(state=Assignment.State.ANSWERED).count()
    return invitation if done else None


def _free_name(study: Study, wanted: str) -> str:
    taken = set(
        Membership.objects.filter(study=study, name__startswith=wanted).values_list(
            "name", flat=True
        )
    )
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted} ({number})"
    return name
