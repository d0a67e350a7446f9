"""What the pages of this app show: read, never written."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.models import AbstractBaseUser
from django.db.models import Count, Exists, OuterRef, Q

from annotations.models import Annotation, Assignment, Image, Membership, Study


@dataclass(frozen=True, slots=True)
class StudyCounts:
    prompts: int
    images: int
    generators: int
    people: int
    annotations: int
    labelled: int


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one person is: answered, and how many are still left for them."""

    mine: int
    left: int

    @property
    def mine_total(self) -> int:
        return self.mine + self.left


def memberships_of(user: AbstractBaseUser):
    return (
        Membership.objects.filter(user_id=user.pk)
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


def progress(annotator: Membership) -> Progress:
    mine = Annotation.objects.filter(annotator=annotator, state=Annotation.State.COUNTED).count()
    return Progress(mine, left_for(annotator).count())


def left_for(annotator: Membership):
    """Images with a free place that this person has neither answered nor skipped."""
    touched = Assignment.objects.filter(image=OuterRef("pk"), annotator=annotator).exclude(
        state=Assignment.State.LEASED
    )
    held = Assignment.objects.filter(
        image=OuterRef("pk"), annotator=annotator, state=Assignment.State.LEASED
    )
    return (
        Image.objects.filter(study_id=annotator.study_id)
        .exclude(file="")
        .filter(Q(taken__lt=annotator.study.overlap) | Exists(held))
        .filter(~Exists(touched))
        .order_by("place", "pk")
    )


def last_answered(annotator: Membership) -> Annotation | None:
    return (
        Annotation.objects.filter(annotator=annotator, state=Annotation.State.COUNTED)
        .select_related("image__prompt")
        .order_by("-submitted_at", "-pk")
        .first()
    )


def earlier_answers(annotator: Membership, image: Image) -> dict[str, float]:
    """What this person said before they took it back, to start from when they correct it."""
    annotation = Annotation.objects.filter(annotator=annotator, image=image).first()
    if annotation is None:
        return {}
    return dict(annotation.answers.filter(atom__isnull=True).values_list("question", "value"))


def missing_prompts(study: Study) -> list[str]:
    """Prompts that some generator has no image of: averages must not move in silence."""
    return list(
        study.prompts.annotate(made=Count("images__generator", distinct=True))
        .filter(made__lt=study.generators.count())
        .values_list("key", flat=True)
    )


def missing_images(study: Study) -> dict[str, list[str]]:
    """For each generator that made something: the prompts that it made nothing of."""
    keys = dict(study.prompts.values_list("pk", "key"))
    made: dict[str, set[int]] = {}
    pairs = study.images.order_by().values_list("generator__name", "prompt_id").distinct()
    for generator, prompt in pairs.iterator():
        made.setdefault(generator, set()).add(prompt)
    absent = {
        generator: sorted(keys[pk] for pk in keys.keys() - found)
        for generator, found in sorted(made.items())
    }
    return {generator: prompts for generator, prompts in absent.items() if prompts}
