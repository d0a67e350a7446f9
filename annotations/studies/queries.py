"""Counts what a study has, and names what is missing."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet

from annotations.models import Annotation, Answer, ExamplePicture, Image, Study
from annotations.stored_answers.question import Question, images_n
from annotations.stored_answers.store import read_figures
from jurybox_formats.forms import marks
from jurybox_formats.forms.definition import OWN
from jurybox_formats.forms.scales import CANT_TELL

# Of the answers in words a page shows the most frequent, as far as they fit a line.
WORDS_SHOWN, LONGEST_WORDS = 5, 120


@dataclass(frozen=True, slots=True)
class StudyCounts:
    prompts: int
    images: int
    generators: int
    people: int
    annotations: int
    labelled: int
    # Prompts for which some generator has no image. They change averages, so pages name them.
    missing: tuple[str, ...]


def counts(study: Study) -> StudyCounts:
    kept = read_figures(STUDY, study).body or {}
    return StudyCounts(
        **kept | {"people": study.memberships.count(), "missing": tuple(kept["missing"])}
    )


def _count(study: Study) -> dict[str, Any]:
    counted = Annotation.objects.filter(state=Annotation.State.COUNTED)
    generators = study.generators.count()
    return {
        "prompts": study.prompts.count(),
        "images": images_n(study),
        "generators": generators,
        "annotations": counted.filter(study=study).count(),
        # From the images: SQLite would read the answers of all studies to tell them apart.
        "labelled": study.images.filter(Exists(counted.filter(image=OuterRef("pk")))).count(),
        "missing": list(
            study.prompts.annotate(made=Count("images__generator", distinct=True))
            .filter(made__lt=generators)
            .values_list("key", flat=True)
        ),
    }


def _facts(study: Study) -> str:
    """An import announces no change of labels: this changes with what it brings. Prompts are not counted here,
    for there may be a million."""
    newest = study.prompts.aggregate(pk=Max("pk"))["pk"]
    return f"{newest or 0} {images_n(study)} {study.generators.count()}"


STUDY = Question(
    name="study",
    compute=lambda study, _: _count(study),
    facts=lambda study, _: _facts(study),
    keeps_up=True,
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


def answers_in_words(study: Study) -> dict[str, dict[str, Any]]:
    """question -> how many of its counted answers are words that stand for no number, about how many
    images, and the most frequent of them. Atoms, marks and "can't tell" are not among them."""
    words = (
        Answer.objects.filter(
            annotation__study=study,
            annotation__state=Annotation.State.COUNTED,
            value__isnull=True,
            atom__isnull=True,
        )
        .exclude(text=CANT_TELL)
        .exclude(text__startswith=marks.BEGINS)
        .order_by()
    )
    given: dict[str, list[tuple[int, str]]] = {}
    for question, text, n in words.values_list("question", "text").annotate(Count("pk")):
        given.setdefault(question, []).append((n, text))
    if not given:
        return {}  # Mostly so, and counting images would read all answers once more.
    counted = words.values_list("question").annotate(
        Count("pk"), Count("annotation__image", distinct=True)
    )
    return frequent_words(counted, given)


def drawn_with(study: Study) -> dict[str, str]:
    """By the key of each prompt with a family, what all prompts of this family are called: like no key, which
    has no NUL. Others are drawn by themselves."""
    rows = study.prompts.exclude(family="").order_by().values_list("key", "family")
    return {key: f"\0{family}" for key, family in rows}


def frequent_words(
    counted: Iterable[tuple[str, int, int]], given: dict[str, list[tuple[int, str]]]
) -> dict[str, dict[str, Any]]:
    """`counted`: question, its answers, and of how many images; `given`: how often each text, by question."""
    return {
        question: {
            "answers": answers,
            "images": images,
            "most_frequent": [
                {"text": text[:LONGEST_WORDS], "n": n}
                for n, text in heapq.nsmallest(
                    WORDS_SHOWN, given.get(question, ()), key=lambda row: (-row[0], row[1])
                )
            ],
        }
        for question, answers, images in sorted(counted)
    }


def with_pictures(study: Study, words: str = "") -> QuerySet[Image]:
    """The images to choose from by their pictures: all, or those with these words in the prompt or
    in the image's name. Images of one prompt stand beside each other."""
    rows = Image.objects.filter(study=study).exclude(file="")
    if words:
        rows = rows.filter(Q(prompt__text__icontains=words) | Q(key__icontains=words))
    return rows.select_related("prompt").order_by("prompt_id", "pk")


def addresses(study_id: int, names: set[str]) -> dict[str, str]:
    """What examples name -> public id, for the pictures that this study has. (Those that come with
    Jurybox need none.)"""
    own = {name.removeprefix(OWN) for name in names if name.startswith(OWN)}
    keys = {name for name in names if name and not name.startswith(OWN)}
    found: dict[str, str] = {}
    if keys:
        images = Image.objects.filter(study=study_id, key__in=keys).exclude(file="").order_by()
        found |= images.values_list("key", "public_id")
    if own:
        pictures = ExamplePicture.objects.filter(study=study_id, public_id__in=own).order_by()
        found |= {OWN + one: one for one in pictures.values_list("public_id", flat=True)}
    return found


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
