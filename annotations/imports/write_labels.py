"""Labels by the million: checked in Python, written by the fastest way the database has.

Nothing grows with the number of rows: images, atoms and people are looked up as they come, and
what was answered before is asked of the database, batch by batch.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from annotations.database import bulk
from annotations.exports.pseudonyms import MADE, people_behind
from annotations.imports.outcome import Outcome
from annotations.models import (
    Annotation,
    Answer,
    Assignment,
    Atom,
    FormVersion,
    Image,
    Membership,
    Study,
)
from annotations.sources.records import LabelRecord

# So many images (or atoms) are remembered between batches.
REMEMBERED = 200_000
KEY_LENGTH, QUESTION_LENGTH, TEXT_LENGTH = 200, 80, 20_000
# A study with more questions than this has its columns mixed up.
QUESTIONS = 1000
NO_QUESTION = f"A question's name has at most {QUESTION_LENGTH} characters, a study {QUESTIONS}."
# What a question of this name means, whatever form a study has (README, "Tidy tables").
KNOWN = {
    "aligned": (0.0, 1.0),
    "quality": (0.0, 1.0),
    "likert": (1.0, 2.0, 3.0, 4.0, 5.0),
    "atom": (0.0, 1.0),
}


class LabelWriter:
    def __init__(self, study: Study, outcome: Outcome, *, simulated: bool = False) -> None:
        self.study, self.outcome, self.simulated = study, outcome, simulated
        self.images: dict[str, tuple[int, int]] = {}
        self.atoms: dict[int, dict[int, int]] = {}
        self.people: dict[str, int] = {}
        self.forms: dict[str, int] = {}
        self.rules = {question["name"]: _rule(question) for question in study.form.questions}
        self.given: dict[str, set[float]] = {}
        self.unknown_forms: set[str] = set()

    @transaction.atomic
    def write(self, batch: list[LabelRecord]) -> None:
        self._find_images(batch)
        rows = self._checked(batch)
        self._find_people(rows)
        annotations, old = self._annotations(rows)
        self._answers(rows, annotations, old)

    def remarks(self) -> list[str]:
        """The scale of each question that no form explains, as it was inferred."""
        words = [
            f"Question “{question}”: not one of the form's; its scale was inferred as "
            f"{scale(values)}."
            for question, values in sorted(self.given.items())
        ]
        return words + [
            f"Form “{form}” is not known here; its labels carry the study's own form."
            for form in sorted(self.unknown_forms)
        ]

    def _find_images(self, batch: list[LabelRecord]) -> None:
        if len(self.images) > REMEMBERED:
            self.images.clear()
            self.atoms.clear()
        wanted = {r[0] for r in batch if r[0] not in self.images}
        if wanted:
            found = Image.objects.filter(study=self.study, key__in=wanted).order_by()
            for key, pk, prompt in found.values_list("key", "pk", "prompt_id"):
                self.images[key] = (pk, prompt)
        prompts = {
            self.images[r[0]][1] for r in batch if r[4] is not None and r[0] in self.images
        } - self.atoms.keys()
        if prompts:
            self.atoms.update((prompt, {}) for prompt in prompts)
            found = Atom.objects.filter(prompt__in=prompts).order_by()
            for prompt, index, pk in found.values_list("prompt_id", "index", "pk"):
                self.atoms[prompt][index] = pk

    def _find_people(self, rows: list[list]) -> None:
        """Names become people; only those who said something that can be taken."""
        wanted = {row[1] for row in rows} - self.people.keys()
        if wanted:
            there = Membership.objects.filter(study=self.study, name__in=wanted)
            self.people.update(there.values_list("name", "pk"))
        if any(MADE.fullmatch(name) for name in wanted - self.people.keys()):
            behind = people_behind(self.study)
            self.people.update((name, behind[name]) for name in wanted & behind.keys())
        for name in sorted(wanted - self.people.keys()):
            person = Membership.objects.create(
                study=self.study, name=name, simulated=self.simulated
            )
            self.people[name] = person.pk
        people = self.people
        for row in rows:
            row[1] = people[row[1]]

    def _checked(self, batch: list[LabelRecord]) -> list[list]:
        """[image, name, question, atom, number, text, record] of each sound row."""
        images, rules, atoms = self.images, self.rules, self.atoms
        people = self.people
        rows = []
        for r in batch:
            key, rater, question, value, atom, seconds = r[:6]
            place = images.get(key)
            if place is None:
                self._reject(r, "image_id", key, "The study has no such image.")
                continue
            if rater not in people and not _sound(rater, KEY_LENGTH):
                self._reject(r, "rater", rater, "Not sound text of at most 200 characters.")
                continue
            atom_pk = None
            if atom is not None:
                atom_pk = atoms[place[1]].get(atom)
                if atom_pk is None:
                    self._reject(r, "atom", atom, "The prompt of this image has no such atom.")
                    continue
            rule = rules.get(question)
            if rule is None:
                rule = self._new_rule(question)
                if rule is None:
                    self._reject(r, "question", question, NO_QUESTION)
                    continue
            if question == "atom" and atom is None:
                self._reject(r, "atom", None, "A row about an atom must say which one.")
                continue
            number, text = value, ""
            if type(value) is str:
                number = rule[1].get(value.strip().lower())
                if number is None:
                    text = value
            numbers = rule[0]
            if numbers is not None:
                if number not in numbers and not (text and rule[3] and _chosen(text, rule[3])):
                    self._reject(r, "value", value, rule[2])
                    continue
            elif number is not None:
                self._saw(question, number)
            if text and not _sound(text, TEXT_LENGTH):
                self._reject(r, "value", text[:80], "Not sound text of at most 20000 characters.")
                continue
            if seconds is not None and not 0 <= seconds < 1e9:
                self._reject(r, "seconds", seconds, "Time cannot be negative or endless.")
                continue
            rows.append([place[0], rater, question, atom_pk, number, text, r])
        return rows

    def _annotations(self, rows: list[list]) -> tuple[dict[tuple[int, int], int], set[int]]:
        """The annotation of each image and person, made where there is none; and the old ones."""
        pairs = dict.fromkeys((row[0], row[1]) for row in rows)
        found = Annotation.objects.filter(
            study=self.study, image__in={image for image, _ in pairs}
        ).order_by()
        there = {
            (image, person): pk
            for image, person, pk in found.values_list("image_id", "annotator_id", "pk")
            if (image, person) in pairs
        }
        old = set(there.values())
        first: dict[tuple[int, int], LabelRecord] = {}
        for row in rows:
            first.setdefault((row[0], row[1]), row[6])
        new = [pair for pair in pairs if pair not in there]
        if not new:
            return there, old
        ids = bulk.next_ids(Annotation, len(new))
        there.update(zip(new, ids, strict=True))
        now = timezone.now()
        moment = _adapted(now)
        study, batch = self.study.pk, os.urandom(8).hex()
        submission = _uuid if connection.vendor == "postgresql" else str
        counted = Annotation.State.COUNTED.value

        def annotations() -> Iterable[tuple]:
            for number, (pair, pk) in enumerate(zip(new, ids, strict=True)):
                r = first[pair]
                said = r[6]
                yield (
                    pk,
                    study,
                    pair[0],
                    pair[1],
                    self._form(r[7]),
                    # Random for the batch, then counted: the index grows at its end.
                    submission(f"{batch}{number:016x}"),
                    counted,
                    1,
                    r[5],
                    moment if said is None else _adapted(said),
                    moment,
                )

        bulk.insert(Annotation, ANNOTATION, annotations())
        self._occupy(new, moment)
        self.outcome.annotations += len(new)
        return there, old

    def _occupy(self, pairs: list[tuple[int, int]], moment: Any) -> None:
        """An answer that came from outside takes a place of the study's overlap too."""
        found = Assignment.objects.filter(image__in={image for image, _ in pairs}).order_by()
        held = {(i, p): (pk, s) for i, p, pk, s in found.values_list(*HELD)}
        answered = Assignment.State.ANSWERED.value
        study = self.study.pk
        fresh = [pair for pair in pairs if pair not in held]
        bulk.insert(
            Assignment,
            ASSIGNMENT,
            ((study, image, person, answered, None, "", moment) for image, person in fresh),
        )
        # Whoever had the image in hand has answered it now; the lease's place stays theirs.
        taken_up = [held[pair] for pair in pairs if pair in held]
        Assignment.objects.filter(pk__in=[pk for pk, _ in taken_up]).update(
            state=answered, leased_until=None
        )
        leased = {pair for pair in pairs if held.get(pair, ("", ""))[1] == Assignment.State.LEASED}
        places = Counter(image for image, person in pairs if (image, person) not in leased)
        for count in set(places.values()):
            Image.objects.filter(pk__in=[i for i, n in places.items() if n == count]).update(
                taken=F("taken") + count
            )

    def _answers(
        self, rows: list[list], annotations: dict[tuple[int, int], int], old: set[int]
    ) -> None:
        there: dict[tuple[int, str, int | None], tuple[float | None, str]] = {}
        touched = old & set(annotations.values())
        if touched:
            found = Answer.objects.filter(annotation__in=touched).order_by()
            for pk, question, atom, number, text in found.values_list(*GIVEN):
                there[pk, question, atom] = (number, text)
        new = []
        unchanged = 0
        for image, person, question, atom, number, text, r in rows:
            annotation = annotations[image, person]
            place = (annotation, question, atom)
            said = there.get(place)
            if said is None:
                there[place] = (number, text)
                new.append((annotation, question, atom, number, text))
            elif said == (number, text):
                unchanged += 1
            else:
                words = "This person has answered this question already, with {}."
                self._reject(r, "value", r[3], words.format(said[1] or f"{said[0]:g}"))
        bulk.insert(Answer, ANSWER, new)
        self.outcome.unchanged += unchanged
        self.outcome.answers += len(new)

    def _new_rule(self, question: str) -> tuple | None:
        if not _sound(question, QUESTION_LENGTH) or not question.strip():
            return None
        if len(self.rules) >= QUESTIONS:
            return None
        if question in KNOWN:
            values = KNOWN[question]
            words = "0 or 1" if values == (0.0, 1.0) else "a whole number from 1 to 5"
            texts = {"yes": 1.0, "no": 0.0} if values == (0.0, 1.0) else {}
            rule = (set(values), texts, f"“{question}” takes {words}.", None)
        else:
            self.given[question] = set()
            rule = (None, {}, "", None)
        self.rules[question] = rule
        return rule

    def _saw(self, question: str, number: float) -> None:
        """Enough of the values to know the scale: all of them while they are few, then the ends."""
        values = self.given.get(question)
        if values is None:
            return
        values.add(number)
        if len(values) > 8:
            self.given[question] = {min(values), max(values), 0.5}

    def _form(self, name: str) -> int:
        if not name:
            return self.study.form_id
        if name not in self.forms:
            slug, _, version = name.rpartition(" v")
            found = (
                FormVersion.objects.filter(slug=slug, version=int(version)).first()
                if version.isdecimal() and len(version) < 9
                else None
            )
            if found is None:
                self.unknown_forms.add(name[:80])
            if len(self.forms) > 1000:
                self.forms.clear()
            self.forms[name] = found.pk if found else self.study.form_id
        return self.forms[name]

    def _reject(self, record: LabelRecord, field: str, value: object, reason: str) -> None:
        self.outcome.reject(
            line=record.line, field=field, value=value, reason=reason, source=record.source
        )


