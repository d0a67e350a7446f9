"""Which pictures a card needs, and making them: each has one row, and the same pixels whenever it is made."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from PIL import Image as Picture

from annotations.models import Image
from annotations.pictures.store import open_picture
from judges.cards.changes import CHANGES, MAKER, Original
from judges.models import MadePicture, Run
from judges.runs.score_chunk import IMAGE_FIELDS
from jurybox_judging.errors import JudgeRefused

COUNT, MOST = 60, 1_000  # images to make pictures from


@dataclass(frozen=True)
class DrawnImages:
    """The images that a card rests on: those a judge has scored, in the order of a draw."""

    run: Run
    count: int = COUNT

    @cached_property
    def rows(self) -> list[tuple[int, str, int]]:
        """(image, its key, its prompt). The order of their hashes is as good as a draw, and stays."""
        scored = self.run.scores.filter(value__isnull=False).exclude(image__file="")
        rows = scored.order_by("image__sha256", "image_id")
        return list(rows.values_list("image_id", "image__key", "image__prompt_id")[: self.count])

    @cached_property
    def wanted_pictures(self) -> list[tuple[int, str]]:
        """(image, change): of a change that looks alike for a prompt, its first image alone."""
        first: dict[int, int] = {}
        for image, _, prompt in self.rows:
            first.setdefault(prompt, image)
        return [
            (image, name)
            for image, _, prompt in self.rows
            for name, change in CHANGES.items()
            if not change.once or first[prompt] == image
        ]

    @cached_property
    def rows_made(self) -> dict[tuple[int, str], int]:
        """The rows of those of them that were made before."""
        images = [image for image, _, _ in self.rows]
        made = MadePicture.objects.filter(image__in=images, maker=MAKER).order_by()
        rows = made.values_list("pk", "image", "change")
        wanted = set(self.wanted_pictures)
        return {(image, change): pk for pk, image, change in rows if (image, change) in wanted}

    def scored(self) -> set[int]:
        """The made pictures of these that the judge has answered about."""
        about = self.run.judge.made_scores.filter(picture__in=self.rows_made.values())
        return set(about.order_by().values_list("picture", flat=True))

    def open_pictures(self) -> list[tuple[int, str]]:
        """Those without a score."""
        scored = self.scored()
        return [one for one in self.wanted_pictures if self.rows_made.get(one) not in scored]


class Maker:
    """Makes pictures of a study's images."""

    def __init__(self, run: Run) -> None:
        files = run.study.images.exclude(file="").order_by("key")
        self._files = list(files.values_list("key", "prompt_id", "file"))
        self._keys = [key for key, _, _ in self._files]

    def make(self, image: Image, changes: Sequence[str]) -> list[tuple[str, Picture.Image]]:
        try:
            picture = open_picture(image.file)
        except OSError as error:
            raise JudgeRefused(
                f"The file of the image {image.key} cannot be read: {error}."
            ) from error
        other = partial(self._of_another_prompt, image)
        original = Original(image.key, image.prompt.text, picture, other)
        return [(name, CHANGES[name].make(original)) for name in changes]

    def _of_another_prompt(self, image: Image) -> Picture.Image:
        """The next one by key: the same whichever images were drawn."""
        start = bisect_right(self._keys, image.key)
        for _, prompt, file in (*self._files[start:], *self._files[:start]):
            if prompt != image.prompt_id:
                return open_picture(file)
        raise JudgeRefused("All images have one prompt: no picture can be taken for another's.")


def images_by_pk(pks: Sequence[int]) -> dict[int, Image]:
    rows = Image.objects.select_related("prompt").prefetch_related("prompt__atoms")
    return rows.only(*IMAGE_FIELDS, "prompt__key").in_bulk(pks)


def rows_of(made: Sequence[tuple[Image, str, Picture.Image]]) -> list[MadePicture]:
    """A row for each, found or written."""
    wanted = {(image.pk, name): (image, digest_of(picture)) for image, name, picture in made}
    found = _find_rows(wanted)
    new = [
        MadePicture(image_id=pk, change=name, maker=MAKER, sha256=digest)
        for (pk, name), (_, digest) in wanted.items()
        if (pk, name) not in found
    ]
    if new:
        # Another worker may be making them as well.
        MadePicture.objects.bulk_create(new, ignore_conflicts=True)
        found = _find_rows(wanted)
    for place, (image, digest) in wanted.items():
        if found[place].sha256 != digest:
            raise JudgeRefused(
                f"A picture was made with other pixels than before ({image.key}, "
                f"{CHANGES[place[1]].words}): the study's file has changed."
            )
    return [found[image.pk, name] for image, name, _ in made]


def _find_rows(wanted: Iterable[tuple[int, str]]) -> dict[tuple[int, str], MadePicture]:
    images = {pk for pk, _ in wanted}
    rows = MadePicture.objects.filter(image__in=images, maker=MAKER).order_by()
    return {(row.image_id, row.change): row for row in rows}


def digest_of(picture: Picture.Image) -> str:
    return hashlib.sha256(repr(picture.size).encode() + picture.tobytes()).hexdigest()
