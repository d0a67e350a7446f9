"""Counts what a study has, and names what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Count, QuerySet

from annotations.models import Annotation, Image, Membership, Study


@dataclass(frozen=True, slots=True)
class StudyCounts:
    prompts: int
    images: int
    generators: int
    people: int
    annotations: int
    labelled: int


def memberships_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Membership]:
    return (
        Membership.objects.filter(user=user.pk or 0, study__deleted_at=None)
        .select_related("study")
        .order_by("-study__created_at", "study__slug")
    )


def counts(study: Study) -> StudyCounts:
    counted = Annotation.objects.filter(study=study, state=Annotation.State.COUNTED)
    return StudyCounts(
        prompts=study.prompts.count(),
        images=study.images.count(),
        generators=study.generators.count(),
        people=study.memberships.count(),
        annotations=counted.count(),
        labelled=counted.values("image").distinct().count(),
    )


def addresses(study_id: int, keys: set[str]) -> dict[str, str]:
    """key -> public id, for the images that have a file."""
    if not keys:
        return {}
    images = Image.objects.filter(study=study_id, key__in=keys).exclude(file="").order_by()
    return dict(images.values_list("key", "public_id"))


def missing_prompts(study: Study) -> list[str]:
    """Prompts for which some generator has no image. They change averages, so pages name them."""
    return list(
        study.prompts.annotate(made=Count("images__generator", distinct=True))
        .filter(made__lt=study.generators.count())
        .values_list("key", flat=True)
    )


def missing_images(study: Study) -> dict[str, list[str]]:
    """generator -> the prompts without an image by it, for generators with at least one image."""
    keys = dict(study.prompts.values_list("pk", "key"))
    made: dict[str, set[int]] = {}
    pairs = study.images.order_by().values_list("generator__name", "prompt_id").distinct()
    for generator, prompt in pairs.iterator():
        made.setdefault(generator, set()).add(prompt)
    absent = {
        generator: sorted(keys[pk] for pk in keys.keys() - prompts)
        for generator, prompts in sorted(made.items())
    }
    return {generator: prompts for generator, prompts in absent.items() if prompts}
