"""Labels by the million: checked in Python, written by the fastest way the database has.

Nothing grows with the number of rows: images, atoms and people are looked up as they come, and
what was answered before is looked up in the database, batch by batch.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import compress, repeat
from operator import add, is_, is_not
from typing import Any, NamedTuple

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from annotations import event_log
from annotations.database import bulk, rehearsal
from annotations.database.among import among_lookup
from annotations.database.scrub import PSEUDONYM
from annotations.exports.pseudonyms import people_behind
from annotations.file_names import FileNames, looks_like
from annotations.forms.named_elsewhere import LONGEST, find_form, name_form
from annotations.imports.known_images import KnownImages
from annotations.imports.outcome import Outcome, reject
from annotations.imports.real_people import NOT_THEIRS, RealPeople
from annotations.models import (
    Annotation,
    Answer,
    Assignment,
    Image,
    Membership,
    Study,
)
from jurybox_formats.forms import marks
from jurybox_formats.forms.scales import CANT_TELL, inferred
from jurybox_formats.sources.checks import KEY_LENGTH, LARGEST_NUMBER, TEXT_LENGTH, Unfit, is_sound
from jurybox_formats.sources.columns import as_number
from jurybox_formats.sources.records import LabelRecord

QUESTION_LENGTH = 80
# A study with more questions than this has its columns mixed up.
QUESTIONS = 1000
NO_QUESTION = f"A question's name has at most {QUESTION_LENGTH} characters, a study {QUESTIONS}."
# Labels with more names of forms than this have their columns mixed up, too.
MOST_FORMS = 100
UNNAMED_FORMS = (
    f"More than {MOST_FORMS} forms are not known here, or a name has more than {LONGEST} characters. "
    "Labels of the others carry the study's own form."
)
# Beside a form, the words of questions that papers ask as yes or no.
YES_NO = frozenset({"aligned", "quality", "atom"})
# Of a part of the prompt, which judges are compared with.
ATOM = frozenset({0, 1, "yes", "no", CANT_TELL})


class Rule(NamedTuple):
    """What a question takes. `numbers` None: any number and any text."""

    wanted: str
    numbers: set[float] | None = None
    # What a choice is called -> its number.
    words: dict[str, float] = {}
    # Choices that are words, and whether several may be chosen: `red|white`.
    texts: frozenset[str] = frozenset()
    several: bool = False
    marks: bool = False
    # What such a choice is called -> the choice.
    called: dict[str, str] = {}
    # Texts that are numbers count as numbers: many tools write no others.
    is_number: bool = False

    def allows(self, number: float | None, text: str) -> bool:
        # An earlier version of the form may have offered "can't tell".
        if self.numbers is None or number in self.numbers or text == CANT_TELL:
            return True
        chosen = text.split("|") if self.several else [text]
        return bool(text) and self.texts.issuperset(chosen)

    def number_in(self, text: str) -> float | None:
        """The number that a text means here; None where it is none, or no choice of the question."""
        named = self.words.get(text.strip().lower())
        if named is not None or not (self.is_number or self.numbers) or text in self.texts:
            return named
        number = as_number(text)
        if number is None or abs(number) > LARGEST_NUMBER:
            return None
        return number if self.is_number or number in (self.numbers or ()) else None

    def choices(self, text: str) -> str:
        """Choices under the words that people read, as the form's values."""
        given = text.split("|") if self.several else [text]
        return "|".join(
            one if one in self.texts else self.called.get(one.strip().lower(), one) for one in given
        )


# Rows of one transaction: people who label wait for no more than these on SQLite, which has one
# writer at a time. These hold them up for 20 ms of the processor.
AT_ONCE = 5_000
# An image and a person.
Pair = tuple[int, int]
# An annotation, a question and an atom.
Place = tuple[int, str, int | None]


class FitRow(NamedTuple):
    """A label that can be written: the rows of its image and atom, its number or text, and the record of
    all these."""

    image: int
    rater: str
    question: str
    atom: int | None
    number: float | None
    text: str
    record: LabelRecord


class FitRows(NamedTuple):
    """The same of many, column by column."""

    images: Sequence[int]
    raters: Sequence[str]
    questions: Sequence[str]
    atoms: Sequence[int | None]
    numbers: Sequence[float | None]
    texts: Sequence[str]
    records: Sequence[LabelRecord]


