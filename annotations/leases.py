"""When a lease has run out: also where the clock has been set back since it was given."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q
from django.utils import timezone


def ran_out(length: timedelta) -> Q:
    """In the past, or further ahead than any lease given now could reach: then it was given by a
    clock that was wrong, and would be held for as long as that clock was ahead."""
    now = timezone.now()
    return Q(leased_until__lt=now) | Q(leased_until__gt=now + 2 * length)
