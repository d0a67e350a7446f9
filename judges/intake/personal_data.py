"""Names of people in what was sent: a file may be called after its sender, and its outcome quotes rows."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from django.contrib.auth.models import User

from annotations.database.scrub import scrub, scrubbed_text
from annotations.signals import account_erased, account_told, people_renamed
from judges.models import Upload


def listen() -> None:
    people_renamed.connect(_people_renamed, dispatch_uid="judges")
    account_erased.connect(_account_erased, dispatch_uid="judges")
    account_told.connect(_account_told, dispatch_uid="judges")


def _people_renamed(sender: Any, study_id: int, names: dict[str, str], **kwargs: Any) -> None:
    uploads = Upload.objects.filter(study=study_id)
    scrub(uploads, ("outcome", "reason"), names)
    for upload in uploads:
        _rename(upload, scrubbed_text(upload.name, names))


def _account_erased(sender: Any, user: User, **kwargs: Any) -> None:
    """Readers know a file by its ending."""
    for upload in Upload.objects.filter(by=user):
        _rename(upload, f"file{''.join(PurePath(upload.name).suffixes)[-20:]}")


def _rename(upload: Upload, name: str) -> None:
    if name != upload.name:
        upload.name = name
        Upload.objects.filter(pk=upload.pk).update(payload=upload.payload)


def _account_told(sender: Any, user: User, **kwargs: Any) -> dict[str, Any]:
    uploads = Upload.objects.filter(by=user).select_related("study").order_by("pk")
    return {
        "uploads": [
            {"study": row.study.slug if row.study else None, "name": row.name} for row in uploads
        ]
    }
