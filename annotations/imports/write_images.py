"""Images with their pictures, written once each."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction

from annotations.database import bulk, locks
from annotations.errors import ImportRefused
from annotations.imports.outcome import Outcome, reject
from annotations.labelling import image_order
from annotations.models import Generator, Image, Prompt, Study
from annotations.pictures.decode_process import Decoders
from annotations.pictures.store import (
    PICTURES,
    StoredPicture,
    check_picture,
    digest_of,
    store_picture,
)
from annotations.sources.checks import Unfit, check_json, check_key, sound
from annotations.sources.records import ImageRecord

# While the rows of IMAGE_ROWS images are written, the pictures after them are being decoded.
IMAGE_BATCH, IMAGE_ROWS = 256, 32


def write_images(
    study: Study, batch: list[ImageRecord], outcome: Outcome, decoders: Decoders
) -> None:
    known = Known(study, batch)
    fit, again = _fit(batch, known, outcome)
    bulk.keep_buffers()
    # A file that is there already must not be removed before the row is written that shows it.
    with locks.together(PICTURES):
        pictures = decoders.map(
            lambda r: _picture(r, known, outcome, decoders),
            fit,
            pictures=sum(r.content is not None and not known.has_picture(r.key) for r in fit),
        )
        _write_rows(study, zip(fit, pictures, strict=True), known, outcome)
        for r in again:
            _same_row_again(r, known, outcome, decoders)


class Known:
    """What the study has already of all that a batch names."""

    def __init__(self, study: Study, batch: list[ImageRecord]) -> None:
        self.study = study
        prompts = Prompt.objects.filter(study=study, key__in=sound(r.prompt for r in batch))
        self.prompts = dict(prompts.values_list("key", "pk"))
        generators = Generator.objects.filter(study=study)
        self.generators = dict(generators.values_list("name", "pk"))
        images = Image.objects.filter(study=study, key__in=sound(r.key for r in batch))
        self.images = {image.key: image for image in images}

    def has_picture(self, key: str) -> bool:
        return key in self.images and bool(self.images[key].sha256)


def _fit(
    batch: list[ImageRecord], known: Known, outcome: Outcome
) -> tuple[list[ImageRecord], list[ImageRecord]]:
    """The records that can be taken, and those whose key stands in the batch a second time."""
    fit: dict[str, ImageRecord] = {}
    again: list[ImageRecord] = []
    for r in batch:
        try:
            _check_image(r, known)
        except Unfit as unfit:
            reject(outcome, r, unfit)
            continue
        if r.key in fit:
            again.append(r)
        else:
            fit[r.key] = r
    return list(fit.values()), again


def _write_rows(
    study: Study,
    pictures: Iterable[tuple[ImageRecord, StoredPicture | Unfit | None]],
    known: Known,
    outcome: Outcome,
) -> None:
    new: list[Image] = []
    completed: list[Image] = []
    for r, picture in pictures:
        if isinstance(picture, Unfit):
            reject(outcome, r, picture)
            continue
        image = known.images.get(r.key)
        if image is None:
            image = known.images[r.key] = _row(study, r, known)
            new.append(image)
        elif picture is None:
            outcome.unchanged += 1
        else:
            completed.append(image)
        if picture is not None:
            image.file, image.sha256 = picture.file, picture.sha256
            image.width, image.height = picture.width, picture.height
        if len(new) + len(completed) >= IMAGE_ROWS:
            _save_images(new, completed, outcome)
            new, completed = [], []
    _save_images(new, completed, outcome)


def _row(study: Study, r: ImageRecord, known: Known) -> Image:
    return Image(
        study=study,
        prompt_id=known.prompts[r.prompt],
        generator_id=known.generators[r.generator],
        key=r.key,
        variant=r.variant,
        sample=r.sample,
        metadata=r.metadata,
        place=image_order.seeded_place(study.slug, r.prompt, r.variant, r.sample),
    )


@transaction.atomic
def _save_images(new: list[Image], completed: list[Image], outcome: Outcome) -> None:
    """After their files: a row never points to a file that is not there."""
    Image.objects.bulk_create(new)
    Image.objects.bulk_update(completed, ["file", "sha256", "width", "height"])
    outcome.images += len(new) + len(completed)


def _check_image(record: ImageRecord, known: Known) -> None:
    check_key("image_id", record.key)
    for name, value, there in (
        ("prompt_id", record.prompt, known.prompts),
        ("generator", record.generator, known.generators),
    ):
        if value not in there:
            raise Unfit(name, value, f"The study has no such {name}.")
    if not 0 <= record.sample < 2**31:
        raise Unfit("sample", record.sample, "Samples are numbered from 0.")
    check_json("metadata", record.metadata)
    if record.key in known.images:
        _check_same(record, known.images[record.key], known)


def _check_same(record: ImageRecord, there: Image, known: Known) -> None:
    for name, old, new, shown in (
        ("prompt_id", there.prompt_id, known.prompts[record.prompt], record.prompt),
        ("generator", there.generator_id, known.generators[record.generator], record.generator),
        ("variant", there.variant, record.variant, record.variant),
        ("sample", there.sample, record.sample, record.sample),
    ):
        if old != new:
            raise Unfit(name, shown, f"“{record.key}” is there already, with another {name}.")


def _same_row_again(
    record: ImageRecord, known: Known, outcome: Outcome, decoders: Decoders
) -> None:
    """A key that stands twice in one batch: the same again, or a contradiction."""
    try:
        there = known.images.get(record.key)
        if there is not None:
            _check_same(record, there, known)
            picture = _picture(record, known, outcome, decoders)
            if isinstance(picture, Unfit):
                raise picture
        outcome.unchanged += 1
    except Unfit as unfit:
        reject(outcome, record, unfit)


def _picture(
    record: ImageRecord, known: Known, outcome: Outcome, decoders: Decoders
) -> StoredPicture | Unfit | None:
    """The picture, stored; None where the record brings no new one; or why it is refused."""
    there = known.images.get(record.key)
    if record.content is None:
        return None
    try:
        content = record.content() if callable(record.content) else record.content
        if there is not None and there.sha256:
            if digest_of(content) == there.sha256:
                return None
            return Unfit("file", record.key, "The study has this image already, with other bytes.")
        take = check_picture if outcome.dry_run else store_picture
        return take(content, name=record.key, study=known.study.slug, decode=decoders.decode)
    except ImportRefused as error:
        return Unfit("file", record.key, error.message)
    except OSError as error:
        return Unfit("file", record.key, f"The file cannot be read: {error.strerror or error}.")
