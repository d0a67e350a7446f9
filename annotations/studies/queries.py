"""Counts what a study has, and names what is missing."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q

from annotations.models import Annotation, Answer, Image, Study
from annotations.scales import CANT_TELL


@dataclass(frozen=True, slots=True)
class StudyCounts:
    prompts: int
    images: int
    generators: int
    people: int
    annotations: int
    labelled: int


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


def cannot_tell(study: Study) -> dict[str, dict[str, int]]:
    """question -> how many of its counted answers are "can't tell" (`n`), and how many there are
    (`of`). Questions without such an answer are left out."""
    typed = [asked["name"] for asked in study.form.questions if asked.get("kind") == "text"]
    rows = (
        Answer.objects.filter(annotation__study=study, annotation__state=Annotation.State.COUNTED)
        .exclude(question__in=typed)
        .order_by()
        .values("question")
        .annotate(n=Count("pk", filter=Q(text=CANT_TELL)), of=Count("pk"))
        .filter(n__gt=0)
        .values_list("question", "n", "of")
    )
    return {question: {"n": n, "of": of} for question, n, of in sorted(rows)}


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
