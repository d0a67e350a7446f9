"""A study as the tidy tables that bring it in again, and the digest that says it is the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from django.core.files.storage import default_storage

from annotations.exports import image_chunks
from annotations.exports.labels import label_rows
from annotations.exports.pseudonyms import naming
from annotations.models import Flag, Generator, Image, Prompt, PromptPicture, Study

GENERATORS = ("generator", "release_date", "family", "note")
PROMPTS = ("prompt_id", "prompt", "tags", "family", "atomicity", "metadata", "atoms")
PROMPT_PICTURES = ("prompt_id", "place", "file")
IMAGES = (
    "image_id",
    "prompt_id",
    "prompt",
    "generator",
    "file",
    "variant",
    "sample",
    "metadata",
)
# One row with all that an image has, for a spreadsheet or a data frame.
WIDE = (
    *("image_id", "prompt_id", "prompt", "tags", "prompt_family"),
    *("atomicity", "atoms", "prompt_metadata"),
    *("generator", "release_date", "family", "variant", "sample", "file", "width", "height"),
    *("metadata", "known_answers"),
)
FLAGS = ("image_id", "rater", "reason", "note", "created_at", "settled_at", "remark")
# So many of what is missing are named.
NAMED = 1000


def generator_rows(study: Study) -> Iterator[dict[str, object]]:
    for g in Generator.objects.filter(study=study).order_by("name"):
        released = g.release_date.isoformat() if g.release_date else ""
        yield {"generator": g.name, "release_date": released, "family": g.family, "note": g.note}


def prompt_rows(study: Study, *, among: Sequence[int] | None = None) -> Iterator[dict[str, object]]:
    """`among`: only the prompts of these images."""
    wanted = None
    if among is not None:
        chunks = image_chunks.image_chunks(study, "prompt_id", among=among)
        wanted = {prompt for chunk in chunks for _, prompt in chunk}
    prompts = Prompt.objects.filter(study=study).order_by("key").prefetch_related("atoms")
    for prompt in prompts.iterator(chunk_size=image_chunks.SIZE):
        if wanted is not None and prompt.pk not in wanted:
            continue
        atoms = _atoms(prompt)
        yield {
            "prompt_id": prompt.key,
            "prompt": prompt.text,
            # JSON: a tag may hold the sign that separates tags.
            "tags": _json(prompt.tags) if prompt.tags else "",
            "family": prompt.family,
            "atomicity": "" if prompt.atomicity is None else prompt.atomicity,
            "metadata": _json(prompt.metadata) if prompt.metadata else "",
            "atoms": _json(atoms) if atoms else "",
        }


def prompt_picture_rows(
    study: Study, *, among: Sequence[int] | None = None
) -> Iterator[dict[str, object]]:
    for picture in prompt_pictures(study, among):
        yield {
            "prompt_id": picture.prompt.key,
            "place": picture.place,
            "file": file_name(picture.file, picture.sha256),
        }


def prompt_pictures(study: Study, among: Sequence[int] | None = None) -> Iterator[PromptPicture]:
    """Each once; `among`: of the prompts of these images."""
    rows = PromptPicture.objects.filter(study=study).select_related("prompt")
    rows = rows.order_by("prompt__key", "pk")
    if among is None:
        yield from rows.iterator(chunk_size=image_chunks.SIZE)
        return
    sent: set[int] = set()
    for start in range(0, len(among), image_chunks.SIZE):
        some = among[start : start + image_chunks.SIZE]
        for picture in rows.filter(prompt__images__in=some).distinct():
            if picture.pk not in sent:
                sent.add(picture.pk)
                yield picture


def image_rows(
    study: Study, *, files: bool = False, among: Sequence[int] | None = None
) -> Iterator[dict[str, object]]:
    for image in _images(study, among):
        yield {
            "image_id": image.key,
            "prompt_id": image.prompt.key,
            "prompt": image.prompt.text,
            "generator": image.generator.name,
            "file": file_name(image.file, image.sha256) if files and image.file else "",
            "variant": image.variant,
            "sample": image.sample,
            "metadata": _json(image.metadata) if image.metadata else "",
        }


def wide_rows(study: Study, *, among: Sequence[int] | None = None) -> Iterator[dict[str, object]]:
    """All that an image has in one row: with its prompt, tags, atoms and generator."""
    for chunk in image_chunks.image_chunks(study, "pk", among=among):
        images = Image.objects.filter(pk__in=[pk for _, pk in chunk]).order_by("key")
        for image in images.select_related("prompt", "generator").prefetch_related("prompt__atoms"):
            prompt, generator = image.prompt, image.generator
            released = generator.release_date
            atoms = _atoms(prompt)
            yield {
                "image_id": image.key,
                "prompt_id": prompt.key,
                "prompt": prompt.text,
                "tags": _json(prompt.tags) if prompt.tags else "",
                "prompt_family": prompt.family,
                "atomicity": "" if prompt.atomicity is None else prompt.atomicity,
                "atoms": _json(atoms) if atoms else "",
                "prompt_metadata": _json(prompt.metadata) if prompt.metadata else "",
                "generator": generator.name,
                "release_date": released.isoformat() if released else "",
                "family": generator.family,
                "variant": image.variant,
                "sample": image.sample,
                "file": file_name(image.file, image.sha256) if image.file else "",
                "width": "" if image.width is None else image.width,
                "height": "" if image.height is None else image.height,
                "metadata": _json(image.metadata) if image.metadata else "",
                "known_answers": _json(image.gold) if image.gold is not None else "",
            }


def flag_rows(
    study: Study, *, people: str = "everybody", among: Sequence[int] | None = None
) -> Iterator[dict[str, object]]:
    name = naming(study, people)
    for chunk in image_chunks.image_chunks(study, "pk", among=among):
        flags = Flag.objects.filter(image__in=[pk for _, pk in chunk]).select_related("image")
        for flag in flags.order_by("image__key", "pk"):
            yield {
                "image_id": flag.image.key,
                "rater": name(flag.annotator_id),
                "reason": flag.reason,
                "note": flag.note,
                "created_at": flag.created_at.isoformat(),
                "settled_at": flag.settled_at.isoformat() if flag.settled_at else "",
                "remark": flag.remark,
            }


def _atoms(prompt: Prompt) -> list[dict[str, object]]:
    return [
        {
            "index": atom.index,
            "kind": atom.kind,
            "text": atom.text,
            "question": atom.question,
            "expected": atom.expected,
            "parents": atom.parents,
        }
        for atom in prompt.atoms.all()
    ]


def file_name(file: str, sha256: str) -> str:
    """What a stored picture is called in a folder: the same in every installation, so that a study
    that went out and in again goes out the same."""
    return f"images/{sha256[:2]}/{sha256}{PurePosixPath(file).suffix}"


def digest(study: Study, *, people: str = "nobody") -> str:
    """The same for two studies with the same prompts, images and labels, whatever they are called
    and wherever they lie. Pictures count by their bytes as they are kept."""
    sha = hashlib.sha256()
    for rows in (generator_rows(study), prompt_rows(study), label_rows(study, people=people)):
        for row in rows:
            if row.get("language") == "":
                # A study that was asked in its form's own words has the digest it always had.
                del row["language"]
            if "prompt_id" in row and row.get("family") == "":
                # So has one whose prompts have no families.
                del row["family"]
            sha.update(_json(row).encode())
    for image, row in zip(_images(study), image_rows(study), strict=True):
        sha.update(_json(row).encode())
        if image.file:
            sha.update(_bytes_digest(image.file))
    for picture in prompt_pictures(study):
        sha.update(_json([picture.prompt.key, picture.place]).encode())
        sha.update(_bytes_digest(picture.file))
    return sha.hexdigest()


def missing_labels(study: Study) -> tuple[int, list[str]]:
    """How many images nobody has labelled, and the first of them."""
    absent = study.images.filter(annotations__isnull=True).order_by("key")
    return absent.count(), list(absent.values_list("key", flat=True)[:NAMED])


def _images(study: Study, among: Sequence[int] | None = None) -> Iterator[Image]:
    if among is not None:
        for start in range(0, len(among), image_chunks.SIZE):
            some = Image.objects.filter(
                study=study, pk__in=among[start : start + image_chunks.SIZE]
            )
            yield from some.select_related("prompt", "generator").order_by("key")
        return
    images = Image.objects.filter(study=study).select_related("prompt", "generator")
    yield from images.order_by("key").iterator(chunk_size=image_chunks.SIZE)


def _bytes_digest(file: str) -> bytes:
    with default_storage.open(file) as stored:
        return hashlib.sha256(stored.read()).digest()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
