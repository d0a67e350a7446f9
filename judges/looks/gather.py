"""Score images of a study with one judge: read what is stored, ask the engines for the rest, then judge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import prefetch_related_objects
from PIL import Image as Picture

from annotations.models import Image, Prompt
from annotations.pictures.store import open_picture
from judges.looks.store import OF_IMAGES, LookTable
from jurybox_formats.sources.records import PLACES
from jurybox_judging.protocols import RESULT, Atom, Placed, Subject
from jurybox_judging.registry import Judge
from jurybox_judging.scorer import ImageRow, PendingImage, Scorer


class ImageScorer(Scorer):
    """Scores images of a study. `anew`: the engines answer again whatever is stored, and nothing that they
    say is stored. `looks`: where what they say of changed pictures is stored, if those have rows of their own.
    """

    def __init__(
        self, judge: Judge, *, anew: bool = False, looks: LookTable = OF_IMAGES, **more: Any
    ) -> None:
        super().__init__(judge, looks=None if anew else looks, **more)

    def open_file(self, file: str) -> Picture.Image:
        return open_picture(file)

    def files_beside(self, image: Image) -> dict[str, str]:
        return {row.place: row.file for row in image.prompt.pictures.all()}

    def begin(self, images: Iterable[Image]) -> list[PendingImage]:
        """Read what is stored and start decoding the pictures that are needed; asks no engine."""
        batch = [self._pending(i, subject_of(i)) for i in with_prompt_pictures(images)]
        self.go_on(batch)
        return batch

    def look_up(self, images: Iterable[Image]) -> list[PendingImage]:
        """What is stored of more images than an engine takes at once: where it is all that is wanted,
        one query for them all. `start` comes next."""
        block = [self._pending(i, subject_of(i)) for i in with_prompt_pictures(images)]
        self._ask_method(block)
        self._read_stored(block)
        return block

    def begin_pictures(
        self, asked: Iterable[tuple[ImageRow, Subject, Picture.Image]]
    ) -> list[PendingImage]:
        """The same for prompts and pictures that are no image of the study."""
        if self.looks is OF_IMAGES:
            raise ValueError("What is said of a changed picture must not be stored for its image.")
        return super().begin_pictures(asked)


def with_prompt_pictures(images: Iterable[Image]) -> list[Image]:
    """One query for all that have some; most prompts have none, and nobody looks for them."""
    images = list(images)
    with_some = [image.prompt for image in images if image.prompt.picture_count]
    if with_some:
        prefetch_related_objects(with_some, "pictures")
    return images


def placed_of(prompt: Prompt) -> tuple[Placed, ...]:
    """The prompt's pictures, the source first and masks last."""
    if not prompt.picture_count:
        return ()
    rows = sorted(prompt.pictures.all(), key=lambda row: (PLACES.index(row.kind), row.pk))
    return tuple(Placed(row.place, row.sha256) for row in rows)


def subject_of(image: Image) -> Subject:
    prompt = image.prompt
    return Subject(
        prompt=prompt.text,
        atoms=tuple(
            Atom(a.index, a.kind, a.text, a.question, a.expected, tuple(a.parents))
            for a in prompt.atoms.all()
        ),
        metadata=prompt.metadata,
        size=(image.width or 0, image.height or 0),
        pictures=(*placed_of(prompt), Placed(RESULT, image.sha256)),
    )
