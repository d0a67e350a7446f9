"""Invitations to a study: signed links that make somebody a member in one role.

A link is for one person unless its owner chose more, ends by itself, and is dead for whoever
was removed from the study: only an owner adds them again, by name, on the page of people. Links for
crowd workers are in `annotations.studies.crowd`.

A form that makes accounts can tell strangers which names are taken. This one answers the same
for a free and for a taken name: the account is made, with a number after a name that is taken, and
each try uses the link up. Only somebody who gives the right password is sent to log in instead.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth import authenticate, get_user_model
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core import signing
from django.db import IntegrityError, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from annotations import event_log
from annotations.errors import StudyRefused
from annotations.models import Group, Invitation, Membership, Study
from annotations.models.people import free_name
from annotations.names import clean_name, name_look
from annotations.signals import account_made

SALT = "annotations.invitation"
DAYS, MOST_DAYS = 14, 90
MOST_USES = 500
NAME_LENGTH = 150
REMOVED = (
    "You were removed from this study. Only its owner can let you in again; a link does not. "
    "Earlier answers are kept."
)


@transaction.atomic
def invite(
    *,
    study: Study,
    role: str = "annotator",
    note: str = "",
    uses: int = 1,
    days: int = DAYS,
    images_each: int | None = None,
    group: Group | None = None,
    by: User | None = None,
) -> Invitation:
    """A link for people who have an account, or make one when they come."""
    if images_each is not None and images_each < 1:
        raise StudyRefused("Each person needs at least one image.")
    if role not in Membership.Role.values:
        raise StudyRefused("An invitation needs one of the roles: owner, researcher, annotator.")
    if not 1 <= uses <= MOST_USES:
        raise StudyRefused(f"A link lets in 1 to {MOST_USES} people.")
    if role == Membership.Role.OWNER and uses != 1:
        raise StudyRefused("An invite link makes one person an owner; create one for each.")
    if not 1 <= days <= MOST_DAYS:
        raise StudyRefused(f"A link is open for 1 to {MOST_DAYS} days.")
    people = "one person" if uses == 1 else f"{uses} people"
    event_log.note(study, "invited", f"created an invite link for {people} as {role}")
    return Invitation.objects.create(
        study=study,
        role=role,
        note=note[:200],
        uses=uses,
        images_each=images_each,
        group=group,
        made_by=by,
        expires_at=timezone.now() + timedelta(days=days),
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
    """Always the same one: when the link ends is in the table, so the token holds no time."""
    return signing.Signer(salt=SALT).sign_object([invitation.pk, invitation.nonce])


def find(token: str) -> Invitation:
    """The invitation of a link, open or not; StudyRefused if the link is not ours."""
    try:
        pk, nonce = _signed(token)
    except (signing.BadSignature, TypeError, ValueError):
        raise StudyRefused(
            "This link is not complete. Ask for it again, or copy it as a whole."
        ) from None
    rows = Invitation.objects.select_related("study").filter(study__deleted_at=None)
    invitation = rows.filter(pk=pk, nonce=nonce).first()
    if invitation is None:
        raise StudyRefused("This invitation has been closed. Ask the study's owner for a new one.")
    return invitation


def _signed(token: str) -> Any:
    if token.count(":") == 2:
        # Links of before hold the time of their signing: content, time, signature.
        return signing.loads(token, salt=SALT)
    return signing.Signer(salt=SALT).unsign_object(token)


def read_token(token: str) -> Invitation:
    """The invitation of a link that lets somebody in; StudyRefused if it does not."""
    invitation = find(token)
    check_open(invitation)
    return invitation


def check_open(invitation: Invitation) -> None:
    if invitation.is_open:
        return
    if invitation.closed_at is not None:
        raise StudyRefused("This invitation has been closed. Ask the study's owner for a new one.")
    if invitation.uses_left == 0:
        raise StudyRefused("This invitation has been used up. Ask the study's owner for a new one.")
    raise StudyRefused("This invitation has expired. Ask the study's owner for a new one.")


def membership_of(*, invitation: Invitation, user: Any) -> Membership | None:
    """The place this person has in the study; StudyRefused if they were removed from it."""
    members = Membership.objects.filter(study=invitation.study_id)
    if members.filter(removed_account=user.pk).exists():
        raise StudyRefused(REMOVED)
    return members.filter(user=user.pk).first()


@transaction.atomic
def accept(*, invitation: Invitation, user: Any) -> Membership:
    """Join the study. Somebody who is in it already keeps their role, and the link its use."""
    if invitation.kind != Invitation.Kind.PERSON:
        raise StudyRefused("This link is for crowd workers.")
    lock_people(invitation.study_id)
    known = membership_of(invitation=invitation, user=user)
    if known is not None:
        return known
    _use(invitation)
    member = Membership.objects.create(
        study=invitation.study,
        user=user,
        name=free_name(invitation.study, user.get_username()),
        role=invitation.role,
        invitation=invitation,
        quota=invitation.images_each,
        group=invitation.group,
    )
    words = f"came by a link and became {invitation.role}"
    event_log.note(invitation.study_id, "joined", words, about=member, by=user)
    return member


@transaction.atomic
def add_account(*, study: Study, name: str, role: str) -> Membership:
    """Let an account of this installation into the study, by its name."""
    if role not in Membership.Role.values:
        raise StudyRefused("A person is owner, researcher or annotator.")
    lock_people(study.pk)
    workers = Membership.objects.filter(user=OuterRef("pk")).exclude(worker="")
    people = get_user_model().objects.filter(is_active=True).exclude(Exists(workers))
    user = people.filter(username=name.strip()).first()
    if user is None:
        raise StudyRefused(
            f"There is no account “{name.strip()[:80]}”. Check the name, or create an invite link."
        )
    members = Membership.objects.filter(study=study)
    known = members.filter(Q(user=user) | Q(removed_account=user)).first()
    if known is not None and known.user_id is None:
        raise StudyRefused(f"{known.name} was removed: let them in again in the table of people.")
    if known is not None:
        raise StudyRefused(f"{known.name} is in the study already, as {known.role}.")
    member = Membership.objects.create(
        study=study, user=user, name=free_name(study, user.get_username()), role=role
    )
    event_log.note(study, "added", f"added this person as {role}", about=member)
    return member


def join_by_name(
    *, request: HttpRequest, invitation: Invitation, name: str, password: str
) -> User | None:
    """Join with a new account. None, and nothing done, for whoever knows the password of the account
    that has this name: they can log in.

    Free and taken names take the same steps: one password is checked, which counts as a try to log
    in, and one is hashed; both before the transaction, since they take long.
    """
    name = clean_name(name)
    if authenticate(request, username=name, password=password) is not None:
        return None
    hashed = make_password(password)
    with transaction.atomic():
        lock_people(invitation.study_id)
        user = _new_account(name, hashed)
        accept(invitation=invitation, user=user)
    account_made.send(sender=None, request=request, wanted=name, name=user.get_username())
    return user


def links(study: Study) -> QuerySet[Invitation]:
    """All links, the newest first."""
    return Invitation.objects.filter(study=study).select_related("made_by", "group").order_by("-pk")


def lock_people(study_id: int) -> None:
    """Whoever joins or leaves a study waits here for the one before."""
    rows = Study.objects.order_by().select_for_update(no_key=True).filter(pk=study_id)
    if not rows.values_list("pk"):
        raise StudyRefused("This study is being deleted; nothing was changed.")


def _use(invitation: Invitation) -> None:
    """Take one of the link's uses: the condition is in the UPDATE, so nobody gets one too many."""
    open_ones = Invitation.objects.filter(
        Q(expires_at=None) | Q(expires_at__gt=timezone.now()),
        pk=invitation.pk,
        closed_at=None,
        used__lt=F("uses"),
    )
    if not open_ones.update(used=F("used") + 1):
        invitation.refresh_from_db()
        check_open(invitation)
        raise StudyRefused(
            "This invitation is no longer open. Ask the study's owner for a new one."
        )


def _new_account(wanted: str, hashed_password: str) -> User:
    accounts = get_user_model().objects
    taken = {name_look(name).casefold() for name in accounts.values_list("username", flat=True)}
    number = 1
    while True:
        end = "" if number == 1 else f"-{number}"
        name = wanted[: NAME_LENGTH - len(end)] + end
        if name_look(name).casefold() not in taken:
            try:
                with transaction.atomic():
                    return accounts.create(username=name, password=hashed_password)
            except IntegrityError:
                # Somebody took this name a moment ago, through another study's link.
                taken.add(name_look(name).casefold())
        number += 1
