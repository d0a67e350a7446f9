"""Deletes what has run out: sessions, tokens, counts of wrong passwords and of requests, and half files
of killed processes. A worker looks for them: nothing here loads the API."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.utils import timezone

from annotations import rates
from annotations.models import KeptAnswer
from annotations.storage.folder import Folder
from audit.accounts import lockout
from audit.models import ApiToken


def delete() -> dict[str, int]:
    """How many of each kind are gone."""
    now = timezone.now()
    answers = KeptAnswer.objects.filter(created_at__lt=now - KeptAnswer.KEPT)
    return {
        "sessions": Session.objects.filter(expire_date__lt=now).delete()[0],
        "tokens": ApiToken.objects.filter(expires_at__lt=now).delete()[0],
        "wrong passwords": lockout.too_long_ago(),
        "rates": rates.delete_old(),
        "answers by key": answers.delete()[0],
        "half files": _half_files(),
    }


def _half_files() -> int:
    # A bucket shows no file before it is whole.
    folder: Any = default_storage
    return folder.remove_old_drafts() if isinstance(folder, Folder) else 0
