"""A set of anchors: images whose pictures are frozen by their hash, to be judged again later.

Which images, is handed down; a set that was kept is never written again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotations import event_log
from annotations.database import bulk
from annotations.errors import StudyRefused
from annotations.models import AnchorImage, AnchorSet, Image, Study
from annotations.pictures.store import digest_of_stored


def candidates(study: Study) -> QuerySet[Image]:
    """Images with a picture and without a known answer."""
    return study.images.filter(gold__isnull=True).exclude(file="").order_by()


def newest(study: Study) -> AnchorSet | None:
    return study.anchor_sets.order_by("-pk").first()


@transaction.atomic
def keep(*, study: Study, images: Sequence[int], of: int, seed: int, by: Any = None) -> AnchorSet:
    """Freeze these images; `of`: how many could be drawn."""
    files = Image.objects.filter(study=study).in_bulk(images)
    digests = [_digest(files[pk]) for pk in images]
    made = AnchorSet.objects.create(study=study, count=len(images), of=of, seed=seed, made_by=by)
    rows = [(made.pk, pk, digest) for pk, digest in zip(images, digests, strict=True)]
    bulk.insert(AnchorImage, ("anchors", "image", "sha256"), rows)
    event_log.note(
        study, "made anchors", f"froze {len(rows)} of {of} images as anchors, seed {seed}"
    )
    return made


def has_changed(anchor: AnchorImage) -> bool:
    """Whether the image has another picture than when it became an anchor, or none."""
    try:
        return digest_of_stored(anchor.image.file) != anchor.sha256
    except (OSError, ValueError):
        return True


def _digest(image: Image) -> str:
    try:
        return digest_of_stored(image.file)
    except OSError as error:
        raise StudyRefused(
            f"The file of the image “{image.key}” cannot be read, so it cannot be frozen: {error}."
        ) from error
