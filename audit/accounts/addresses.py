"""Whether an account's e-mail address is known to be its owner's: they opened a link that was sent
there, or the provider of single sign-on has verified it.

An address that somebody has only typed gets mail, and opens no account (OIDC_LINK_BY_EMAIL).
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.core import signing
from django.core.mail import send_mail
from django.db import transaction
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from annotations import event_log
from annotations.errors import Refused
from annotations.rates import Rate
from audit.accounts.language import account_language
from audit.models import ConfirmedAddress

MAILS = Rate("mails to confirm an address", free=3, every=timedelta(hours=1))
SALT = "confirm an e-mail address"
A_DAY = timedelta(days=1)
DEAD_LINK = gettext_noop(
    "This link does not work any more. Ask for a new one on your account page."
)


def is_confirmed(user: User) -> bool:
    if not user.email:
        return False
    known = ConfirmedAddress.objects.filter(user=user).values_list("email", flat=True)
    return any(_are_same(email, user.email) for email in known)


def account_of(email: str) -> User | None:
    """The one account that has confirmed this address."""
    known = ConfirmedAddress.objects.filter(email__iexact=email, user__email__iexact=email)
    found = [
        row.user
        for row in known.select_related("user")
        if _are_same(row.email, email) and _are_same(row.user.email, email)
    ]
    return found[0] if len(found) == 1 else None


def _are_same(one: str, other: str) -> bool:
    """But for the case of plain letters. A database that folds all scripts takes “ı” for “i”: whoever has
    the one address would have the other."""
    if one.isascii() and other.isascii():
        return one.lower() == other.lower()
    return one == other


def note_confirmed(user: User, email: str) -> None:
    ConfirmedAddress.objects.update_or_create(user=user, defaults={"email": email})


def path_for(user: User) -> str:
    key = signing.dumps([user.pk, user.email], salt=SALT)
    return reverse("account-email-confirm", args=[key])


def ask_for_letter(user: User) -> None:
    """Refuses what cannot be sent; the letter itself is a worker's."""
    if not settings.SENDS_MAIL or not user.email:
        raise Refused(
            gettext("No mail can be sent: this account has no address, or no mail server is set.")
        )
    MAILS.take_or_refuse(str(user.pk))


def send_letter(account: int, address: str) -> None:
    """`address`: of this installation, as the browser knows it."""
    user = User.objects.filter(pk=account, is_active=True).exclude(email="").first()
    if user is not None:
        link = address.rstrip("/") + path_for(user)
        with translation.override(account_language(user)):
            subject = gettext("Confirm your address for Jurybox")
            letter = [
                gettext("Somebody, we hope you, gave this address for the account “%(name)s”.")
                % {"name": user.get_username()},
                gettext("Log in and confirm it here, within a day:") + f"\n{link}",
                gettext("If it was not you, do nothing."),
            ]
        send_mail(subject, "\n\n".join(letter) + "\n", None, [user.email])


@transaction.atomic
def confirm(user: User, key: str) -> None:
    """`key`: of a link that was sent to the address that this account has now."""
    try:
        account, email = signing.loads(key, salt=SALT, max_age=A_DAY)
    except (signing.BadSignature, ValueError, TypeError):
        raise Refused(gettext(DEAD_LINK)) from None
    if account != user.pk or email != user.email:
        raise Refused(gettext(DEAD_LINK))
    note_confirmed(user, email)
    event_log.note_account("e-mail", "confirmed the e-mail address", account=user, by=user)
