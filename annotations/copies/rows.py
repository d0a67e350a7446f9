"""What a study shows, written into another study: generators, prompts with their parts and pictures, images.

A row whose key is there already is left as it is, so that a copy which was interrupted goes on. Each picture
gets a file of its own: nothing tells that two images are one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from annotations.labelling.image_order import seeded_place
from annotations.models import Atom, ExamplePicture, Generator, Image, Prompt, PromptPicture, Study
from annotations.pictures.store import copy_picture

OF_GENERATOR = ("name", "release_date", "family", "note")
OF_PROMPT = ("key", "text", "tags", "family", "atomicity", "metadata", "picture_count")
OF_ATOM = ("index", "kind", "text", "question", "expected", "parents")
OF_IMAGE = ("key", "variant", "sample", "sha256", "width", "height", "metadata")
OF_PICTURE = ("sha256", "width", "height")


def copy_generators(generators: Iterable[Generator], made: Study) -> dict[int, Generator]:
    """By the key of the old one."""
    there = {one.name: one for one in made.generators.all()}
    found = {}
    for old in generators:
        if old.name not in there:
            there[old.name] = Generator.objects.create(study=made, **_same(old, OF_GENERATOR))
        found[old.pk] = there[old.name]
    return found


def copy_prompts(prompts: Iterable[Prompt], made: Study) -> dict[int, Prompt]:
    """By the key of the old one. A few at a time: all are in memory."""
    olds = list(prompts)
    there = {one.key: one for one in made.prompts.filter(key__in=[old.key for old in olds])}
    new = [old for old in olds if old.key not in there]
    rows = [Prompt(study=made, **_same(old, OF_PROMPT)) for old in new]
    there |= {row.key: row for row in Prompt.objects.bulk_create(rows)}
    by_old = {old.pk: there[old.key] for old in olds}
    wanted = [old.pk for old in new]
    Atom.objects.bulk_create(
        Atom(prompt=by_old[old.prompt_id], **_same(old, OF_ATOM))
        for old in Atom.objects.filter(prompt__in=wanted)
    )
    PromptPicture.objects.bulk_create(
        _prompt_picture(old, by_old[old.prompt_id], made)
        for old in PromptPicture.objects.filter(prompt__in=wanted)
    )
    return by_old


def _prompt_picture(old: PromptPicture, prompt: Prompt, made: Study) -> PromptPicture:
    file = _copy_file(old, f"{old.place} of {prompt.key}", made)
    return PromptPicture(
        study=made, prompt=prompt, place=old.place, file=file, **_same(old, OF_PICTURE)
    )


def copy_images(images: Iterable[Image], made: Study, *, gold: bool = False) -> None:
    """With their prompts and generators, which they bring along. A few at a time: all are in memory.
    `gold`: with their known answers."""
    olds = list(images)
    prompts = copy_prompts({old.prompt_id: old.prompt for old in olds}.values(), made)
    generators = copy_generators({old.generator_id: old.generator for old in olds}.values(), made)
    there = made.images.filter(key__in=[old.key for old in olds])
    known = set(there.values_list("key", flat=True))
    Image.objects.bulk_create(
        Image(
            study=made,
            prompt=prompts[old.prompt_id],
            generator=generators[old.generator_id],
            file=_copy_file(old, old.key, made) if old.file else "",
            place=seeded_place(made.slug, old.prompt.key, old.variant, old.sample),
            gold=old.gold if gold else None,
            **_same(old, OF_IMAGE),
        )
        for old in olds
        if old.key not in known
    )


def copy_example_pictures(study: Study, made: Study) -> dict[str, str]:
    """Their old names and their new ones."""
    names = {}
    for old in ExamplePicture.objects.filter(study=study):
        new, _ = ExamplePicture.objects.get_or_create(
            study=made,
            sha256=old.sha256,
            defaults={
                "file": _copy_file(old, "This file", made),
                "width": old.width,
                "height": old.height,
            },
        )
        names[old.public_id] = new.public_id
    return names


def _copy_file(old: Image | PromptPicture | ExamplePicture, name: str, made: Study) -> str:
    return copy_picture(old.file, sha256=old.sha256, name=name, study=made.slug)


def _same(old: Any, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(old, name) for name in names}
