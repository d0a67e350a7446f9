"""What a list of images shows of each: a constant number of queries, without evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotations.models import Flag, Image
from audit.evidence import image_cards
from audit.evidence.image_cards import Vote
from judges.models import Run, Score


@dataclass(frozen=True, slots=True)
class ImageCard:
    image: Image
    thumbnail: tuple[int, int] | None
    people: dict[str, Vote]
    score: Score | None
    flags: int
    at: int  # its place in the list

    @property
    def verdict(self) -> str:
        if self.score is None or self.score.correct is None:
            return ""
        return "yes" if self.score.correct else "no"


def cards_of_images(ids: Sequence[int], run: Run | None, *, begins: int = 0) -> list[ImageCard]:
    """In the order of `ids`; `begins` is the place of the first one."""
    images = {
        image.pk: image
        for image in Image.objects.filter(pk__in=ids).select_related("prompt", "generator")
    }
    scores: dict[int, Score] = {}
    if run is not None:
        rows = Score.objects.filter(run=run, image__in=ids).defer("evidence")
        scores = {score.image_id: score for score in rows}
    whole, parts = image_cards.votes(ids)
    open_flags: dict[int, int] = {}
    for pk in Flag.objects.filter(image__in=ids, settled_at=None).values_list("image", flat=True):
        open_flags[pk] = open_flags.get(pk, 0) + 1
    atoms: dict[int, list[Any]] = {}
    for (of_image, _), vote in parts.items():
        atoms.setdefault(of_image, []).append(vote)
    made = []
    for place, pk in enumerate(ids):
        if pk not in images:
            continue
        people = dict(whole.get(pk, {}))
        if pk in atoms:
            people["atoms"] = _together(atoms[pk])
        image = images[pk]
        made.append(
            ImageCard(
                image=image,
                thumbnail=image_cards.thumbnail_size(image),
                people=people,
                score=scores.get(pk),
                flags=open_flags.get(pk, 0),
                at=begins + place,
            )
        )
    return made


def _together(votes: Sequence[Vote]) -> Vote:
    """The answers about all atoms of an image, counted together."""
    n = sum(vote.n for vote in votes)
    return Vote(
        yes=sum(vote.yes for vote in votes),
        n=n,
        mean=sum(vote.mean * vote.n for vote in votes) / n,
        yes_no=all(vote.yes_no for vote in votes),
    )
