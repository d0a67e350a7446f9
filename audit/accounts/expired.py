"""Deletes what has run out: sessions, tokens, counts of wrong passwords and of requests, and half files
of killed processes."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.utils import timezone

from annotations import rates
from annotations.api import once
from annotations.storage.folder import Folder
from audit.accounts import lockout, tokens


def delete() -> dict[str, int]:
    """How many of each kind are gone."""
    sessions = Session.objects.filter(expire_date__lt=timezone.now())
    return {
        "sessions": sessions.delete()[0],
        "tokens": tokens.delete_expired(),
        "wrong passwords": lockout.too_long_ago(),
        "rates": rates.delete_old(),
        "answers by key": once.delete_old(),
        "half files": _half_files(),
    }


def _half_files() -> int:
    # A bucket shows no file before it is whole.
    folder: Any = default_storage
    return folder.remove_old_drafts() if isinstance(folder, Folder) else 0
