"""What this app keeps about an account, as a whole. Erased, it goes with the account's row; comments stay,
without their writer and the names in them."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User

from annotations.database.scrub import scrub
from annotations.signals import account_told, people_renamed
from audit.models import ApiToken, Comment, ConfirmedAddress, Finding, Identity, SecondFactor


def listen() -> None:
    account_told.connect(_account_told, dispatch_uid="audit")
    people_renamed.connect(_people_renamed, dispatch_uid="audit-comments")


def _people_renamed(sender: Any, study_id: int, names: dict[str, str], **kwargs: Any) -> None:
    scrub(Comment.objects.filter(study=study_id), ("text",), names)
    scrub(Finding.objects.filter(study=study_id), ("wanted", "found"), names)


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
        "comments": [
            {"study": comment.study.slug, "image": comment.image.key, "text": comment.text}
            for comment in Comment.objects.filter(by=user).select_related("study", "image")
        ],
        "confirmed_address": confirmed and confirmed.email,
        "second_factor_since": factor and factor.confirmed_at and factor.confirmed_at.isoformat(),
    }
