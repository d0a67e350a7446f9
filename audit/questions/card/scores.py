"""A judge's scores of the images of its card and of the pictures made from them, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from judges.cards.pictures import DrawnImages
from judges.models import MadeScore
from jurybox_stats.cards.changes import unit_scale
from jurybox_stats.series import Codes, Floats

Said = dict[int, tuple[float | None, bool | None]]


@dataclass(frozen=True)
class Scores:
    """`rows`: image and prompt, or one prompt for all of its family, in the order of the draw. `made`: by change and image, score and verdict; no
    score where the judge gave none."""

    rows: tuple[tuple[int, int], ...]
    base: Said
    made: dict[str, Said]
    failed: dict[str, int]

    @classmethod
    def from_drawn(cls, drawn: DrawnImages) -> Scores:
        images = [image for image, _, _ in drawn.rows]
        rows = drawn.run.scores.filter(image__in=images).order_by()
        base = {pk: (v, c) for pk, v, c in rows.values_list("image", "value", "correct")}
        places = {pk: place for place, pk in drawn.rows_made.items()}
        said = MadeScore.objects.filter(judge=drawn.run.judge, picture__in=places).order_by()
        made: dict[str, Said] = {}
        failed: dict[str, int] = {}
        for pk, value, correct in said.values_list("picture", "value", "correct"):
            image, change = places[pk]
            if value is None:
                failed[change] = failed.get(change, 0) + 1
            else:
                made.setdefault(change, {})[image] = (value, correct)
        families = dict(
            drawn.run.study.prompts.exclude(family="").order_by().values_list("pk", "family")
        )
        first: dict[str, int] = {}
        clusters = [
            first.setdefault(families[prompt], prompt) if prompt in families else prompt
            for _, _, prompt in drawn.rows
        ]
        return cls(tuple(zip(images, clusters, strict=True)), base, made, failed)

    @cached_property
    def prompt_of(self) -> dict[int, int]:
        return dict(self.rows)

    @cached_property
    def usual(self) -> Floats:
        """The judge's own scores of the study's pictures."""
        return np.array([value for value, _ in self.base.values() if value is not None])

    @property
    def has_verdicts(self) -> bool:
        return any(correct is not None for _, correct in self.base.values())

    @property
    def measured_images(self) -> int:
        """The images of which it has scored a changed picture: of a card that goes on, not all yet."""
        return len({image for said in self.made.values() for image in said})

    @property
    def is_measured(self) -> bool:
        return bool(self.made or self.failed)

    def images_with(self, changes: Sequence[str], *, verdicts: bool = False) -> list[int]:
        """In the order of the draw: those that have a score, or a verdict, with every one of them."""
        part = 1 if verdicts else 0
        return [
            image
            for image, _ in self.rows
            if self.base.get(image, (None, None))[part] is not None
            and all(
                self.made.get(change, {}).get(image, (None, None))[part] is not None
                for change in changes
            )
        ]

    def prompts(self, images: Sequence[int]) -> Codes:
        found = np.array([self.prompt_of[image] for image in images], dtype=np.int64)
        return np.unique(found, return_inverse=True)[1].astype(np.int64)

    def scores(self, images: Sequence[int], change: str = "") -> Floats:
        """Between 0 and 1; see `unit_scale`."""
        said = self.made[change] if change else self.base
        return unit_scale(np.array([said[image][0] for image in images], dtype=float), self.usual)

    def verdicts(self, images: Sequence[int], change: str = "") -> Floats:
        said = self.made[change] if change else self.base
        return np.array([bool(said[image][1]) for image in images], dtype=float)
