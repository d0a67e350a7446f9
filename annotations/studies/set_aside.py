"""Sets a person's answers aside, and counts them again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext, ngettext

from annotations import event_log
from annotations.models import Annotation, Image, Membership
from annotations.versions import after_commit, raise_labels_version


@dataclass(frozen=True, slots=True)
class CountedAgain:
    """How many answers count again, and how many stay aside because their images are full."""

    counted: int
    aside: int

    @property
    def owner_note(self) -> str:
        """A note for the owner if some answers stay set aside."""
        if not self.aside:
            return ""
        counts = gettext("No answer counts again.")
        if self.counted:
            counts = ngettext(
                "%(number)s answer counts again.", "%(number)s answers count again.", self.counted
            ) % {"number": self.counted}
        stay = ngettext(
            "%(number)s stays excluded: enough people have answered for this image meanwhile.",
            "%(number)s stay excluded: enough people have answered for these images meanwhile.",
            self.aside,
        ) % {"number": self.aside}
        more = gettext("Raise the number of people for each image to include them too.")
        return f"{counts} {stay} {more}"


@transaction.atomic
def set_aside(*, member: Membership, faster_than: float | None = None) -> int:
    """Keep this person's answers but stop counting them, and let others label the images.

    `faster_than`: only those answers that took less than so many seconds.
    """
    mine = Annotation.objects.filter(annotator=member, state=Annotation.State.COUNTED).order_by()
    if faster_than is not None:
        mine = mine.filter(seconds__lt=faster_than)
    images = sorted(mine.values_list("image_id", flat=True))
    for batch in _batches(images):
        Image.objects.filter(pk__in=batch, taken__gt=0).update(taken=F("taken") - 1)
    mine.update(state=Annotation.State.SET_ASIDE)
    words = f"excluded {len(images)} annotations of this person"
    if faster_than is not None:
        words += f" that took less than {faster_than:g} s"
    event_log.note(member.study_id, "set aside", words, about=member)
    after_commit(raise_labels_version, member.study_id)
    return len(images)


@transaction.atomic
def count_again(*, member: Membership) -> CountedAgain:
    """Count this person's answers again where the image still has a free place. Where others have
    filled the places since, an answer stays set aside."""
    aside = Annotation.objects.filter(annotator=member, state=Annotation.State.SET_ASIDE).order_by()
    images = sorted(aside.values_list("image_id", flat=True))
    # Gold images are shown to everybody; the overlap does not count for them.
    has_place = Q(taken__lt=member.study.overlap) | Q(gold__isnull=False)
    counted = 0
    for batch in _batches(images):
        with_place = Image.objects.select_for_update().filter(has_place, pk__in=batch)
        free = list(with_place.order_by("pk").values_list("pk", flat=True))
        Image.objects.filter(pk__in=free).update(taken=F("taken") + 1)
        counted += aside.filter(image__in=free).update(state=Annotation.State.COUNTED)
    words = f"counts {counted} of {len(images)} annotations of this person again"
    event_log.note(member.study_id, "counted again", words, about=member)
    after_commit(raise_labels_version, member.study_id)
    return CountedAgain(counted, len(images) - counted)


def _batches(keys: list[int]) -> Iterator[list[int]]:
    return (keys[start : start + 500] for start in range(0, len(keys), 500))
