"""Images drawn at random for people to label next, with chances that are kept for the statistics.

Which images were drawn, and with which chances, is handed down; here it is kept and given out. Every
draw is independent of the draws before it: an image may be drawn twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotations import event_log
from annotations.database import bulk
from annotations.errors import StudyRefused
from annotations.models import Annotation, Draw, DrawnImage, Study
from annotations.studies import selections


@dataclass(frozen=True, slots=True)
class Frame:
    """Primary keys in the order of the images' keys: which images can be drawn, and which had labels
    before the first draw, so that they are certain."""

    images: tuple[int, ...]
    certain: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chances:
    """The chance that an image was in any draw, by primary key; which were drawn or certain, and
    which of these had labels before and were never drawn; whether all draws were uniform."""

    chance: dict[int, float]
    drawn: frozenset[int]
    before: frozenset[int]
    uniform: bool


def next_number(study: Study) -> int:
    """How many draws there were. Two owners who draw at once wait for each other."""
    Study.objects.select_for_update().get(pk=study.pk)
    return study.draws.count()


def frame_of(study: Study) -> Frame:
    """Images that people can get. Of those with labels, only the ones that a draw before could have
    drawn: other labels were not left to chance."""
    images = study.images.filter(gold__isnull=True).exclude(file="")
    # A chance of 1 that was not drawn: certain already.
    could = _in_draws(study).exclude(chance=1.0, drawn=False).order_by()
    before = set(could.values_list("image", flat=True))
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED)
    labelled = set(counted.order_by().values_list("image", flat=True)) - before
    rows = [pk for _, pk in sorted(images.order_by().values_list("key", "pk"))]
    return Frame(
        tuple(pk for pk in rows if pk not in labelled),
        tuple(pk for pk in rows if pk in labelled),
    )


@transaction.atomic
def keep(
    *,
    study: Study,
    frame: Frame,
    chances: Sequence[float],
    taken: Sequence[bool],
    by: str,
    seed: int,
    user: Any = None,
    about: str = "",
) -> Draw:
    """Keep each image's chance and whether it was drawn, and give out what was; all others wait.
    `about`: more words for the history."""
    count = sum(taken)
    drawn = {pk for pk, was in zip(frame.images, taken, strict=True) if was}
    wanted = drawn | _still_wanted(study)
    name = f"Draw {study.draws.count() + 1}: {count} images"
    chosen = selections.choose(study=study, images=sorted(wanted), name=name, by=user)
    made = Draw.objects.create(
        study=study, by=by, count=count, seed=seed, selection=chosen, made_by=user
    )
    rows = [
        (made.pk, pk, float(chance), bool(was))
        for pk, chance, was in zip(frame.images, chances, taken, strict=True)
        if chance > 0
    ]
    rows += [(made.pk, pk, 1.0, False) for pk in frame.certain]
    bulk.insert(DrawnImage, ("draw", "image", "chance", "drawn"), rows)
    selections.label_first(study=study, selection=chosen)
    Study.objects.filter(pk=study.pk).update(only_first=True)
    study.only_first = True
    how = ", ".join(part for part in (made.get_by_display(), about, f"seed {seed}") if part)
    words = f"drew {made.count} images ({how}); all others wait"
    event_log.note(study, "drew images", words)
    return made


def chances_of(study: Study) -> Chances | None:
    """All draws together: an image was in one with the chance 1 - (1 - p1)(1 - p2)…; None before the
    first draw."""
    left: dict[int, float] = {}
    drawn: set[int] = set()
    before: set[int] = set()
    rows = _in_draws(study).order_by().values_list("image", "chance", "drawn")
    for image, chance, was in rows:
        left[image] = left.get(image, 1.0) * (1.0 - chance)
        if was:
            drawn.add(image)
        elif chance == 1.0:
            before.add(image)
    if not left:
        return None
    return Chances(
        {pk: 1.0 - rest for pk, rest in left.items()},
        frozenset(drawn | before),
        frozenset(before - drawn),
        not unequal(study),
    )


def unequal(study: Study) -> bool:
    """Whether some images had better chances than others: then labels have to be weighted."""
    return study.draws.exclude(by=Draw.DrawRule.UNIFORM).exists()


def _in_draws(study: Study) -> QuerySet[DrawnImage]:
    return DrawnImage.objects.filter(draw__study=study)


def _still_wanted(study: Study) -> set[int]:
    """What earlier draws gave out and people have not labelled often enough."""
    rows = _in_draws(study).filter(drawn=True, image__taken__lt=study.overlap)
    return set(rows.order_by().values_list("image", flat=True))


def refuse_unfit(study: Study, count: int, frame: Frame) -> None:
    """In a sentence, what stands against a draw of so many images."""
    if count < 1:
        raise StudyRefused("Draw one image or more.")
    if count > len(frame.images):
        raise StudyRefused(
            f"{count} images are wanted and {len(frame.images)} can be drawn: images with a picture, "
            "no gold questions, that had no labels before the first draw."
        )