ANNOTATION = (
    "id",
    "study",
    "image",
    "annotator",
    "form",
    "submission",
    "state",
    "revision",
    "seconds",
    "submitted_at",
    "created_at",
)
ASSIGNMENT = ("study", "image", "annotator", "state", "leased_until", "note", "created_at")
ANSWER = ("annotation", "question", "atom", "value", "text")
HELD = ("image_id", "annotator_id", "pk", "state")
GIVEN = ("annotation_id", "question", "atom_id", "value", "text")


def scale(values: set[float]) -> str:
    """Yes/no, a rating from 1 to 5, or a number: the same rule as the report's."""
    if not values:
        return "text, which no statistic uses"
    if values <= {0, 1}:
        return "yes/no (0 and 1)"
    if values <= {1, 2, 3, 4, 5}:
        return "a rating from 1 to 5"
    return f"a number from {min(values):g} to {max(values):g}"


def _rule(question: dict) -> tuple:
    """(numbers, words -> number, what is wanted, other texts): what a question of the form takes."""
    kind, choices = question.get("kind", "choice"), question.get("choices", ())
    if kind in ("text", "number") or not choices:
        return (None, {}, f"“{question['name']}” takes a {kind}.", None)
    words = ", ".join(f"{_plain(choice['value'])} ({choice['text']})" for choice in choices)
    numbers = {float(c["value"]) for c in choices if not isinstance(c["value"], str)}
    texts = {c["value"] for c in choices if isinstance(c["value"], str)}
    said = {
        c["text"].strip().lower(): float(c["value"])
        for c in choices
        if not isinstance(c["value"], str)
    }
    several = kind == "choices"
    return (
        numbers,
        said,
        f"“{question['name']}” takes {'some' if several else 'one'} of: {words}.",
        (texts, several) if texts else None,
    )


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _chosen(text: str, texts: tuple[set[str], bool]) -> bool:
    """A choice that is a word, or several of them: `red|white`."""
    allowed, several = texts
    return set(text.split("|")) <= allowed if several else text in allowed


def _sound(text: str, longest: int) -> bool:
    if not 0 < len(text) <= longest or "\0" in text:
        return False
    return text.isascii() or text == text.encode(errors="ignore").decode()


def _adapted(moment: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(moment)


def _uuid(text: str) -> str:
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
