"""Deletes what has run out: sessions, tokens, counts of wrong passwords and of requests."""

from __future__ import annotations

from django.contrib.sessions.models import Session
from django.utils import timezone

from annotations import rates
from audit.accounts import lockout, tokens


def delete() -> dict[str, int]:
    """How many of each kind are gone."""
    sessions = Session.objects.filter(expire_date__lt=timezone.now())
    return {
        "sessions": sessions.delete()[0],
        "tokens": tokens.delete_expired(),
        "wrong passwords": lockout.too_long_ago(),
        "rates": rates.delete_old(),
    }
