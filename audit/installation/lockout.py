"""Wrong passwords cost time: after five in a row each further one doubles the wait.

Counted for a name as seen from an address, so that a stranger elsewhere cannot keep somebody out
of their own account. The row holds a hash: names that were mistyped are nobody's business.
"""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone

from audit.models import WrongPassword

FREE = 5
LONGEST = timedelta(minutes=15)
# After a day without a wrong one, they are forgotten.
FORGOTTEN = timedelta(days=1)


def check(request: HttpRequest | None, name: str) -> None:
    """Refuse before the password is even looked at."""
    row = WrongPassword.objects.filter(pk=_key(request, name)).first()
    if row is not None and row.wait_until > timezone.now():
        raise PermissionDenied("Too many wrong passwords; wait before the next one.")


def seconds_left(request: HttpRequest | None, name: str) -> int:
    row = WrongPassword.objects.filter(pk=_key(request, name)).first()
    left = (row.wait_until - timezone.now()).total_seconds() if row else 0
    return max(0, round(left + 0.5))


@transaction.atomic
def wrong(request: HttpRequest | None, name: str) -> None:
    now = timezone.now()
    WrongPassword.objects.filter(wait_until__lt=now - FORGOTTEN).delete()
    row, _ = WrongPassword.objects.select_for_update().get_or_create(
        pk=_key(request, name), defaults={"wait_until": now}
    )
    row.count += 1
    doubled = (
        timedelta(seconds=2 ** min(row.count - FREE, 12)) if row.count >= FREE else timedelta()
    )
    row.wait_until = now + min(doubled, LONGEST)
    row.save()


def right(request: HttpRequest | None, name: str) -> None:
    WrongPassword.objects.filter(pk=_key(request, name)).delete()


class LogInForm(AuthenticationForm):
    """Django's own, which says how long to wait."""

    def get_invalid_login_error(self) -> ValidationError:
        left = seconds_left(self.request, self.cleaned_data.get("username", ""))
        if not left:
            return super().get_invalid_login_error()
        return ValidationError(
            f"Name or password are wrong, or were wrong too often: wait {left} seconds before the "
            "next try.",
            code="locked",
        )


def _key(request: HttpRequest | None, name: str) -> str:
    address = request.META.get("REMOTE_ADDR", "") if request is not None else ""
    return hashlib.sha256(f"{name.casefold()}\0{address}".encode()).hexdigest()
