"""A study as the tidy tables that bring it in again, and the digest that says it is the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import PurePosixPath

from django.core.files.storage import default_storage

from annotations.exports import image_chunks
from annotations.exports.labels import label_rows
from annotations.models import Generator, Image, Prompt, Study

GENERATORS = ("generator", "release_date", "family", "note")
PROMPTS = ("prompt_id", "prompt", "tags", "atomicity", "metadata", "atoms")
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


# So many of what is missing are named.
NAMED = 1000


def generator_rows(study: Study) -> Iterator[dict[str, object]]:
    for g in Generator.objects.filter(study=study).order_by("name"):
        released = g.release_date.isoformat() if g.release_date else ""
        yield {"generator": g.name, "release_date": released, "family": g.family, "note": g.note}


def prompt_rows(study: Study) -> Iterator[dict[str, object]]:
    prompts = Prompt.objects.filter(study=study).order_by("key").prefetch_related("atoms")
    for prompt in prompts.iterator(chunk_size=image_chunks.SIZE):
        atoms = [
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
        yield {
            "prompt_id": prompt.key,
            "prompt": prompt.text,
            # JSON: a tag may hold the sign that separates tags.
            "tags": _json(prompt.tags) if prompt.tags else "",
            "atomicity": "" if prompt.atomicity is None else prompt.atomicity,
            "metadata": _json(prompt.metadata) if prompt.metadata else "",
            "atoms": _json(atoms) if atoms else "",
        }


def image_rows(study: Study, *, files: bool = False) -> Iterator[dict[str, object]]:
    for image in _images(study):
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
            sha.update(_json(row).encode())
    for image, row in zip(_images(study), image_rows(study), strict=True):
        sha.update(_json(row).encode())
        if image.file:
            sha.update(_bytes_digest(image.file))
    return sha.hexdigest()


def missing_labels(study: Study) -> tuple[int, list[str]]:
    """How many images nobody has labelled, and the first of them."""
    absent = study.images.filter(annotations__isnull=True).order_by("key")
    return absent.count(), list(absent.values_list("key", flat=True)[:NAMED])


def _images(study: Study) -> Iterator[Image]:
    images = Image.objects.filter(study=study).select_related("prompt", "generator")
    return images.order_by("key").iterator(chunk_size=image_chunks.SIZE)


def _bytes_digest(file: str) -> bytes:
    with default_storage.open(file) as stored:
        return hashlib.sha256(stored.read()).digest()


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
