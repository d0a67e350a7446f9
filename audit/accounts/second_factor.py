"""An optional second factor: a code from the phone beside the password, and recovery codes.

A code counts once, and wrong ones have an allowance. Ten recovery codes stand in for a lost phone,
each once; the table holds their hashes, and the secret encrypted with a key made from SECRET_KEY, so
that a copy of the database alone makes no codes. A log-in through single sign-on counts as one with a
second factor where the provider's claims say so (`says_so`), and needs the code otherwise.

Who must have one stands in SECOND_FACTOR_FOR. Until their session has shown it, they see nothing
but the pages that set it up or ask for it, whenever they got the role; and a token is good for them only
if it was made by somebody who had shown it.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, cast

import segno
from cryptography.fernet import InvalidToken
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext, gettext_noop

from annotations import event_log
from annotations.api.problems import refusal_response
from annotations.database.encrypted import box_for
from annotations.errors import Refused
from annotations.models import Membership
from annotations.rates import Rate
from audit.accounts import one_time_codes
from audit.models import SecondFactor

WRONG_CODES = Rate("wrong second factors", free=5, every=timedelta(minutes=1))
RECOVERY_CODES = 10
PURPOSE = "second factor"
# In a session: a second factor was shown, here or at the provider of single sign-on.
SHOWN = "second_factor_shown"
# In a session, between the password and the code: who it is.
HALF_WAY = "half_logged_in"
TIME_FOR_THE_CODE = timedelta(minutes=10)
# What a provider's claims may say (RFC 8176, and the classes of OpenID and REFEDS).
SEVERAL_FACTORS = frozenset(
    {
        "phr",
        "phrh",
        "http://schemas.openid.net/pape/policies/2007/06/multi-factor",
        "https://refeds.org/profile/mfa",
    }
)
BESIDE_A_PASSWORD = frozenset({"otp", "hwk", "swk", "sc", "sms", "tel", "fpt", "face", "iris"})
GIVE_THE_CODE = gettext_noop("Give the code of your second factor first.")
SET_UP = gettext_noop("Set up the second factor first.")
WRONG = gettext_noop("This code is not right. Wait for the next one, or use a recovery code.")


def is_on(user: User) -> bool:
    return SecondFactor.objects.filter(user=user).exclude(confirmed_at=None).exists()


def must_have(user: User) -> bool:
    """Whether the operator asks it of this account. A superuser is an owner of every study."""
    asked = settings.SECOND_FACTOR_FOR
    if user.is_superuser:
        return bool(asked)
    return "owners" in asked and Membership.objects.filter(user=user, role="owner").exists()


def begin(user: User) -> bytes:
    """A new secret, which counts once a code from it has come back."""
    if is_on(user):
        raise Refused(gettext("The second factor is on already. Turn it off first."))
    secret = one_time_codes.new_secret()
    SecondFactor.objects.update_or_create(user=user, defaults={"secret": _locked(secret)})
    return secret


def picture(user: User, secret: bytes) -> str:
    """The QR code as SVG without styles, dark on light also on a dark page."""
    address = one_time_codes.address(secret, user.get_username(), "Jurybox")
    code = segno.make(address, error="m")
    return code.svg_inline(
        scale=5, border=4, dark="#000", light="#fff", svgclass="qr", lineclass=None
    )


def secret_of(user: User) -> bytes | None:
    """The secret that waits for its first code."""
    row = SecondFactor.objects.filter(user=user, confirmed_at=None).first()
    return _decrypt_secret(row) if row else None


@transaction.atomic
def confirm(user: User, code: str) -> list[str]:
    """Turn it on; returns the recovery codes, which nobody can see again."""
    row = SecondFactor.objects.select_for_update().filter(user=user, confirmed_at=None).first()
    if row is None:
        raise Refused(gettext("Begin again: there is no second factor to confirm."))
    if not _is_code(row, code):
        raise Refused(gettext(WRONG))
    codes = _new_recovery_codes(row)
    row.confirmed_at = timezone.now()
    row.save()
    event_log.note_account("second factor", "turned the second factor on", account=user)
    return codes


def check(user: User, code: str) -> bool:
    """Whether this is a code of the phone, or a recovery code; either counts once."""
    WRONG_CODES.take_or_refuse(str(user.pk))
    with transaction.atomic():
        row = SecondFactor.objects.select_for_update().filter(user=user).first()
        right = row is not None and (_is_code(row, code) or _is_recovery_code(row, code))
        if row is not None and right:
            row.save()
    if right:
        WRONG_CODES.give_back(str(user.pk))
    return right


def turn_off(user: User, code: str) -> None:
    if not check(user, code):
        raise Refused(gettext(WRONG))
    SecondFactor.objects.filter(user=user).delete()
    event_log.note_account("second factor", "turned the second factor off", account=user)


def says_so(claims: Mapping[str, Any]) -> bool:
    """Whether the provider of single sign-on has checked a second factor."""
    ways = claims.get("amr")
    ways = {way for way in ways if isinstance(way, str)} if isinstance(ways, list) else set()
    level = claims.get("acr")
    return (
        "mfa" in ways
        or ("pwd" in ways and bool(ways & BESIDE_A_PASSWORD))
        or (isinstance(level, str) and level in SEVERAL_FACTORS)
    )


def is_shown(request: HttpRequest) -> bool:
    return bool(request.session.get(SHOWN))


def is_lacking(request: HttpRequest) -> bool:
    """Whether this session must show one and has not."""
    user = request.user
    return isinstance(user, User) and not is_shown(request) and must_have(user)


def ask_for_code(request: HttpRequest, user: User, following: str) -> HttpResponse:
    """The session knows who came, and logs nobody in yet."""
    request.session[HALF_WAY] = {
        "user": user.pk,
        "password": user.get_session_auth_hash(),
        "until": (timezone.now() + TIME_FOR_THE_CODE).timestamp(),
        "following": following,
    }
    return redirect("login-code")


def is_too_late(until: float) -> bool:
    """Also where it ends later than any that begins now: the clock was wrong then."""
    left = until - timezone.now().timestamp()
    return not 0 <= left <= TIME_FOR_THE_CODE.total_seconds()


class AsksForIt:
    """Middleware: who must show it sees only what sets it up or asks for it until then."""

    OPEN = re.compile(
        r"^/(account/(second-factor/(on/)?)?$|login/|logout/$|static/|healthz|readyz|metrics)"
    )

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        closed = settings.SECOND_FACTOR_FOR and not self.OPEN.match(request.path)
        if closed and is_lacking(request):
            return self._ask(request)
        return self.get_response(request)

    def _ask(self, request: HttpRequest) -> HttpResponse:
        user = cast(User, request.user)
        there = is_on(user)
        words = gettext(GIVE_THE_CODE if there else SET_UP)
        if request.path.startswith("/api/"):
            return refusal_response(words, 403)
        if request.method == "GET":
            messages.warning(request, words)
        if there:
            following = request.get_full_path() if request.method == "GET" else "/"
            return ask_for_code(request, user, following)
        return redirect("account")


def _is_code(row: SecondFactor, code: str) -> bool:
    """Changes the row; whoever calls saves it under its lock."""
    secret, given = _decrypt_secret(row), code.replace(" ", "")
    steps = list(one_time_codes.steps_around(timezone.now().timestamp()))
    # A code that nobody could have by now was used when the clock was wrong.
    was_wrong = row.last_step > max(steps)
    for step in steps:
        right = constant_time_compare(one_time_codes.code_at(secret, step), given)
        if right and (step > row.last_step or was_wrong):
            row.last_step = step
            return True
    return False


def _is_recovery_code(row: SecondFactor, code: str) -> bool:
    digest = _digest(row, code)
    if row.confirmed_at is None or digest not in row.recovery:
        return False
    row.recovery = [other for other in row.recovery if other != digest]
    words = f"used a recovery code; {len(row.recovery)} are left"
    event_log.note_account("second factor", words, account=row.user, by=row.user)
    return True


def _new_recovery_codes(row: SecondFactor) -> list[str]:
    letters = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another
    codes = [
        "-".join("".join(secrets.choice(letters) for _ in range(5)) for _ in range(2))
        for _ in range(RECOVERY_CODES)
    ]
    row.recovery = [_digest(row, code) for code in codes]
    return codes


def _digest(row: SecondFactor, code: str) -> str:
    plain = re.sub(r"[^a-z0-9]", "", code.lower())
    return salted_hmac("recovery", f"{row.user_id} {plain}", algorithm="sha256").hexdigest()


def _locked(secret: bytes) -> str:
    return box_for(PURPOSE).encrypt(secret).decode()


def _decrypt_secret(row: SecondFactor) -> bytes:
    try:
        return box_for(PURPOSE).decrypt(row.secret)
    except InvalidToken:
        raise Refused(
            "The second factor cannot be read: SECRET_KEY has changed. An administrator can take it "
            "off the account."
        ) from None
