"""Workers of a crowd platform: one link for all of them, and no passwords.

A crowd platform opens the link with the worker's id in the address (Prolific: `PROLIFIC_PID`,
Mechanical Turk: `workerId`). The id says who somebody claims to be, no more: other workers and the
requester can know it. So it opens a place only once. To go on in another browser takes one of:

- a signature of the id, where the platform can sign (the survey tool has the key of the link); or
- the code that the worker saw before they began. An owner can give them a new one. It has 40 bits,
  too many to be tried out.

Otherwise the first browser's session goes on, and the second is refused. A worker uses one browser
at a time: going on in another one ends the session in the first.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.labelling import assign
from annotations.models import Assignment, Group, Invitation, Membership, Study
from annotations.models.people import PLACES_PER_ADDRESS
from annotations.rates import network_of
from annotations.studies.invitations import check_open, free_name, lock_people

CROWD_LINK = timedelta(days=90)
MOST_PLACES = 100_000
# The names platforms use for the worker's id in an address.
WORKER_KEYS = ("PROLIFIC_PID", "workerId", "worker_id", "participant", "participantId", "worker")
WORKER = re.compile(r"[A-Za-z0-9_.@:-]{1,100}")
# No letter and digit that look alike.
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Visit:
    """What a browser brings to a crowd's link. `user`: the account it is logged in to."""

    worker: str
    signature: str = ""
    code: str = ""
    address: str = ""
    user: Any = None


@dataclass(frozen=True, slots=True)
class Counts:
    """Of the images that a worker was given."""

    answered: int
    skipped: int
    given: int

    @property
    def only_answered(self) -> bool:
        return self.answered == self.given > 0


class CodeNeeded(StudyRefused):
    """This worker has begun in another browser."""


class AddressFull(StudyRefused):
    pass


@transaction.atomic
def open_to_crowd(
    *,
    study: Study,
    note: str = "",
    images_each: int | None = None,
    completion_code: str = "",
    completion_url: str = "",
    screenout_code: str = "",
    screenout_url: str = "",
    signed: bool = False,
    places_per_address: int = PLACES_PER_ADDRESS,
    group: Group | None = None,
    by: User | None = None,
) -> Invitation:
    """A link for a crowd platform. Workers see the completion code when their images are done."""
    if images_each is not None and images_each < 1:
        raise StudyRefused("Each worker needs at least one image.")
    for address in (completion_url, screenout_url):
        if address and not address.startswith("https://"):
            raise StudyRefused("The address to return to must begin with https://.")
    if not completion_code.strip():
        raise StudyRefused("Give the completion code that the platform expects.")
    _check_places(places_per_address)
    event_log.note(study, "opened to a crowd", "created a link for crowd workers")
    return Invitation.objects.create(
        study=study,
        kind=Invitation.Kind.CROWD,
        note=note[:200],
        uses=None,
        images_each=images_each,
        completion_code=completion_code.strip()[:100],
        completion_url=completion_url,
        screenout_code=screenout_code.strip()[:100],
        screenout_url=screenout_url,
        signed=signed,
        places_per_address=places_per_address,
        group=group,
        made_by=by,
        expires_at=timezone.now() + CROWD_LINK,
    )


@transaction.atomic
def set_places_per_address(*, invitation: Invitation, places: int) -> None:
    if invitation.kind != Invitation.Kind.CROWD:
        raise StudyRefused("Only a crowd's link has places for addresses.")
    _check_places(places)
    invitation.places_per_address = places
    invitation.save(update_fields=["places_per_address"])
    words = f"lets {places} workers come from one address"
    event_log.note(invitation.study_id, "places for an address", words)


def signing_key(invitation: Invitation) -> str:
    """The key with which the platform signs worker ids for this link."""
    text = f"{invitation.pk}\0{invitation.nonce}"
    return salted_hmac("annotations.crowd.key", text, algorithm="sha256").hexdigest()


def signature_of(*, invitation: Invitation, worker: str) -> str:
    key = signing_key(invitation).encode()
    return hmac.new(key, worker.encode(), hashlib.sha256).hexdigest()


def worker_in(address: Mapping[str, str]) -> str:
    """The worker's id as the platform wrote it into the address; StudyRefused without one."""
    worker = next((address[key] for key in WORKER_KEYS if address.get(key)), "").strip()
    if not WORKER.fullmatch(worker):
        raise StudyRefused(
            "This link needs your worker number in its address (PROLIFIC_PID or workerId). "
            "Open it from the platform's page of this task."
        )
    return worker


def new_code() -> str:
    """A code for a worker to write down."""
    letters = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
    return f"{letters[:4]}-{letters[4:]}"


@transaction.atomic
def give_new_code(*, member: Membership) -> str:
    """For a worker who lost theirs: the owner sends it through the platform. Kept as a hash."""
    if not member.worker or member.user_id is None:
        raise StudyRefused("Only a crowd worker who is in the study goes on with a code.")
    code = new_code()
    member.resume_hash = _code_hash(member.study_id, member.worker, code)
    member.save(update_fields=["resume_hash"])
    event_log.note(member.study_id, "new code", "gave this worker a new code", about=member)
    return code


