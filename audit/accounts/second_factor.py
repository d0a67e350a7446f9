"""An optional second factor: a code from the phone beside the password, and recovery codes.

A code counts once, and wrong ones have an allowance. Ten recovery codes stand in for a lost phone,
each once; the table holds their hashes, and the secret encrypted with a key made from SECRET_KEY, so
that a copy of the database alone makes no codes. Single sign-on is not asked for it: the provider has
its own.

Who must have one can be said in SECOND_FACTOR_FOR; they see nothing but their account page until then.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Callable
from datetime import timedelta

import segno
from cryptography.fernet import Fernet, InvalidToken
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from annotations import event_log
from annotations.errors import Refused
from annotations.models import Membership
from annotations.rates import Rate
from audit.accounts import one_time_codes
from audit.models import SecondFactor

WRONG_CODES = Rate("wrong second factors", free=5, every=timedelta(minutes=1))
RECOVERY_CODES = 10
# In the session of somebody who must set one up.
MISSING = "second_factor_missing"
SET_UP = "Set up the second factor first."
WRONG = "This code is not right. Wait for the next one, or use a recovery code."


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
        raise Refused("The second factor is on already. Turn it off first.")
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
    return _opened(row) if row else None


@transaction.atomic
def confirm(user: User, code: str) -> list[str]:
    """Turn it on; returns the recovery codes, which nobody can see again."""
    row = SecondFactor.objects.select_for_update().filter(user=user, confirmed_at=None).first()
    if row is None:
        raise Refused("Begin again: there is no second factor to confirm.")
    if not _is_code(row, code):
        raise Refused(WRONG)
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
        raise Refused(WRONG)
    SecondFactor.objects.filter(user=user).delete()
    event_log.note_account("second factor", "turned the second factor off", account=user)


class AsksForIt:
    """Middleware: who must set it up sees only the account page until then."""

    OPEN = re.compile(r"^/(account/|logout/|login/|static/|healthz|readyz|metrics)")

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        closed = settings.SECOND_FACTOR_FOR and not self.OPEN.match(request.path)
        if closed and request.session.get(MISSING):
            if request.path.startswith("/api/"):
                return JsonResponse({"message": SET_UP}, status=403)
            if request.method == "GET":
                messages.warning(request, SET_UP)
            return redirect("account")
        return self.get_response(request)


def _is_code(row: SecondFactor, code: str) -> bool:
    """Changes the row; whoever calls saves it under its lock."""
    secret, given = _opened(row), code.replace(" ", "")
    for step in one_time_codes.steps_around(timezone.now().timestamp()):
        right = constant_time_compare(one_time_codes.code_at(secret, step), given)
        if right and step > row.last_step:
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
    return _box().encrypt(secret).decode()


def _opened(row: SecondFactor) -> bytes:
    try:
        return _box().decrypt(row.secret)
    except InvalidToken:
        raise Refused(
            "The second factor cannot be read: SECRET_KEY has changed. An administrator can take it "
            "off the account."
        ) from None


def _box() -> Fernet:
    key = hashlib.sha256(b"second factor\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
