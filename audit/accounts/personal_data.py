"""What this app keeps about an account, as a whole. Erased, all of it goes with the account's row."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from annotations.signals import account_told
from audit.models import ApiToken, ConfirmedAddress, Identity, SecondFactor


def listen() -> None:
    account_told.connect(_account_told, dispatch_uid="audit")


def _account_told(sender: Any, user: User, **kwargs: Any) -> dict[str, Any]:
    factor = SecondFactor.objects.filter(user=user).first()
    confirmed = ConfirmedAddress.objects.filter(user=user).first()
    return {
        "tokens": [
            {
                "name": token.name,
                "scope": token.scope,
                "study": token.study.slug if token.study else None,
                "created_at": token.created_at.isoformat(),
                "expires_at": token.expires_at.isoformat(),
                "last_used_at": token.last_used_at and token.last_used_at.isoformat(),
            }
            for token in ApiToken.objects.filter(user=user).select_related("study").order_by("pk")
        ],
        "identities": [
            {
                "issuer": identity.issuer,
                "subject": identity.subject,
                "created_at": identity.created_at.isoformat(),
            }
            for identity in Identity.objects.filter(user=user).order_by("pk")
        ],
        "confirmed_address": confirmed and confirmed.email,
        "second_factor_since": factor and factor.confirmed_at and factor.confirmed_at.isoformat(),
    }