def place_of(*, invitation: Invitation, visit: Visit) -> Membership | None:
    """The place that this browser may go on with; None for a worker who has not begun.

    StudyRefused where the visit proves nothing: CodeNeeded if a code would do.
    """
    if invitation.kind != Invitation.Kind.CROWD:
        raise StudyRefused("This link is for people with an account.")
    signed = invitation.signed and _is_signed(invitation, visit)
    if invitation.signed and not signed:
        raise StudyRefused(
            "This link is not signed as it should be. Open it from the platform's page of this "
            "task; if that does not help, write to the researchers there."
        )
    known = (
        Membership.objects.select_related("user")
        .filter(study=invitation.study_id, worker=visit.worker)
        .first()
    )
    if known is None:
        return None
    if known.user is None:
        raise StudyRefused("You are no longer part of this study. Your answers are kept.")
    here = visit.user is not None and visit.user.pk == known.user_id
    if here or signed or _knows_code(known, visit.code):
        return known
    if not visit.code:
        raise CodeNeeded("You have begun in another browser: give the code that you saw there.")
    raise CodeNeeded("This is not the code of this worker number. Check the letters.")


def enter_from_crowd(
    *, invitation: Invitation, worker: str, chosen_code: str = "", **proof: Any
) -> Membership:
    """This worker's membership, made at the first visit. Its account has no password and is in no
    other study. `proof`: as in `Visit`; `chosen_code`: the one the new worker has seen."""
    visit = Visit(worker, **proof)
    try:
        return _enter(invitation, visit, chosen_code)
    except AddressFull:
        Invitation.objects.filter(pk=invitation.pk).update(turned_away=F("turned_away") + 1)
        raise


@transaction.atomic
def _enter(invitation: Invitation, visit: Visit, chosen_code: str) -> Membership:
    lock_people(invitation.study_id)
    known = place_of(invitation=invitation, visit=visit)
    if known is not None:
        return known
    invitation.refresh_from_db()
    check_open(invitation)
    study, worker = invitation.study, visit.worker
    if not study.is_open:
        raise StudyRefused(f"This study is {study.get_status_display()} and takes nobody new.")
    address = _address_hash(study.pk, visit.address)
    _check_address(invitation, address)
    digest = hashlib.sha256(f"{study.pk}/{worker}".encode()).hexdigest()
    user = get_user_model()(username=f"worker-{digest[:24]}")
    user.set_unusable_password()
    user.save()
    return Membership.objects.create(
        study=study,
        user=user,
        name=free_name(study, worker),
        worker=worker,
        invitation=invitation,
        quota=invitation.images_each,
        group=invitation.group,
        resume_hash=_code_hash(study.pk, worker, chosen_code),
        address_hash=address,
    )


def remember_session(*, member: Membership, session_key: str) -> None:
    """End the worker's earlier session: one browser at a time. Call it once the visit is proven."""
    if member.session_key and member.session_key != session_key:
        end_session(member)
    member.session_key = session_key
    member.save(update_fields=["session_key"])


def end_session(member: Membership) -> None:
    if member.session_key:
        import_module(settings.SESSION_ENGINE).SessionStore(member.session_key).delete()


def completion_of(member: Membership) -> Invitation | None:
    """The invitation whose code this worker may see: their images are answered.

    Skipping answers nothing. Where no image is left before the share is done, the code is for those
    who skipped none.
    """
    invitation = member.invitation
    if invitation is None or invitation.kind != Invitation.Kind.CROWD:
        return None
    if assign.has_done_their_share(member):
        return invitation
    given = counts_of(member)
    if not given.only_answered or not member.study.is_open or assign.upcoming(annotator=member):
        return None
    return invitation


def counts_of(member: Membership) -> Counts:
    states = list(member.assignments.values_list("state", flat=True))
    skipped = states.count(Assignment.State.SKIPPED.value)
    return Counts(states.count(Assignment.State.ANSWERED.value), skipped, len(states))


def _check_places(places: int) -> None:
    if not 1 <= places <= MOST_PLACES:
        raise StudyRefused(f"From one address come 1 to {MOST_PLACES:,} workers.")


def _check_address(invitation: Invitation, address_hash: str) -> None:
    came = Membership.objects.filter(study=invitation.study_id, address_hash=address_hash)
    if address_hash and came.count() >= invitation.places_per_address:
        raise AddressFull(
            "As many people as the study allows have come from your network. If you have not "
            "taken part yet, write to the researchers through the platform."
        )


def _is_signed(invitation: Invitation, visit: Visit) -> bool:
    wanted = signature_of(invitation=invitation, worker=visit.worker)
    return constant_time_compare(visit.signature.strip().lower(), wanted)


def _knows_code(member: Membership, code: str) -> bool:
    given = _code_hash(member.study_id, member.worker, code)
    return bool(given) and constant_time_compare(member.resume_hash, given)


def _code_hash(study_id: int, worker: str, code: str) -> str:
    """Empty for what is no code."""
    plain = "".join(letter for letter in code.upper() if letter in LETTERS)
    if len(plain) != CODE_LENGTH:
        return ""
    text = f"{study_id}\0{worker}\0{plain}"
    return salted_hmac("annotations.crowd.code", text, algorithm="sha256").hexdigest()


def _address_hash(study_id: int, address: str) -> str:
    """A keyed hash, another one in each study. Empty where there is no address."""
    if not address:
        return ""
    text = f"{study_id}\0{network_of(address)}"
    return salted_hmac("annotations.crowd.address", text, algorithm="sha256").hexdigest()
