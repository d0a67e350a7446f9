"""What a label must be to be taken: written into a study, or read for one report.

Nothing here asks a database. Whoever takes labels says which images, atoms, people and forms there are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress, repeat
from operator import is_, is_not
from typing import Any, NamedTuple, Protocol

from annotations.file_names import FileNames, looks_like
from annotations.forms.named_elsewhere import LONGEST
from annotations.imports.outcome import Outcome, reject
from annotations.models import FormVersion
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
# A number, or a text.
Given = tuple[float | None, str]


class KnownImages(Protocol):
    """Image -> its number, its prompt's, and more; number of a prompt -> index of an atom -> its number."""

    @property
    def images(self) -> Mapping[str, tuple[Any, ...]]: ...

    @property
    def atoms(self) -> Mapping[int, Mapping[int, int]]: ...


class FitRows(NamedTuple):
    """Labels that can be written: the rows of their images and atoms, their numbers or texts, and their records."""

    images: Sequence[int]
    raters: Sequence[str]
    questions: Sequence[str]
    atoms: Sequence[int | None]
    numbers: Sequence[float | None]
    texts: Sequence[str]
    records: Sequence[LabelRecord]


class LabelChecks:
    """`form`: of the study. `names`: of its people. What is fit goes to `_write`."""

    def __init__(
        self, form: FormVersion, known: KnownImages, names: FileNames, outcome: Outcome
    ) -> None:
        self.form, self.known, self.names, self.outcome = form, known, names, outcome
        self.people: dict[str, int] = {}
        self.forms: dict[str, int] = {}
        self.rules = {question["name"]: _rule(question) for question in form.questions}
        # A form made of a file may ask a question of this name about the whole image.
        self.atom_is_a_part = not any(
            question["name"] == "atom" and not question.get("per") for question in form.questions
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
        self._look_up(set(keys), with_atoms, names)
        self._look_up_forms(set(forms) - {""})
        self.names.compare(names - self.people.keys())
        size = self._count_at_once(batch)
        for start in range(0, len(batch), size):
            some = batch[start : start + size]
            fit = self._fit_together(some) or self._fit_rows(some)
            if fit is not None:
                self._write(fit)

    def _look_up(self, keys: set[str], keys_with_atoms: set[str], names: set[str]) -> None:
        """Whoever does not know all images and people from the beginning learns these now."""

    def _count_at_once(self, batch: list[LabelRecord]) -> int:
        return AT_ONCE

    def _find_form(self, name: str) -> FormVersion | None:
        raise NotImplementedError

    def _name_form(self, name: str) -> FormVersion:
        raise NotImplementedError

    def _write(self, rows: FitRows) -> None:
        raise NotImplementedError

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
            images, prompts, *_ = zip(*map(self.known.images.__getitem__, keys), strict=True)
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

    def _fit_row(self, r: LabelRecord) -> tuple[Any, ...]:
        """In the order of `FitRows`."""
        key, rater, question, value, atom, seconds = r[:6]
        if key not in self.known.images:
            raise Unfit("image_id", key, "The study has no such image.")
        image, prompt = self.known.images[key][:2]
        self._check_rater(rater)
        atom_pk = None
        if atom is not None:
            atom_pk = self.known.atoms[prompt].get(atom)
            if atom_pk is None:
                raise Unfit("atom", atom, "The prompt of this image has no such atom.")
        number, text = self._answer(question, value, atom is None)
        _check_seconds(seconds)
        return image, rater, question, atom_pk, number, text, r

    def _check_rater(self, rater: str) -> None:
        if rater not in self.people and not fits(rater, KEY_LENGTH):
            raise Unfit("rater", rater, "Not sound text of at most 200 characters.")
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
        if text and not fits(text, TEXT_LENGTH):
            raise Unfit("value", text[:80], "Not sound text of at most 20000 characters.")
        return number, text

    def _new_answers(
        self,
        places: Iterable[Any],
        given: Sequence[Given],
        records: Sequence[LabelRecord],
        there: dict[Any, Given],
    ) -> list[int]:
        """Which of them are; one that says something else than what is there is refused."""
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
        is_fit = fits(question, QUESTION_LENGTH) and question.strip()
        if not is_fit or len(self.rules) >= QUESTIONS:
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
            form = self._find_form(name)
            if form is None and fits(name, LONGEST) and len(self.unknown_forms) < MOST_FORMS:
                form = self._name_form(name)
            if form is not None and not form.questions:
                self.unknown_forms.add(name)
            self.has_unnamed_forms |= form is None
            self.forms[name] = form.pk if form else self.form.pk


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


def fits(text: str, longest: int) -> bool:
    return 0 < len(text) <= longest and is_sound(text)
