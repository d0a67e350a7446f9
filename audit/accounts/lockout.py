"""Guessing passwords takes ever longer, and nobody can keep others out by guessing.

Whose tries are counted together:
- A browser that has logged in to this account before has a count of its own. So nobody else can
  make its owner wait, not even somebody in the same network or behind the same proxy.
- All others are counted by name and network (an IPv4 address, or a /64 of IPv6): `FREE` wrong ones,
  then each further one doubles the wait.
- All wrong tries of a network, for whatever names, have an allowance: who tries one password with
  many names uses it up. It fills again by one a minute. A right password gives its try back.
- All wrong tries for a name, from everywhere, are counted but never refused. While there are many,
  each network new to the name has one free try instead of `FREE`.

The trade-off: an account under attack from many networks stays open to its owner, everywhere, since
a first try is always checked, so each network of an attacker gets a try, too, and about four more
an hour. Refusing all networks would stop that, and would let any stranger close any account. Long
passwords and the second factor are the answer to somebody with very many networks. And in a network
where somebody uses up the allowance, browsers that never logged in there wait until they stop.

A try is counted before its password is checked: of guesses sent at the same time, no more are
checked than of guesses sent one after the other. The first wait is long enough for a burst to be
worked off: with a first wait of a second, a queue of guesses outlived the waits, and 12 were
checked. The tables hold hashes only: a mistyped name, or a password typed in its place, is nobody's
business.

Why not django-axes: docs/decisions/0007-own-lockout.md.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in
from django.core import signing
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext

from annotations import event_log
from annotations.rates import Rate, network
from annotations.signals import account_made
from audit.models import WrongPassword

# Wrong tries before the first wait.
FREE = 5
FREE_UNDER_ATTACK = 1
FIRST = timedelta(minutes=1)
LONGEST = timedelta(minutes=15)
# A count is forgotten a day after its last wait.
FORGOTTEN = timedelta(days=1)
# Wrong tries of a network, over all names.
OF_A_NETWORK = Rate("wrong passwords of a network", free=20, every=timedelta(minutes=1))
# Wrong tries for a name, over all networks; from half of it on, the name is under attack.
FOR_A_NAME = Rate("wrong passwords for a name", free=100, every=timedelta(minutes=10))
# An attack writes one event an hour, not one for each guess.
TOLD = Rate("told of wrong passwords", free=1, every=timedelta(hours=1))

COOKIE = "browser"
COOKIE_AGE = 60 * 60 * 24 * 365
ACCOUNTS_OF_A_BROWSER = 10
# In request.META: the name that this request has logged in; the seconds that it has to wait.
LOGGED_IN = "jurybox.logged_in"
WAIT = "jurybox.wait"


def count_try(request: HttpRequest | None, name: str) -> None:
    """Refuse while there is a wait; otherwise count this try as wrong, until `forget` is called."""
    key, known = _own_count(request, name)
    whose = _network(request)
    free = FREE
    if not known and FOR_A_NAME.share_used(name.casefold()) >= FOR_A_NAME.free / 2:
        free = FREE_UNDER_ATTACK
    with transaction.atomic():
        row = _locked_row(key)
        now = timezone.now()
        wait = _seconds_left(row, now)
        too_many_here = wait <= 0 and not known and not OF_A_NETWORK.take(whose)
        if wait <= 0 and not too_many_here:
            row.count += 1
            row.wait_until = now + _wait(row.count - free)
            row.save()
    if too_many_here:
        _tell_once(whose, "tried too many passwords from one network")
        wait = OF_A_NETWORK.seconds_left(whose)
    if wait > 0:
        _refuse(request, wait)
    if not known:
        FOR_A_NAME.take(name.casefold())
    if row.count == FREE:
        _tell_of_account(name)


def forget(request: HttpRequest | None, name: str) -> None:
    """The password was right."""
    key, known = _own_count(request, name)
    WrongPassword.objects.filter(pk=key).delete()
    if not known:
        OF_A_NETWORK.give_back(_network(request))
        FOR_A_NAME.give_back(name.casefold())


def seconds_left(request: HttpRequest | None, name: str) -> int:
    """Until the next try for this name is checked."""
    if request is not None and WAIT in request.META:
        return request.META[WAIT]
    row = WrongPassword.objects.filter(pk=_own_count(request, name)[0]).first()
    left = _seconds_left(row, timezone.now()) if row else 0
    return max(0, round(left + 0.5))


def too_long_ago() -> int:
    """Deletes the counts that are forgotten; how many they were."""
    old = WrongPassword.objects.filter(wait_until__lt=timezone.now() - FORGOTTEN)
    return old.delete()[0]


class LogInForm(AuthenticationForm):
    """Django's own, which also says how long to wait."""

    def get_invalid_login_error(self) -> ValidationError:
        left = seconds_left(self.request, self.cleaned_data.get("username", ""))
        if not left:
            return super().get_invalid_login_error()
        return ValidationError(
            gettext(
                "The name or the password is wrong, or there were too many wrong tries: wait "
                "%(seconds)s seconds before the next try."
            )
            % {"seconds": left},
            code="locked",
        )