class LabelWriter:
    """`for_anybody`: answers may be under the names of real annotators; an event says whose."""

    def __init__(
        self, study: Study, outcome: Outcome, *, simulated: bool = False, for_anybody: bool = True
    ) -> None:
        self.study, self.outcome, self.simulated = study, outcome, simulated
        self.for_anybody = for_anybody
        self.real = RealPeople(study)
        self.known = KnownImages(study)
        self.people: dict[str, int] = {}
        self.names = FileNames(study)
        self.forms: dict[str, int] = {}
        self.rules = {question["name"]: _rule(question) for question in study.form.questions}
        # A form made of a file may ask a question of this name about the whole image.
        self.atom_is_a_part = not any(
            question["name"] == "atom" and not question.get("per")
            for question in study.form.questions
        )
        # Questions that are not the form's -> the numbers that were given, or some of them.
        self.given: dict[str, set[float]] = {}
        # Forms whose questions are not known here; whether there are others that could not be named.
        self.unknown_forms: set[str] = set()
        self.has_unnamed_forms = False
        # Question -> how many of its answers no statistic uses: words, and "can't tell".
        self.words: Counter[str] = Counter()
        self.unsure: Counter[str] = Counter()

    def write(self, batch: list[LabelRecord]) -> None:
        batch = self.names.cleaned(batch)
        keys, raters, _, _, atoms, _, _, forms, *_ = zip(*batch, strict=True)
        names = set(raters)
        with_atoms = set(compress(keys, map(is_not, atoms, repeat(None))))
        self.known.look_up(set(keys), with_atoms)
        self.real.look_up()
        self._look_up_people(names)
        self._look_up_forms(set(forms) - {""})
        self.names.compare(names - self.people.keys())
        # Nobody waits for PostgreSQL, where each transaction more costs a fifth.
        size = AT_ONCE if connection.vendor == "sqlite" else len(batch)
        for start in range(0, len(batch), size):
            # What takes no lock stands between two writes: so whoever waits is let in.
            some = batch[start : start + size]
            fit = self._fit_together(some) or self._fit_rows(some)
            if fit is not None:
                self._write(fit)

    @transaction.atomic
    def _write(self, rows: FitRows) -> None:
        pairs = list(zip(rows.images, self._people(rows.raters), strict=True))
        there = self._find_annotations(pairs)
        old = set(there.values())
        new = self._annotations(pairs, rows.records, there)
        self._say_whose(self._answers(pairs, rows, there, old))
        # Last: from its end to that of the transaction, who labels one of these images waits.
        self._occupy(new)

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

    def remarks(self) -> list[str]:
        """The scale of each question that no form explains, as it was inferred."""
        words = [
            f"Question “{question}”: not one of the form's; its scale was inferred as "
            f"{scale_words(values)}."
            for question, values in sorted(self.given.items())
        ]
        return (
            words
            + self.names.remarks()
            + self._unused()
            + [
                f"Form “{form}” is not known here: its labels keep its name, and are read by the "
                "study's own questions."
                for form in sorted(self.unknown_forms)
            ]
            + [UNNAMED_FORMS] * self.has_unnamed_forms
        )

    def _unused(self) -> list[str]:
        """What leaves the statistics, question by question."""
        lines = []
        only_text = {question for question, values in self.given.items() if not values}
        for question in sorted(self.words.keys() - only_text | self.unsure.keys()):
            counts = (self.words[question], "in words"), (self.unsure[question], "“can't tell”")
            listed = " and ".join(f"{count:,} {what}" for count, what in counts if count)
            lines.append(
                f"Question “{question}”: {listed}. Such answers are kept and counted, and no "
                "statistic of numbers uses them."
            )
        return lines

    def _fit_together(self, batch: list[LabelRecord]) -> FitRows | None:
        """All of them as they come, where each is fit: what is the same is looked at once. Otherwise None."""
        keys, raters, questions, values, given, seconds, *_ = zip(*batch, strict=True)
        atoms: Sequence[int | None] = given
        try:
            images, prompts = zip(*map(self.known.images.__getitem__, keys), strict=True)
            if not {None}.issuperset(given):
                atoms = [
                    None if atom is None else self.known.atoms[prompt][atom]
                    for prompt, atom in zip(prompts, given, strict=True)
                ]
            for rater in dict.fromkeys(raters):
                self._check_rater(rater)
            for time in set(seconds):
                _check_seconds(time)
            # Last: it also notes which questions and numbers there are.
            asked = list(zip(questions, values, map(is_, given, repeat(None)), strict=False))
            meant = {one: self._answer(*one) for one in dict.fromkeys(asked)}
        except (KeyError, Unfit):
            return None
        if all(number == value and not text for (_, value, _), (number, text) in meant.items()):
            return FitRows(images, raters, questions, atoms, values, ("",) * len(batch), batch)
        numbers, texts = zip(*map(meant.__getitem__, asked), strict=True)
        # Numbers as they came: -0.0 and 0.0 are the same in a dictionary.
        pairs = zip(numbers, values, strict=True)
        given_numbers = [value if number == value else number for number, value in pairs]
        return FitRows(images, raters, questions, atoms, given_numbers, texts, batch)

    def _fit_rows(self, batch: list[LabelRecord]) -> FitRows | None:
        """Those that are fit; the others are refused."""
        rows = []
        for r in batch:
            try:
                rows.append(self._fit_row(r))
            except Unfit as unfit:
                reject(self.outcome, r, unfit)
        return FitRows(*zip(*rows, strict=True)) if rows else None

    def _fit_row(self, r: LabelRecord) -> FitRow:
        key, rater, question, value, atom, seconds = r[:6]
        if key not in self.known.images:
            raise Unfit("image_id", key, "The study has no such image.")
        image, prompt = self.known.images[key]
        self._check_rater(rater)
        atom_pk = None
        if atom is not None:
            atom_pk = self.known.atoms[prompt].get(atom)
            if atom_pk is None:
                raise Unfit("atom", atom, "The prompt of this image has no such atom.")
        number, text = self._answer(question, value, atom is None)
        _check_seconds(seconds)
        return FitRow(image, rater, question, atom_pk, number, text, r)

    def _check_rater(self, rater: str) -> None:
        if rater not in self.people and not _fits(rater, KEY_LENGTH):
            raise Unfit("rater", rater, "Not sound text of at most 200 characters.")
        if not self.for_anybody and self._is_real(rater):
            raise Unfit("rater", rater, NOT_THEIRS)
        if rater in self.names.alike:
            raise Unfit("rater", rater, looks_like(self.names.alike[rater]))

    def _answer(
        self, question: str, value: float | str, is_whole: bool
    ) -> tuple[float | None, str]:
        """The number or the text of an answer about the whole image, or a part of the prompt."""
        rule = self.rules.get(question) or self._new_rule(question)
        if question == "atom" and is_whole and self.atom_is_a_part:
            raise Unfit("atom", None, "A row about an atom must say which one.")
        if question == "atom" and not is_whole and _folded(value) not in ATOM:
            raise Unfit("value", value, "“atom” takes 0 or 1 (no or yes) for a part of the prompt.")
        number: float | None
        if isinstance(value, str):
            word = value.strip().lower()
            number = rule.number_in(value)
            text = rule.choices(value) if number is None else ""
            if word.replace("’", "'") == CANT_TELL:
                text = CANT_TELL
        else:
            number, text = value, ""
        if rule.marks:
            number, text = None, _marks(value, rule.wanted)
        if not rule.allows(number, text):
            raise Unfit("value", value, rule.wanted)
        if rule.numbers is None and number is not None:
            self._saw(question, number)
        if text and not _fits(text, TEXT_LENGTH):
            raise Unfit("value", text[:80], "Not sound text of at most 20000 characters.")
        return number, text

    def _look_up_people(self, names: set[str]) -> None:
        """The people of the study who are called so."""
        people = self.people
        new = {name for name in names - people.keys() if _fits(name, KEY_LENGTH)}
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
            new = self._new_answers(places, given, rows.records, old)
        answers = list(map(add, places, given))
        bulk.insert(Answer, ANSWER, map(answers.__getitem__, new))
        if any(rows.texts):
            for n in new:
                self._count_unused(rows.questions[n], *given[n])
        self.outcome.answers += len(new)
        return Counter(pairs[n][1] for n in new) if self.real.keys else Counter()

    def _new_answers(
        self,
        places: list[Place],
        given: list[tuple[float | None, str]],
        records: Sequence[LabelRecord],
        old: set[int],
    ) -> list[int]:
        """Which of them are; one that says something else than what is there is refused."""
        there: dict[Place, tuple[float | None, str]] = {}
        if old:
            answers = Answer.objects.filter(annotation__in=old).order_by()
            for pk, question, atom, number, text in answers.values_list(*GIVEN):
                there[pk, question, atom] = (number, text)
        new = []
        for n, (place, answer) in enumerate(zip(places, given, strict=True)):
            before = there.get(place)
            if before is None:
                there[place] = answer
                new.append(n)
            elif before == answer:
                self.outcome.unchanged += 1
            else:
                shown = before[1] or f"{before[0]:g}"
                words = f"This person has answered this question already, with {shown}."
                reject(self.outcome, records[n], Unfit("value", records[n].value, words))
        return new

    def _count_unused(self, question: str, number: float | None, text: str) -> None:
        if text == CANT_TELL:
            self.unsure[question] += 1
        elif number is None and not self.rules[question].marks:
            self.words[question] += 1

    def _new_rule(self, question: str) -> Rule:
        """For a question that is not the form's."""
        fits = _fits(question, QUESTION_LENGTH) and question.strip()
        if not fits or len(self.rules) >= QUESTIONS:
            raise Unfit("question", question, NO_QUESTION)
        self.given[question] = set()
        rule = Rule("", words={"yes": 1.0, "no": 0.0} if question in YES_NO else {})
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

    def _look_up_forms(self, names: set[str]) -> None:
        """Before anything is written: what a transaction takes back names no form."""
        if len(self.forms) > 1000:
            self.forms.clear()
        for name in sorted(names - self.forms.keys()):
            form = find_form(name)
            if form is None and _fits(name, LONGEST) and len(self.unknown_forms) < MOST_FORMS:
                form = name_form(name)
            if form is not None and not form.questions:
                self.unknown_forms.add(name)
            self.has_unnamed_forms |= form is None
            self.forms[name] = form.pk if form else self.study.form_id

    def _form(self, name: str) -> int:
        return self.forms[name] if name else self.study.form_id


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


