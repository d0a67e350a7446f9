"""A study begun from another one: its questions, its settings and, if wanted, its prompts and images.

No person, answer, score or report comes along. The copy is paused, so that nobody labels before its owner
has looked at it. Images are copied by a worker, a few in each transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from django.db import models, transaction

from annotations import event_log
from annotations.copies.rows import (
    copy_example_pictures,
    copy_generators,
    copy_images,
    copy_prompts,
)
from annotations.database import locks
from annotations.errors import StudyRefused
from annotations.forms.versions import form_of, publish_form
from annotations.jobs import JobKind, Progress
from annotations.models import FormVersion, Image, Membership, Prompt, Study, StudyCopy
from annotations.pictures.store import PICTURES
from annotations.storage.room import expect_room
from jurybox_formats.forms.definition import OWN, Example

SETTINGS = (
    "overlap",
    "lease_minutes",
    "gold_share",
    "practice_images",
    "practice_pass",
    "practice_tries",
    "fastest_seconds",
    "description",
    "simulated",
)
LONGEST_SLUG, LONGEST_TITLE = 80, 200
# Rows in one transaction.
BATCH = 200

Row = TypeVar("Row", bound=models.Model)


def free_slug(study: Study, word: str, first: int = 1) -> tuple[str, int]:
    """`shapes-copy`, or with the first number that is free; and that number."""
    number = first
    while True:
        end = f"-{word}" if number == 1 else f"-{word}-{number}"
        slug = study.slug[: LONGEST_SLUG - len(end)] + end
        if not Study._base_manager.filter(slug=slug).exists():
            return slug, number
        number += 1


@transaction.atomic
def begin(*, study: Study, title: str = "", images: bool, by: Any = None) -> Study:
    """The new study at once; its prompts and images follow."""
    if images:
        expect_room()
    # Two who ask at once wait for each other: each gets a name of its own.
    Study.objects.select_for_update().get(pk=study.pk)
    slug, number = free_slug(study, "copy")
    title = " ".join(title.split()) or _next_title(study, number)
    if len(title) > LONGEST_TITLE:
        raise StudyRefused(
            f"A title has at most {LONGEST_TITLE} characters; this one has {len(title)}."
        )
    same = {name: getattr(study, name) for name in SETTINGS}
    made = Study.objects.create(
        slug=slug,
        title=title,
        form=study.form,
        status=Study.Status.PAUSED,
        created_by=by,
        **same,
    )
    if by is not None:
        Membership.objects.create(
            study=made, user=by, name=by.get_username(), role=Membership.Role.OWNER
        )
    with locks.together(PICTURES):
        made.form = _form(study, made)
    made.save(update_fields=["form"])
    event_log.note(made, "copied", f"made this study as a copy of {study.slug}")
    if images:
        total = study.prompts.count() + study.images.count()
        StudyCopy.objects.create(study=made, source=study.pk, total=total, by=by)
    return made


def copy_of(study: Study) -> StudyCopy | None:
    """The work that fills this study, where it is a copy with images."""
    return StudyCopy.objects.filter(study=study).first()


def try_again(*, copy: StudyCopy) -> None:
    if not KIND.try_again(copy.pk):
        raise StudyRefused("Its images are being copied; there is nothing to try again.")


def _next_title(study: Study, number: int) -> str:
    end = ", copy" if number == 1 else f", copy {number}"
    return study.title[: LONGEST_TITLE - len(end)] + end


def _form(study: Study, made: Study) -> FormVersion:
    """The same version, unless its examples show pictures that the owner brought: those are the study's own."""
    pictures = copy_example_pictures(study, made)
    if not pictures:
        return study.form
    names = {OWN + old: OWN + new for old, new in pictures.items()}

    def renamed(examples: tuple[Example, ...]) -> tuple[Example, ...]:
        return tuple(replace(one, image=names.get(one.image, one.image)) for one in examples)

    form = form_of(study.form)
    return publish_form(
        replace(form, examples=renamed(form.examples), edge_cases=renamed(form.edge_cases))
    )


def _fill(copy: StudyCopy, progress: Progress) -> Mapping[str, Any]:
    """What is there already is passed over, so a worker that was killed is continued where it stopped."""
    made, source = copy.study, Study.objects.filter(pk=copy.source).first()
    assert made is not None
    if source is None:
        raise StudyRefused("The study that was copied has been deleted. What came before stays.")
    copy_generators(source.generators.all(), made)
    done = 0
    for prompts in _batches(Prompt.objects.filter(study=source)):
        with locks.together(PICTURES), transaction.atomic():
            copy_prompts(prompts, made)
        progress(done := done + len(prompts))
    rows = Image.objects.filter(study=source).select_related("prompt", "generator")
    for images in _batches(rows):
        with locks.together(PICTURES), transaction.atomic():
            copy_images(images, made, gold=True)
        progress(done := done + len(images))
    return {"images": made.images.count(), "prompts": made.prompts.count()}


def _batches(rows: models.QuerySet[Row]) -> Iterator[list[Row]]:
    above = 0
    while batch := list(rows.filter(pk__gt=above).order_by("pk")[:BATCH]):
        yield batch
        above = batch[-1].pk


KIND = JobKind(StudyCopy, _fill, "they were copying its images", limit=6 * 3600)
