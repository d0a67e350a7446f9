"""Links to set a new password: sent by mail, or handed over by somebody who may make one.

A link counts once and ends after a day. It is a signature over the password and the last log-in, so it
is dead when it was used, when another one was used, and when its owner has logged in after all.
Setting the password ends every session and every token; nobody is logged in by it, so a second factor
is needed as ever.

Who may make one for somebody else: a superuser; and an owner, for people of the study who are in no
study of others. Else an owner could take over what a person sees elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import translation
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode
from django.utils.translation import gettext

from annotations import event_log
from annotations.errors import NotYours, Refused
from annotations.models import Membership, Study
from annotations.rates import Rate
from audit.accounts.language import account_language

# Mails for one typed name, and questions of one network.
MAILS = Rate("reset mails for a name", free=3, every=timedelta(hours=1))
QUESTIONS = Rate("forgotten passwords of a network", free=10, every=timedelta(minutes=2))
MOST_ACCOUNTS = 5
NO_PASSWORD = "This account has no password here: it logs in another way."  # noqa: S105
NOT_YOURS = "Only somebody who runs this installation can make a link for this account."


@transaction.atomic
def make(*, user: User, by: User | None = None, member: Membership | None = None) -> str:
    """The path of a new link. `by`: who asks for it, for this member of a study of theirs; nobody is
    the command line."""
    _check_password(user)
    if by is not None and not by.is_superuser:
        _check_may_make(user, by, member)
    words = "made a link to set a new password"
    event_log.note_account("reset link", words, account=user)
    if member is not None:
        event_log.note(member.study_id, "reset link", words, about=member)
    return path_for(user)


def path_for(user: User) -> str:
    who = urlsafe_base64_encode(force_bytes(user.pk))
    return reverse("password-reset", args=[who, default_token_generator.make_token(user)])


def accounts_for(typed: str) -> list[int]:
    """The accounts that get a mail: of this name or address. Empty also after too many
    requests; nobody learns which."""
    if not typed or not MAILS.take(typed.casefold()):
        return []
    users = User.objects.filter(Q(username=typed) | Q(email__iexact=typed), is_active=True).exclude(
        email=""
    )
    return [user.pk for user in users.order_by("pk")[:MOST_ACCOUNTS] if user.has_usable_password()]


def send_mails(accounts: Sequence[int], address: str) -> None:
    """`address`: of this installation, as the browser knows it."""
    users = User.objects.filter(pk__in=list(accounts), is_active=True).exclude(email="")
    for user in users:
        link = address.rstrip("/") + path_for(user)
        with translation.override(account_language(user)):
            subject = gettext("A new password for Jurybox")
            letter = [
                gettext(
                    "Somebody, we hope you, asked for a new password for the account “%(name)s”."
                )
                % {"name": user.get_username()},
                gettext("Set it here, within a day:") + f"\n{link}",
                gettext("If it was not you, do nothing: the password stays what it is."),
            ]
        send_mail(subject, "\n\n".join(letter) + "\n", None, [user.email])
        event_log.note_account("reset link", "was sent a link to set a new password", account=user)


def _check_password(user: User) -> None:
    if not user.is_active:
        raise Refused("This account is closed.")
    if settings.OIDC_ONLY or not user.has_usable_password():
        raise Refused(NO_PASSWORD)


def _check_may_make(user: User, by: User, member: Membership | None) -> None:
    own = Membership.objects.filter(user=by, role=Membership.Role.OWNER).values("study")
    elsewhere = Study.objects.filter(memberships__user=user).exclude(pk__in=own)
    theirs = member is not None and member.user_id == user.pk
    if not theirs or user.is_superuser or user.is_staff or elsewhere.exists():
        raise NotYours(NOT_YOURS)