def scale_words(values: set[float]) -> str:
    """In words; reports infer it in the same way."""
    if not values:
        return "text, which no statistic uses"
    scale = inferred(values)
    if scale.is_yes_no:
        return "yes/no (0 and 1)"
    return f"a {scale.kind} from {scale.low:g} to {scale.high:g}"


def _rule(question: dict[str, Any]) -> Rule:
    """What a question of the form takes."""
    name, kind = question["name"], question.get("kind", "choice")
    choices = question.get("choices", ())
    if kind == "mark":
        return Rule(f"“{name}” takes marks on the image, as JSON.", marks=True)
    if kind in ("text", "number") or not choices:
        return Rule(f"“{name}” takes a {kind}.", is_number=kind == "number")
    listed = ", ".join(f"{_plain(choice['value'])} ({choice['text']})" for choice in choices)
    numbered = [choice for choice in choices if not isinstance(choice["value"], str)]
    worded = [choice for choice in choices if isinstance(choice["value"], str)]
    several = kind == "choices"
    one, some = f"“{name}” takes one of: {listed}.", f"“{name}” takes some of: {listed}."
    return Rule(
        some if several else one,
        {float(choice["value"]) for choice in numbered},
        {choice["text"].strip().lower(): float(choice["value"]) for choice in numbered},
        frozenset(choice["value"] for choice in worded),
        several,
        called={choice["text"].strip().lower(): choice["value"] for choice in worded},
    )


def _marks(value: float | str, wanted: str) -> str:
    try:
        text = marks.marks_text(marks.read(value))
    except ValueError as reason:
        raise Unfit("value", str(value)[:80], f"{wanted} This cannot be read: {reason}.") from None
    if not text:
        raise Unfit("value", value, wanted)
    return text


def _folded(value: float | str) -> float | str:
    return value.strip().lower() if isinstance(value, str) else value


def _plain(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"


def _check_seconds(seconds: float | None) -> None:
    if seconds is not None and not 0 <= seconds < 1e9:
        raise Unfit("seconds", seconds, "Time cannot be negative or endless.")


def _fits(text: str, longest: int) -> bool:
    return 0 < len(text) <= longest and is_sound(text)


def _adapted(moment: datetime) -> Any:
    return connection.ops.adapt_datetimefield_value(moment)


def _uuid(text: str) -> str:
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
