"""Images that somebody chose: kept under a name, and labelled before all others if the owner says so."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from django.db import transaction

from annotations import event_log
from annotations.errors import Refused
from annotations.models import Image, SelectedImage, Selection, Study

BATCH = 2000
PLACES = 1 << 31


class SelectionRefused(Refused):
    status = 422


@transaction.atomic
def choose(*, study: Study, images: Iterable[int], name: str, by: Any = None) -> Selection:
    """Keep these images (primary keys) as a selection."""
    made = Selection.objects.create(study=study, name=name[:200], made_by=by)
    images, count = iter(images), 0
    while batch := list(islice(images, BATCH)):
        SelectedImage.objects.bulk_create(
            [SelectedImage(selection=made, image_id=pk, place=_place(made, pk)) for pk in batch]
        )
        count += len(batch)
    if not count:
        raise SelectionRefused("No image was chosen. Tick some, or choose all that fit the filter.")
    Selection.objects.filter(pk=made.pk).update(images=count)
    made.images = count
    return made


@transaction.atomic
def label_first(*, study: Study, selection: Selection) -> None:
    """People are given these images before all others, until all have answers enough or the owner
    ends it. Each image still gets as many people as the study wants, and gold comes when it is due."""
    if not study.is_open:
        raise SelectionRefused(
            "This study gives out no images at present. Open it under Settings first."
        )
    Study.objects.filter(pk=study.pk).update(first=selection, only_first=False)
    study.first, study.only_first = selection, False
    words = f"has {selection.images} images labelled first: {selection.name}"
    event_log.note(study, "labelled first", words)


@transaction.atomic
def label_as_usual(*, study: Study) -> None:
    if Study.objects.filter(pk=study.pk).exclude(first=None).update(first=None, only_first=False):
        event_log.note(study, "labelled first", "has no images labelled first any more")
    study.first, study.only_first = None, False


def left_to_label(study: Study) -> int:
    """How many images of the selection that comes first still want answers."""
    if study.first_id is None:
        return 0
    members = SelectedImage.objects.filter(
        selection=study.first_id, image__taken__lt=study.overlap, image__gold__isnull=True
    )
    return members.exclude(image__file="").count()


def images_named(study: Study, public_ids: Sequence[str]) -> list[int]:
    """Primary keys of images that a page names; those of other studies are not among them."""
    found = Image.objects.filter(study=study, public_id__in=public_ids)
    return list(found.order_by("key").values_list("pk", flat=True))


def image_at(selection: Selection, number: int) -> Image | None:
    """The image at this place, counted from 1, of those who walk through the selection one by one."""
    members = selection.members.order_by("image__key")
    chosen = members.values_list("image", flat=True)[max(number, 1) - 1 : max(number, 1)]
    return Image.objects.filter(pk__in=list(chosen)).first()


def _place(selection: Selection, image: int) -> int:
    drawn = hashlib.sha256(f"{selection.pk}/{image}".encode()).digest()
    return int.from_bytes(drawn[:4], "big") % PLACES
