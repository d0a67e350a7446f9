"""Images that people disagree about: their answers side by side without names, and the decision.

A decision changes nobody's answer. Reports use it as the reference when their consensus is
"adjudicated".
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, overload

import numpy as np
from django.db import transaction
from django.db.models import Count, Exists, Max, Min, OuterRef, QuerySet

from annotations import event_log
from annotations.errors import LabelRefused
from annotations.forms.versions import questions_for
from annotations.models import Annotation, Answer, Atom, Decision, Image, Study
from annotations.stored_answers.question import Question
from annotations.stored_answers.store import keys_of, read_figures
from annotations.stored_answers.waiting import waiting_for_first
from annotations.versions import after_commit, raise_labels_version
from jurybox_formats.forms import marks
from jurybox_formats.forms.papers.derived_answers import WORDS
from jurybox_formats.forms.per_image import AskedQuestion


@dataclass(frozen=True, slots=True)
class Option:
    value: str
    words: str
    chosen: bool
    # How many people chose it.
    people: int


@dataclass(frozen=True, slots=True)
class DisputedQuestion:
    """One question about one image. `answers`: one for each person, in the same order for all
    questions about the image; empty where a person has none."""

    key: str
    words: str
    answers: tuple[str, ...]
    options: tuple[Option, ...]
    note: str
    decided: bool
    agreed: bool


class Case(NamedTuple):
    """An image that people disagree about."""

    image_id: int
    public_id: str
    decided: bool
    has_file: bool


@dataclass(frozen=True, slots=True)
class Cases(Sequence[Case]):
    """The images that people disagree about, in the order of labelling, by their keys alone. Only the
    cases that somebody looks at are fetched. `counted_at`: None where no label has changed since. `waiting`:
    who will count them; empty once they are counted."""

    keys: np.ndarray
    decided: frozenset[int]
    counted_at: datetime | None = None
    waiting: str = ""

    @property
    def open(self) -> Cases:
        if not self.decided:
            return self
        return replace(self, keys=self.keys[~np.isin(self.keys, list(self.decided))])

    @property
    def decided_n(self) -> int:
        return len(self) - len(self.open)

    def following(self, image_id: int) -> str:
        """The public id of the first other case; empty where there is none."""
        other = self.keys[:2][self.keys[:2] != image_id]
        return next((case.public_id for case in replace(self, keys=other[:1])), "")

    def __iter__(self) -> Iterator[Case]:
        return iter(self[:])

    def __len__(self) -> int:
        return len(self.keys)

    @overload
    def __getitem__(self, place: int) -> Case: ...
    @overload
    def __getitem__(self, place: slice) -> list[Case]: ...
    def __getitem__(self, place: int | slice) -> Case | list[Case]:
        if isinstance(place, int):
            return self[place : place + 1 or None][0]
        keys = self.keys[place].tolist()
        # A picture may be gone since this was counted.
        images = Image.objects.filter(pk__in=keys).order_by()
        known = {
            pk: (public_id, bool(file))
            for pk, public_id, file in images.values_list("pk", "public_id", "file")
        }
        return [
            Case(key, public_id, key in self.decided, has_file)
            for key in keys
            if key in known
            for public_id, has_file in [known[key]]
        ]


def disagreements(study: Study) -> Cases:
    """The images for which some question has different answers."""
    found = read_figures(DISAGREEMENTS, study, may_wait=True)
    decided = decisions_of(study).order_by().values_list("image_id")
    return Cases(
        keys_of(found),
        frozenset(pk for (pk,) in decided),
        found.old_since,
        waiting_for_first(found),
    )


def _count(study: Study) -> tuple[dict[str, Any], np.ndarray]:
    """The keys of the images, in the order of the study."""
    rows = (
        Answer.objects.filter(annotation__study=study, annotation__state=Annotation.State.COUNTED)
        .order_by()
        .values("annotation__image_id", "question", "atom_id")
        .annotate(low=Min("value"), high=Max("value"), first=Min("text"), last=Max("text"))
        .annotate(people=Count("pk"))
        .filter(people__gte=2)
        .exclude(first__startswith=marks.BEGINS)
        .values_list("annotation__image_id", "low", "high", "first", "last")
    )
    split = {
        image
        for image, low, high, first, last in rows.iterator(chunk_size=20_000)
        if low != high or first != last
    }
    images = Image.objects.filter(pk__in=split) if len(split) < 500 else study.images.all()
    places = images.order_by("place", "pk").values_list("pk", flat=True)
    return {}, np.array([pk for pk in places.iterator(chunk_size=20_000) if pk in split], np.int64)


DISAGREEMENTS = Question(
    name="disagreements", compute=lambda study, _: _count(study), keeps_up=True
)


def answers_side_by_side(image: Image) -> list[DisputedQuestion]:
    """Every question about this image with all answers; the disputed ones first."""
    annotations = list(
        Annotation.objects.filter(image=image, state=Annotation.State.COUNTED)
        .prefetch_related("answers__atom")
        .order_by("pk")
    )
    # Reshuffled for each image, so that a letter does not stand for a person.
    annotations.sort(key=lambda a: hashlib.sha256(f"{image.pk}/{a.pk}".encode()).digest())
    decisions = {
        _key(d.question, d.atom.index if d.atom else None): d
        for d in Decision.objects.filter(image=image).select_related("atom")
    }
    answers: dict[str, list[str]] = {}
    for number, annotation in enumerate(annotations):
        for answer in annotation.answers.all():
            if marks.are_in(answer.text):
                continue
            key = _key(answer.question, answer.atom.index if answer.atom else None)
            row = answers.setdefault(key, [""] * len(annotations))
            row[number] = _answer_text(answer)
    known = {asked.key: asked for asked in questions_for(image.study.form, image.prompt)}
    order = {key: place for place, key in enumerate(known)}
    rows = [
        _row(key, row, known.get(key), decisions.get(key))
        for key, row in sorted(answers.items(), key=lambda item: order.get(item[0], len(order)))
    ]
    return sorted(rows, key=lambda row: row.agreed)


@transaction.atomic
def decide(*, image: Image, key: str, answer: str, note: str, by) -> Decision:
    """Decide one question about one image. Deciding again replaces the decision."""
    row = next((row for row in answers_side_by_side(image) if row.key == key), None)
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
    words = f"decided “{key}” of the image {image.key}: {answer}"
    event_log.note(image.study_id, "decided", words)
    after_commit(raise_labels_version, image.study_id)
    return decision


def as_known_answers(image: Image) -> dict[str, float | str]:
    """The decisions about an image, in the format of `Image.gold`."""
    decisions = Decision.objects.filter(image=image).select_related("atom")
    return {
        _key(d.question, d.atom.index if d.atom else None): d.text if d.value is None else d.value
        for d in decisions
    }


def decisions_of(study: Study) -> QuerySet[Decision]:
    """From the decisions: there are far fewer of all studies than this one may have images."""
    ours = Image.objects.filter(pk=OuterRef("image"), study=study)
    return Decision.objects.filter(Exists(ours))


def decisions_on(*, study: Study, question: str, images: dict[int, int]) -> np.ndarray:
    """The decided values of a question about whole images; `images`: key -> column."""
    out = np.full(len(images), np.nan)
    rows = (
        decisions_of(study)
        .filter(question=question, atom__isnull=True, value__isnull=False)
        .order_by()
    )
    for image, value in rows.values_list("image_id", "value"):
        out[images[image]] = value
    return out


def decided_atoms(study: Study) -> dict[tuple[int, int], float]:
    """(image, atom) -> the decided value of this atom."""
    rows = (
        decisions_of(study)
        .filter(question="atom", atom__isnull=False, value__isnull=False)
        .order_by()
    )
    return {
        (image, atom): value
        for image, atom, value in rows.values_list("image", "atom", "value")
        if value is not None
    }


def _row(
    key: str, answers: list[str], asked: AskedQuestion | None, decision: Decision | None
) -> DisputedQuestion:
    # Derived answers are yes or no.
    words = {"1": "Yes", "0": "No"} if key in WORDS else {}
    if asked is not None:
        words = {_text(choice.value): choice.text for choice in asked.question.choices}
    given = [value for value in answers if value]
    chosen = "" if decision is None else _answer_text(decision)
    values = list(dict.fromkeys([*words, *given]))
    title = WORDS.get(key, key) if asked is None else asked.question.text
    if asked is not None and asked.atom is not None:
        title = asked.atom.question or asked.atom.text
    return DisputedQuestion(
        key=key,
        words=title,
        answers=tuple(words.get(value, value) for value in answers),
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


def _answer_text(answer: Answer | Decision) -> str:
    return answer.text if answer.value is None else _text(answer.value)


def _text(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float | int) else value


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
