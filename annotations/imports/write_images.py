"""Images with their pictures, written once each.

Those that are known by name only come by the million, without the ORM, which takes most of the time of
such an import.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from django.db import transaction

from annotations.database import bulk, locks
from annotations.database.among import among_lookup
from annotations.imports.outcome import Outcome, reject
from annotations.imports.take_picture import take_picture
from annotations.labelling import image_order
from annotations.models import Generator, Image, Prompt, Study
from annotations.models.image import count_images
from annotations.pictures.decode_process import Decoders
from annotations.pictures.store import PICTURES, StoredPicture
from annotations.random_keys import new_public_id
from jurybox_formats.sources.checks import Unfit, check_json, check_key, sound
from jurybox_formats.sources.records import ImageRecord

# No more pictures than IMAGE_BATCH wait in memory. While the rows of IMAGE_ROWS of them are written, those
# after them are being decoded. Rows without pictures are written NAMES at once.
IMAGE_BATCH, IMAGE_ROWS, NAMES = 256, 32, 2000
IMAGE = (
    *("study", "prompt", "generator", "key", "public_id", "variant", "sample", "metadata", "place"),
    *("file", "sha256", "width", "height", "taken"),
)


def write_images(
    study: Study, batch: list[ImageRecord], outcome: Outcome, decoders: Decoders
) -> None:
    known = KnownRows(study, batch)
    fit, again = take_images(batch, known, outcome)
    bulk.keep_buffers()
    # A file that is there already must not be removed before the row is written that shows it.
    with locks.together(PICTURES):
        _write_rows(study, _with_pictures(fit, known, outcome, decoders), known, outcome)
        for r in again:
            compare_again(r, known, outcome, lambda r: _picture(r, known, outcome, decoders))


class StudyImage(NamedTuple):
    """An image of the study; `pk` is None as long as its row is being written."""

    pk: int | None
    prompt_id: int
    generator_id: int
    variant: str
    sample: int
    sha256: str


class StudyRows(Protocol):
    """What a study has: prompts and generators by name, and its images."""

    prompts: dict[str, int]
    generators: dict[str, int]
    images: dict[str, StudyImage]


class KnownRows:
    """What the study has already of all that a batch names."""

    def __init__(self, study: Study, batch: list[ImageRecord]) -> None:
        self.study = study
        prompts = Prompt.objects.filter(
            among_lookup("key", sound(r.prompt for r in batch)), study=study
        )
        self.prompts = dict(prompts.order_by().values_list("key", "pk"))
        generators = Generator.objects.filter(study=study)
        self.generators = dict(generators.values_list("name", "pk"))
        keys = among_lookup("key", sound(r.key for r in batch))
        images = Image.objects.filter(keys, study=study).order_by()
        self.images = {
            key: StudyImage(*more) for key, *more in images.values_list("key", *StudyImage._fields)
        }
        # Prompt -> the place of its images; further samples have places of their own.
        self._places: dict[str, int] = {}

    def has_picture(self, key: str) -> bool:
        return key in self.images and bool(self.images[key].sha256)

    def place(self, r: ImageRecord) -> int:
        if r.sample or r.variant != Image.Variant.ORIGINAL:
            return image_order.seeded_place(self.study.slug, r.prompt, r.variant, r.sample)
        if r.prompt not in self._places:
            self._places[r.prompt] = image_order.seeded_place(self.study.slug, r.prompt)
        return self._places[r.prompt]


def take_images(
    batch: list[ImageRecord], known: StudyRows, outcome: Outcome
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


def _with_pictures(
    fit: list[ImageRecord], known: KnownRows, outcome: Outcome, decoders: Decoders
) -> Iterator[tuple[ImageRecord, StoredPicture | Unfit | None]]:
    bringing = [r for r in fit if r.content is not None]
    pictures = decoders.map(
        lambda r: _picture(r, known, outcome, decoders),
        bringing,
        pictures=sum(not known.has_picture(r.key) for r in bringing),
    )
    for r in fit:
        yield r, None if r.content is None else next(pictures)


def _write_rows(
    study: Study,
    pictures: Iterable[tuple[ImageRecord, StoredPicture | Unfit | None]],
    known: KnownRows,
    outcome: Outcome,
) -> None:
    new: list[tuple[Any, ...]] = []
    completed: list[Image] = []
    stored = 0
    for done, (r, picture) in enumerate(pictures, 1):
        if r.content is not None:
            outcome.show_pictures(done)
        if isinstance(picture, Unfit):
            reject(outcome, r, picture)
            continue
        there = known.images.get(r.key)
        if there is None:
            new.append(_row(study, r, known, picture))
        elif picture is None:
            outcome.unchanged += 1
        else:
            completed.append(_completed(there, picture))
        stored += picture is not None
        if stored >= IMAGE_ROWS:
            _save_images(new, completed, outcome)
            new, completed, stored = [], [], 0
    _save_images(new, completed, outcome)


def _row(
    study: Study, r: ImageRecord, known: KnownRows, picture: StoredPicture | None
) -> tuple[Any, ...]:
    prompt, generator = known.prompts[r.prompt], known.generators[r.generator]
    file, sha256, *size = _columns(picture) if picture is not None else ("", "", None, None)
    known.images[r.key] = StudyImage(None, prompt, generator, r.variant, r.sample, sha256)
    return (
        *(study.pk, prompt, generator, r.key, new_public_id(), r.variant, r.sample),
        *(json.dumps(r.metadata) if r.metadata else "{}", known.place(r)),
        *(file, sha256, *size, 0),
    )


def _columns(picture: StoredPicture) -> tuple[str, str, int, int]:
    return picture.file, picture.sha256, picture.width, picture.height


def _completed(there: StudyImage, picture: StoredPicture) -> Image:
    file, sha256, width, height = _columns(picture)
    return Image(pk=there.pk, file=file, sha256=sha256, width=width, height=height)


@transaction.atomic
def _save_images(new: list[tuple[Any, ...]], completed: list[Image], outcome: Outcome) -> None:
    """After their files: a row never points to a file that is not there."""
    bulk.insert(Image, IMAGE, new)
    count_images(Counter(row[2] for row in new))
    Image.objects.bulk_update(completed, ["file", "sha256", "width", "height"])
    outcome.images += len(new) + len(completed)


def _check_image(record: ImageRecord, known: StudyRows) -> None:
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


def _check_same(record: ImageRecord, there: StudyImage, known: StudyRows) -> None:
    for name, old, new, shown in (
        ("prompt_id", there.prompt_id, known.prompts[record.prompt], record.prompt),
        ("generator", there.generator_id, known.generators[record.generator], record.generator),
        ("variant", there.variant, record.variant, record.variant),
        ("sample", there.sample, record.sample, record.sample),
    ):
        if old != new:
            raise Unfit(name, shown, f"“{record.key}” is there already, with another {name}.")


def compare_again(
    record: ImageRecord,
    known: StudyRows,
    outcome: Outcome,
    take: Callable[[ImageRecord], StoredPicture | Unfit | None],
) -> None:
    """A key that stands twice in one batch: the same again, or a contradiction. `take`: its picture."""
    try:
        there = known.images.get(record.key)
        if there is not None:
            _check_same(record, there, known)
            picture = take(record)
            if isinstance(picture, Unfit):
                raise picture
        outcome.unchanged += 1
    except Unfit as unfit:
        reject(outcome, record, unfit)


def _picture(
    record: ImageRecord, known: KnownRows, outcome: Outcome, decoders: Decoders
) -> StoredPicture | Unfit | None:
    """The picture, stored; None where the record brings no new one; or why it is refused."""
    there = known.images.get(record.key)
    if record.content is None:
        return None
    return take_picture(
        record.content,
        name=record.key,
        study=known.study.slug,
        there=there.sha256 if there is not None else "",
        words="The study has this image already, with other bytes.",
        dry_run=outcome.dry_run,
        decode=decoders.decode,
    )
