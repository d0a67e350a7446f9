"""Labels by the million: checked in Python, written by the fastest way the database has.

Nothing grows with the number of rows: images, atoms and people are looked up as they come, and
what was answered before is looked up in the database, batch by batch.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from operator import add
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone

from annotations import event_log
from annotations.database import bulk, rehearsal
from annotations.database.among import among_lookup
from annotations.database.scrub import PSEUDONYM
from annotations.exports.pseudonyms import people_behind, pseudonym
from annotations.file_names import names_in_study
from annotations.forms.named_elsewhere import find_form, name_form
from annotations.imports.check_labels import AT_ONCE, FitRows, Given, LabelChecks, fits
from annotations.imports.known_images import KnownImages
from annotations.imports.outcome import Outcome
from annotations.models import (
    Annotation,
    Answer,
    Assignment,
    Image,
    Membership,
    Study,
)
from annotations.names import name_look
from jurybox_formats.sources.checks import KEY_LENGTH, Unfit
from jurybox_formats.sources.records import LabelRecord

NOT_THEIRS = (
    "This is an annotator of the study, who answers here themselves. Only the study's owner may "
    "import answers under their name."
)


# An image and a person.
Pair = tuple[int, int]
# An annotation, a question and an atom.
Place = tuple[int, str, int | None]


class LabelWriter(LabelChecks):
    """`for_anybody`: answers may be under the names of real annotators; an event says whose."""

    _find_form, _name_form = staticmethod(find_form), staticmethod(name_form)

    def __init__(
        self, study: Study, outcome: Outcome, *, simulated: bool = False, for_anybody: bool = True
    ) -> None:
        self.known: KnownImages = KnownImages(study)
        super().__init__(study.form, self.known, names_in_study(study), outcome)
        self.study, self.simulated, self.for_anybody = study, simulated, for_anybody
        self.real = RealPeople(study)

    def _look_up(self, keys: set[str], keys_with_atoms: set[str], names: set[str]) -> None:
        self.known.look_up(keys, keys_with_atoms)
        self.real.look_up()
        self._look_up_people(names)

    def _count_at_once(self, batch: list[LabelRecord]) -> int:
        """What takes no lock stands between two writes: so whoever waits is let in. Nobody waits for
        PostgreSQL, where each transaction more costs a fifth."""
        return AT_ONCE if connection.vendor == "sqlite" else len(batch)

    def _check_rater(self, rater: str) -> None:
        if not self.for_anybody and self._is_real(rater):
            raise Unfit("rater", rater, NOT_THEIRS)
        super()._check_rater(rater)

    def as_json(self) -> dict[str, Any]:
        """What it knows of the rows so far, for the next turn of this import."""
        given = {question: sorted(values) for question, values in self.given.items()}
        return {
            "given": given,
            "forms": sorted(self.unknown_forms),
            "unnamed_forms": self.has_unnamed_forms,
            "names": self.names.read_as,
            "words": dict(self.words),
            "unsure": dict(self.unsure),
        }

    def restore(self, known: dict[str, Any] | None) -> None:
        if known is None:
            return
        for question, values in known["given"].items():
            if question not in self.rules:
                self._new_rule(question)
                self.given[question] = set(values)
        self.unknown_forms = set(known["forms"])
        self.has_unnamed_forms = known.get("unnamed_forms", False)
        # A turn of an earlier version counted none.
        self.words, self.unsure = Counter(known.get("words")), Counter(known.get("unsure"))
        self.names.read_as = {name: tuple(told) for name, told in known["names"].items()}

    @transaction.atomic
    def _write(self, rows: FitRows) -> None:
        pairs = list(zip(rows.images, self._people(rows.raters), strict=True))
        there = self._find_annotations(pairs)
        old = set(there.values())
        new = self._annotations(pairs, rows.records, there)
        self._say_whose(self._answers(pairs, rows, there, old))
        # Last: from its end to that of the transaction, who labels one of these images waits.
        self._occupy(new)

    def _look_up_people(self, names: set[str]) -> None:
        """The people of the study who are called so."""
        people = self.people
        new = {name for name in names - people.keys() if fits(name, KEY_LENGTH)}
        if new:
            there = Membership.objects.filter(study=self.study, name__in=new)
            people.update(there.values_list("name", "pk"))
        if any(PSEUDONYM.fullmatch(name) for name in new - people.keys()):
            behind = people_behind(self.study)
            people.update((name, behind[name]) for name in new & behind.keys())

    def _is_real(self, rater: str) -> bool:
        """An imported person may have the name of somebody's account."""
        known = self.people.get(rater)
        return known in self.real.keys if known else self.real.find_person(rater) is not None

    def _people(self, names: Sequence[str]) -> Iterator[int]:
        """Names become people; those whose rows were all refused do not."""
        people = self.people
        for name in sorted(set(names) - people.keys()):
            real = self.real.find_person(name)
            if real is None:
                person = Membership.objects.create(
                    study=self.study, name=name, simulated=self.simulated
                )
            people[name] = person.pk if real is None else real
        return map(people.__getitem__, names)

    def _say_whose(self, answers: Counter[int]) -> None:
        """How many answers were written under the names of real annotators."""
        members = Membership.objects.in_bulk(answers.keys() & self.real.keys)
        for pk, member in sorted(members.items()):
            count = f"{answers[pk]} answer{'s' * (answers[pk] > 1)}"
            words = f"imported {count} under the name of this person"
            event_log.note(self.study, "imported answers", words, about=member)

    def _find_annotations(self, pairs: list[Pair]) -> dict[Pair, int]:
        """The annotations that there are of each image and person."""
        wanted = set(pairs)
        # Not by the study too: SQLite would look through all that it has.
        images = among_lookup("image_id", {image for image, _ in wanted})
        annotations = Annotation.objects.filter(images).order_by()
        return {
            (image, person): pk
            for image, person, pk in annotations.values_list("image_id", "annotator_id", "pk")
            if (image, person) in wanted
        }

    def _annotations(
        self, pairs: list[Pair], records: Sequence[LabelRecord], there: dict[Pair, int]
    ) -> list[Pair]:
        """Make those that are missing, and tell which these are."""
        new = [pair for pair in dict.fromkeys(pairs) if pair not in there]
        if new:
            # Of each the first record, which is the last that is put there.
            first = dict(zip(reversed(pairs), reversed(records), strict=True))
            ids = bulk.next_ids(Annotation, len(new))
            there.update(zip(new, ids, strict=True))
            made = self._annotation_rows({p: first[p] for p in new}, ids, _adapted(timezone.now()))
            bulk.insert(Annotation, ANNOTATION, made)
            self.outcome.annotations += len(new)
        return new

    def _annotation_rows(
        self, first: dict[Pair, LabelRecord], ids: list[int], moment: Any
    ) -> Iterator[tuple[Any, ...]]:
        study, batch = self.study.pk, os.urandom(8).hex()
        submission = _uuid if connection.vendor == "postgresql" else str
        counted = Annotation.State.COUNTED.value
        for number, (pk, (image, person), r) in enumerate(
            zip(ids, first, first.values(), strict=True)
        ):
            submitted_at = r[6]
            yield (
                pk,
                study,
                image,
                person,
                self._form(r[7]),
                # Random for the batch, then counted: the index grows at its end.
                submission(f"{batch}{number:016x}"),
                counted,
                1,
                r[5],
                moment if submitted_at is None else _adapted(submitted_at),
                moment,
                r[8],
            )

    def _occupy(self, pairs: list[Pair]) -> None:
        """Imported answers count towards the study's overlap too."""
        if not pairs:
            return
        images = among_lookup("image_id", {image for image, _ in pairs})
        assignments = Assignment.objects.filter(images).order_by()
        held = {(i, p): (pk, s) for i, p, pk, s in assignments.values_list(*HELD)}
        answered = Assignment.State.ANSWERED.value
        study, moment = self.study.pk, _adapted(timezone.now())
        fresh = [pair for pair in pairs if pair not in held]
        bulk.insert(
            Assignment,
            ASSIGNMENT,
            ((study, image, person, answered, None, "", moment) for image, person in fresh),
        )
        if rehearsal.is_among_others():
            return
        if connection.vendor == "postgresql":
            # What it would check when all is committed, it checks before anybody has to wait.
            connection.check_constraints()
        # Whoever had the image leased has answered it now; its place was taken already.
        taken_up = [held[pair][0] for pair in pairs if pair in held]
        if taken_up:
            Assignment.objects.filter(among_lookup("pk", taken_up)).update(
                state=answered, leased_until=None
            )
        leased = {pair for pair in pairs if pair in held and held[pair][1] in Assignment.HELD}
        places = Counter(image for image, person in pairs if (image, person) not in leased)
        for count in set(places.values()):
            taken = among_lookup("pk", [image for image, n in places.items() if n == count])
            Image.objects.filter(taken).update(taken=F("taken") + count)

    def _answers(
        self, pairs: list[Pair], rows: FitRows, annotations: dict[Pair, int], old: set[int]
    ) -> Counter[int]:
        """Write what is new; how many answers of each person, where some are real."""
        of = map(annotations.__getitem__, pairs)
        places = list(zip(of, rows.questions, rows.atoms, strict=True))
        given = list(zip(rows.numbers, rows.texts, strict=True))
        new: Sequence[int] = range(len(places))
        if old or len(set(places)) < len(places):
            new = self._new_answers(places, given, rows.records, self._stored_answers(old))
        answers = list(map(add, places, given))
        bulk.insert(Answer, ANSWER, map(answers.__getitem__, new))
        if any(rows.texts):
            for n in new:
                self._count_unused(rows.questions[n], *given[n])
        self.outcome.answers += len(new)
        return Counter(pairs[n][1] for n in new) if self.real.keys else Counter()

    def _stored_answers(self, annotations: set[int]) -> dict[Place, Given]:
        if not annotations:
            return {}
        answers = Answer.objects.filter(annotation__in=annotations).order_by()
        return {
            (pk, question, atom): (number, text)
            for pk, question, atom, number, text in answers.values_list(*GIVEN)
        }

    def _form(self, name: str) -> int:
        return self.forms[name] if name else self.form.pk


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
    "language",
)
ASSIGNMENT = ("study", "image", "annotator", "state", "leased_until", "note", "created_at")
ANSWER = ("annotation", "question", "atom", "value", "text")
HELD = ("image_id", "annotator_id", "pk", "state")
GIVEN = ("annotation_id", "question", "atom_id", "value", "text")


def _adapted(moment: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(moment)


def _uuid(text: str) -> str:
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


class RealPeople:
    """A file may bring answers of people who have no account, but only the owner may under the name of somebody
    who has one, or had one. Names are compared as they look, without their case: “Alice” is taken for alice by whoever reads
    it, also with a Cyrillic letter."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.names: dict[str, int] = {}
        self.keys: set[int] = set()

    def look_up(self) -> None:
        """Again with each batch: people join while a long file is read."""
        came = Q(user__isnull=False) | Q(removed_at__isnull=False) | ~Q(worker="")
        members = Membership.objects.filter(came, study=self.study).order_by("-pk")
        self.names, self.keys = {}, set()
        rows = members.values_list(
            "pk", "name", "worker", "user__username", "removed_account__username"
        )
        for pk, name, worker, *accounts in rows:
            self.keys.add(pk)
            for given in (*accounts, worker, pseudonym(self.study.slug, name), name):
                if given:
                    self.names[name_look(given).casefold()] = pk

    def find_person(self, name: str) -> int | None:
        return self.names.get(name_look(name).casefold())
