"""Where people disagree: their answers side by side, without names, and a decision with a note.

A decision changes nobody's answer. It is the reference where the consensus named "adjudicated" is
asked for.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from django.db import transaction
from django.db.models import Count, Max, Min

from annotations import event_log as trail
from annotations.errors import LabelRefused
from annotations.forms.papers.derived_answers import WORDS
from annotations.forms.versions import questions_for
from annotations.models import Annotation, Answer, Atom, Decision, Image, Study
from annotations.signals import labels_changed


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    words: str
    chosen: bool
    # How many people said so.
    people: int


@dataclass(frozen=True, slots=True)
class Disputed:
    """One question about one image: what each person said, in the same order for all questions."""

    key: str
    words: str
    said: tuple[str, ...]
    options: tuple[Option, ...]
    note: str
    decided: bool
    agreed: bool


def disagreements(study: Study) -> list[tuple[int, str, bool]]:
    """(image, address, decided) of the images on which some question has different answers."""
    decided = set(
        Decision.objects.filter(image__study=study).order_by().values_list("image_id", flat=True)
    )
    rows = (
        _counted(study)
        .values("annotation__image_id", "question", "atom_id")
        .annotate(low=Min("value"), high=Max("value"), first=Min("text"), last=Max("text"))
        .annotate(people=Count("pk"))
        .filter(people__gte=2)
        .values_list("annotation__image_id", "low", "high", "first", "last")
    )
    found = {image for image, low, high, first, last in rows if low != high or first != last}
    places = Image.objects.filter(pk__in=found) if len(found) < 500 else study.images.all()
    return [
        (pk, public_id, pk in decided)
        for pk, public_id in places.order_by("place", "pk").values_list("pk", "public_id")
        if pk in found
    ]


def disputed(image: Image) -> list[Disputed]:
    """Every question about this image with all answers; those in dispute first."""
    annotations = list(
        Annotation.objects.filter(image=image, state=Annotation.State.COUNTED)
        .prefetch_related("answers__atom")
        .order_by("pk")
    )
    # Another order for every image, so that a letter stands for nobody.
    annotations.sort(key=lambda one: hashlib.sha256(f"{image.pk}/{one.pk}".encode()).digest())
    decisions = {
        _key(d.question, d.atom.index if d.atom else None): d
        for d in Decision.objects.filter(image=image).select_related("atom")
    }
    said: dict[str, list[str]] = {}
    for number, annotation in enumerate(annotations):
        for answer in annotation.answers.all():
            key = _key(answer.question, answer.atom.index if answer.atom else None)
            row = said.setdefault(key, [""] * len(annotations))
            row[number] = _shown(answer)
    known = {asked.key: asked for asked in questions_for(image.study.form, image.prompt)}
    order = {key: place for place, key in enumerate(known)}
    rows = [
        _row(key, row, known.get(key), decisions.get(key))
        for key, row in sorted(said.items(), key=lambda item: order.get(item[0], len(order)))
    ]
    return sorted(rows, key=lambda row: row.agreed)


@transaction.atomic
def decide(*, image: Image, key: str, answer: str, note: str, by) -> Decision:
    """Settle one question about one image. Deciding again replaces what was decided."""
    row = next((one for one in disputed(image) if one.key == key), None)
    if row is None:
        raise LabelRefused("Nobody answered this question about this image; nothing was decided.")
    if answer not in [option.value for option in row.options]:
        words = ", ".join(option.words for option in row.options)
        raise LabelRefused(f"“{row.words}” takes one of: {words}; nothing was decided.")
    name, dot, index = key.partition(".")
    atom = Atom.objects.get(prompt=image.prompt_id, index=int(index)) if dot else None
    number = _number(answer)
    decision, _ = Decision.objects.update_or_create(
        image=image,
        question=name,
        atom=atom,
        defaults={
            "value": number,
            "text": answer if number is None else "",
            "note": note.strip()[:2000],
            "decided_by": by,
        },
    )
    study = image.study_id
    trail.note(study, "decided", f"decided “{key}” of the image {image.key}: {answer}")
    transaction.on_commit(lambda: labels_changed.send(sender=Study, study_id=study))
    return decision


def as_known_answers(image: Image) -> dict[str, float | str]:
    """What was decided about an image, in the form in which a gold image keeps it."""
    found = Decision.objects.filter(image=image).select_related("atom")
    return {
        _key(d.question, d.atom.index if d.atom else None): d.text if d.value is None else d.value
        for d in found
    }


def decisions_on(*, study: Study, question: str, images: dict[int, int]) -> np.ndarray:
    """The decided values of a question about whole images; `images`: key -> column."""
    out = np.full(len(images), np.nan)
    rows = Decision.objects.filter(
        image__study=study, question=question, atom__isnull=True, value__isnull=False
    ).order_by()
    for image, value in rows.values_list("image_id", "value"):
        out[images[image]] = value
    return out


def decided_atoms(study: Study) -> dict[tuple[int, int], float]:
    """(image, atom) -> what was decided about this part of the prompt."""
    rows = Decision.objects.filter(
        image__study=study, question="atom", atom__isnull=False, value__isnull=False
    ).order_by()
    return {
        (image, atom): value for image, atom, value in rows.values_list("image", "atom", "value")
    }


def _counted(study: Study):
    return Answer.objects.filter(
        annotation__study=study, annotation__state=Annotation.State.COUNTED
    ).order_by()


def _row(key: str, said: list[str], asked, decision: Decision | None) -> Disputed:
    # What follows from the answers is a yes or a no.
    words = {"1": "Yes", "0": "No"} if key in WORDS else {}
    if asked is not None:
        words = {_text(choice.value): choice.text for choice in asked.question.choices}
    given = [value for value in said if value]
    chosen = "" if decision is None else (decision.text or _text(decision.value))
    values = list(dict.fromkeys([*words, *given]))
    title = WORDS.get(key, key) if asked is None else asked.question.text
    if asked is not None and asked.atom is not None:
        title = asked.atom.question or asked.atom.text
    return Disputed(
        key=key,
        words=title,
        said=tuple(words.get(value, value) for value in said),
        options=tuple(
            Option(value, words.get(value, value), value == chosen, given.count(value))
            for value in values
        ),
        note="" if decision is None else decision.note,
        decided=decision is not None,
        agreed=len(set(given)) < 2,
    )


def _key(question: str, atom: int | None) -> str:
    return question if atom is None else f"{question}.{atom}"


def _shown(answer: Answer) -> str:
    return answer.text if answer.value is None else _text(answer.value)


def _text(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float | int) else value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
