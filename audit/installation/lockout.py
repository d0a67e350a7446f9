"""Guessing passwords takes ever longer: after some wrong ones, each further one doubles the wait.

Whose tries are counted together:
- A browser that has logged in to this account before has a count of its own. So nobody else can
  lock its owner out, not even somebody in the same network or behind the same proxy.
- All others are counted by name and address, and by name over all addresses.

A try is counted before its password is checked: of guesses sent at the same time, no more are
checked than of guesses sent one after the other. The table holds hashes only: a mistyped name, or
a password typed in its place, is nobody's business.

Why not django-axes (8.3.1): it counts after the check, so of 16 guesses sent at once all 16 were
checked (here 5); a right password sent to the API does not reset its count; it has one limit for
names and addresses alike, a wait that does not grow, and stores names and all posted fields.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AbstractBaseUser
from django.contrib.auth.signals import user_logged_in
from django.core import signing
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from audit.models import WrongPassword

# Wrong tries before the first wait.
FREE = 5
FREE_OVER_ALL_ADDRESSES = 50
LONGEST = timedelta(minutes=15)
# A count is forgotten a day after its last wait.
FORGOTTEN = timedelta(days=1)

COOKIE = "browser"
COOKIE_AGE = 60 * 60 * 24 * 365
ACCOUNTS_OF_A_BROWSER = 10
# In request.META: the name that this request has logged in.
LOGGED_IN = "jurybox.logged_in"


def count_try(request: HttpRequest | None, name: str) -> None:
    """Refuse while there is a wait; otherwise count this try as wrong, until `forget` is called."""
    WrongPassword.objects.filter(wait_until__lt=timezone.now() - FORGOTTEN).delete()
    with transaction.atomic():
        # Always locked in the same order: two tries at once cannot wait for each other.
        counts = [(_locked_row(key), free) for key, free in sorted(_limits(request, name).items())]
        now = timezone.now()
        if any(row.wait_until > now for row, _ in counts):
            raise PermissionDenied("Too many wrong passwords; wait before the next try.")
        for row, free in counts:
            row.count += 1
            row.wait_until = now + _wait(row.count - free)
            row.save()


def forget(request: HttpRequest | None, name: str) -> None:
    """The password was right."""
    WrongPassword.objects.filter(pk__in=_limits(request, name)).delete()


def seconds_left(request: HttpRequest | None, name: str) -> int:
    rows = WrongPassword.objects.filter(pk__in=_limits(request, name))
    waits = [(row.wait_until - timezone.now()).total_seconds() for row in rows]
    return max(0, round(max(waits, default=0) + 0.5))


class LogInForm(AuthenticationForm):
    """Django's own, which also says how long to wait."""

    def get_invalid_login_error(self) -> ValidationError:
        left = seconds_left(self.request, self.cleaned_data.get("username", ""))
        if not left:
            return super().get_invalid_login_error()
        return ValidationError(
            "The name or the password is wrong, or there were too many wrong tries: wait "
            f"{left} seconds before the next try.",
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


def _limits(request: HttpRequest | None, name: str) -> dict[str, int]:
    """Key of each count that this try belongs to, and the wrong tries that are free in it."""
    if request is None:
        return {_hash("name", name): FREE_OVER_ALL_ADDRESSES}
    browser, accounts = _browser(request)
    if _hash("account", name) in accounts:
        return {_hash("browser", name, browser): FREE}
    return {
        _hash("address", name, request.META.get("REMOTE_ADDR", "")): FREE,
        _hash("name", name): FREE_OVER_ALL_ADDRESSES,
    }


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


def _wait(too_many: int) -> timedelta:
    return min(timedelta(seconds=2 ** min(too_many, 12)), LONGEST) if too_many >= 0 else timedelta()


def _hash(kind: str, name: str, *more: str) -> str:
    text = "\0".join((kind, name.casefold(), *more))
    return salted_hmac("lockout", text, algorithm="sha256").hexdigest()
