"""How many images each generator has stands in its row; here it is counted again."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count, F

from annotations.models import Generator


def recount_all() -> int:
    """How many generators were put right."""
    counted = Generator.objects.order_by("pk").annotate(n=Count("images"))
    wrong = list(counted.exclude(image_count=F("n")).values_list("pk", flat=True))
    return sum(_recount(pk) for pk in wrong)


@transaction.atomic
def _recount(pk: int) -> bool:
    # Images that are made meanwhile wait for this row.
    row = Generator.objects.select_for_update().filter(pk=pk).first()
    if row is None:
        return False
    there = row.images.count()
    return bool(
        Generator.objects.filter(pk=pk).exclude(image_count=there).update(image_count=there)
    )
