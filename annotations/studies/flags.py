"""Flags: the owner reads them, settles them with a remark, or reopens them.

A flag changes no answer. Flagging an image again reopens one's flag.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils import timezone

from annotations import event_log
from annotations.models import Flag, Image, Study


def open_flags(study: Study) -> QuerySet[Flag]:
    return flags_of(study).filter(settled_at=None)


def flags_of(study: Study) -> QuerySet[Flag]:
    """By who flagged: a study has far fewer people than images."""
    return Flag.objects.filter(annotator__study=study)


def flagged_images(study: Study, *, only_open: bool) -> QuerySet[Image]:
    """Flagged images in labelling order, each with its flags, the earliest first."""
    flags = open_flags(study) if only_open else flags_of(study)
    return (
        Image.objects.filter(pk__in=flags.order_by().values("image"))
        .select_related("prompt")
        .prefetch_related(
            Prefetch("flags", Flag.objects.select_related("settled_by").order_by("pk"))
        )
        .order_by("place", "pk")
    )


@transaction.atomic
def settle(*, flag: Flag, remark: str, by: Any) -> None:
    """Settling again replaces the remark."""
    flag.settled_at = timezone.now()
    flag.settled_by = by
    flag.remark = remark.strip()[:2000]
    flag.save(update_fields=["settled_at", "settled_by", "remark"])
    image = flag.image
    event_log.note(image.study_id, "flag settled", f"resolved a flag of the image {image.key}")


@transaction.atomic
def put_back(*, flag: Flag) -> None:
    flag.settled_at = flag.settled_by = None
    flag.save(update_fields=["settled_at", "settled_by"])
    image = flag.image
    event_log.note(image.study_id, "flag put back", f"put a flag of the image {image.key} back")
