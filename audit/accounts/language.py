"""In which language a person wants to read."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User

from audit.models import AccountLanguage

ENGLISH = "en"


def known_language(name: str) -> str:
    """Empty if no page speaks it."""
    return name if name in dict(settings.LANGUAGES) else ""


def chosen_language(user: User | AnonymousUser) -> str:
    """Empty where this account has chosen none, or nobody has logged in."""
    if user.pk is None:
        return ""
    chosen = AccountLanguage.objects.filter(user_id=user.pk).values_list("language", flat=True)
    return known_language(chosen.first() or "")


def account_language(user: User | AnonymousUser) -> str:
    """Of mails, and of the questions that a program asks for with this person's token."""
    return chosen_language(user) or ENGLISH