class RemembersBrowsers:
    """Middleware: a browser that logs in gets a signed cookie that lists its last accounts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        name = request.META.get(LOGGED_IN)
        if name is not None:
            browser, accounts = _browser(request)
            account = _hash("account", name)
            others = [other for other in accounts if other != account]
            response.set_cookie(
                COOKIE,
                signing.dumps(
                    [browser, account, *others][: 1 + ACCOUNTS_OF_A_BROWSER], salt=COOKIE
                ),
                max_age=COOKIE_AGE,
                httponly=True,
                secure=settings.SESSION_COOKIE_SECURE,
                samesite="Lax",
            )
        return response


def _remember_browser(
    request: HttpRequest | None, user: AbstractBaseUser, **kwargs: object
) -> None:
    if request is not None:
        request.META[LOGGED_IN] = user.get_username()


user_logged_in.connect(_remember_browser, dispatch_uid="lockout")


def _not_a_guess(
    sender: object, request: HttpRequest, wanted: str, name: str, **more: object
) -> None:
    """An invitation checked a password for this name, and the name was free. A try of a name that
    is taken stays counted."""
    if wanted == name:
        forget(request, wanted)


account_made.connect(_not_a_guess, dispatch_uid="lockout")


def _own_count(request: HttpRequest | None, name: str) -> tuple[str, bool]:
    """The key of the count that this try belongs to, and whether the browser is known to the name."""
    if request is not None:
        browser, accounts = _browser(request)
        if _hash("account", name) in accounts:
            return _hash("browser", name, browser), True
    return _hash("network", name, _network(request)), False


def _network(request: HttpRequest | None) -> str:
    return "" if request is None else network(request)


def _refuse(request: HttpRequest | None, seconds: float) -> None:
    if request is not None:
        # The wait may be over when the answer is written; the try was not checked all the same.
        request.META[WAIT] = max(1, round(seconds + 0.5))
    raise PermissionDenied("Too many wrong passwords; wait before the next try.")


def _tell_of_account(name: str) -> None:
    account = get_user_model().objects.filter(username=name).first()
    if account is not None:
        words = f"gave {FREE} wrong passwords in a row; further tries have to wait"
        _tell_once(name.casefold(), words, account)


def _tell_once(whose: str, words: str, account: AbstractBaseUser | None = None) -> None:
    if TOLD.take(whose):
        event_log.note_account("wrong passwords", words, account=account)


def _browser(request: HttpRequest) -> tuple[str, list[str]]:
    """A random id, and hashes of the accounts that this browser has logged in to."""
    try:
        browser, *accounts = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=COOKIE_AGE
        )
    except signing.BadSignature:
        return secrets.token_urlsafe(12), []
    return browser, accounts


def _locked_row(key: str) -> WrongPassword:
    rows = WrongPassword.objects.select_for_update()
    return rows.get_or_create(pk=key, defaults={"wait_until": timezone.now()})[0]


def _seconds_left(row: WrongPassword, now: datetime) -> float:
    left = row.wait_until - now
    # Longer than any wait: the clock was wrong when it began.
    return left.total_seconds() if left <= LONGEST else 0.0


def _wait(too_many: int) -> timedelta:
    return min(FIRST * 2 ** min(too_many, 12), LONGEST) if too_many >= 0 else timedelta()


def _hash(kind: str, name: str, *more: str) -> str:
    text = "\0".join((kind, name.casefold(), *more))
    return salted_hmac("lockout", text, algorithm="sha256").hexdigest()
