"""What happens to accounts, for the event log; and what ends with a password or an account."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest

from annotations import event_log
from annotations.studies import personal_data
from audit.accounts import tokens


@transaction.atomic
def log_out_everywhere(user: User) -> None:
    """End every session and every token of this account."""
    personal_data.end_sessions(user)
    tokens.end_all(user, "logged out everywhere")
    event_log.note_account("logged out", "logged out everywhere", account=user, by=user)


def note_log_in(sender: Any, request: HttpRequest | None, user: User, **more: Any) -> None:
    event_log.note_account("logged in", "logged in", account=user, by=user)


def note_changed_account(sender: Any, instance: User, created: bool, **more: Any) -> None:
    if created:
        return
    # Set by `set_password`, and taken out again where a log-in only makes the hash anew.
    if getattr(instance, "_password", None) is not None:
        tokens.end_all(instance, "the password was changed")
        event_log.note_account("password", "changed the password", account=instance)
    if not instance.is_active:
        tokens.end_all(instance, "the account was closed")
