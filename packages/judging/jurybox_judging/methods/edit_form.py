"""A model fills in a form about an edit, in the words that people get, and is read on its scales.

One question of the form is the score, or what the form's paper makes of all answers (`overall`), by the
same function as for people. Judges that take different questions of one form share one request. An answer
that is not on the scale is put again; it is never rounded or cut.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_formats.forms.definition import Form, Question
from jurybox_formats.forms.papers import edits
from jurybox_judging.methods.shared.reasoning import (
    UNFINISHED,
    conversation_as_evidence,
    split_thoughts,
    thinking_option,
)
from jurybox_judging.methods.shared.replies import MISSING, Reply
from jurybox_judging.methods.shared.samples import (
    check_samples,
    combine_readings,
    over_samples_option,
    samples_option,
    spread_of_samples,
)
from jurybox_judging.methods.shared.shown import NoPicture, check_places, pictures_option, shown_to
from jurybox_judging.options import (
    MOST_TOKENS,
    Optioned,
    choice,
    free_text,
    real,
    shorten_value,
    whole,
)
from jurybox_judging.protocols import RESULT, Judgement, KnownAnswers, Subject, Talk, Unscored, Want

NAMES = {"edit-form": {"class": "EditForm", "parts": ("talk",)}}

OVERALL = "overall"
BY_SLUG = {form.slug: form for form in edits.FORMS}


@dataclass(frozen=True, slots=True)
class Reading:
    """The reply to one question, and the value on its scale; or None and why not."""

    said: Any
    value: float | None
    reason: str = ""

    def as_evidence(self, question: Question) -> dict[str, Any]:
        said = self.said if isinstance(self.said, str) else shorten_value(self.said)
        about = {"question": question.text, "name": question.name}
        return {**about, "said": said, "score": self.value, "reason": self.reason}


@dataclass(frozen=True, kw_only=True)
class EditForm(Optioned):
    form: str = choice(edits.FORM.slug, tuple(BY_SLUG), "Whose questions are asked.")
    question: str = free_text(
        OVERALL, "The question whose answer is the score; “overall” is what the paper makes of all."
    )
    pictures: tuple[str, ...] = pictures_option(("source", RESULT))
    tries: int = whole(
        2, "How often it is asked where an answer cannot be read.", minimum=1, maximum=10
    )
    temperature: float = real(0.0, "Of the replies.", minimum=0, maximum=2)
    max_tokens: int = whole(1_024, "The longest reply, in tokens.", minimum=1, maximum=MOST_TOKENS)
    seed: int = whole(0, "Of the first try; the next ones count on.", minimum=0, maximum=2**31 - 1)
    samples: int = samples_option()
    over_samples: str = over_samples_option()
    thinking_tokens: int = thinking_option()

    identity: ClassVar[str] = "EditForm"
    version: ClassVar[str] = "1"
    in_peoples_unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_places(self.pictures)
        check_samples(self.samples, self.temperature)
        known = [question.name for question in questions_of(BY_SLUG[self.form])]
        if self.form in edits.OVERALL:
            known.append(OVERALL)
        if self.question not in known:
            raise ValueError(
                f"The form “{self.form}” has {', '.join(known)}, not “{self.question[:40]}”."
            )

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        try:
            talks = self._talks(subject)
        except NoPicture:
            return ()
        wanted: list[Want] = []
        for tries in talks:
            for talk in tries:
                if talk not in seen:
                    wanted.append(talk)
                    break
                if self._lacking(self._read(seen[talk])) == "":
                    break
        return tuple(wanted)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not subject.prompt.strip():
            return Unscored("This prompt is empty.", lacks="words")
        try:
            talks = self._talks(subject)
        except NoPicture as error:
            return Unscored(str(error), lacks=error.lacks)
        told = [self._best_of(tries, seen) for tries in talks]
        sampled = [self._read(replies) for replies in told]
        read = {name: self._combined([one[name] for one in sampled]) for name in sampled[0]}
        evidence: dict[str, Any] = {
            "conversations": [conversation_as_evidence(talks[0][0].turns, one) for one in told],
            "answers": [
                read[question.name].as_evidence(question)
                for question in questions_of(BY_SLUG[self.form])
            ],
        }
        if self.samples > 1:
            alone = [None if self._lacking(one) else self._value(one) for one in sampled]
            evidence["samples"] = spread_of_samples(alone)
        if lacking := self._lacking(read):
            return Unscored(f"Not everything was answered: {lacking}", evidence)
        value = self._value(read)
        assert value is not None
        return Judgement(value, correct=self._verdict(value), evidence=evidence)

    @property
    def _needed(self) -> tuple[str, ...]:
        if self.question != OVERALL:
            return (self.question,)
        return tuple(question.name for question in questions_of(BY_SLUG[self.form]))

    def _best_of(self, tries: Sequence[Talk], seen: KnownAnswers) -> Sequence[str]:
        """The first reply that can be read, else the last that came."""
        came = [seen[talk] for talk in tries if talk in seen]
        readable = [told for told in came if not self._lacking(self._read(told))]
        return (readable or came[-1:] or [("",)])[0]

    def _combined(self, readings: Sequence[Reading]) -> Reading:
        if len(readings) == 1:
            return readings[0]
        return Reading(
            *combine_readings(
                [one.said for one in readings],
                [one.value for one in readings],
                [one.reason for one in readings],
                self.over_samples,
            )
        )

    def _talks(self, subject: Subject) -> list[list[Talk]]:
        """For each sample the same again, with other seeds; none for a prompt without words."""
        if not subject.prompt.strip():
            return []
        pictures = shown_to(subject, self.pictures)
        turn = write_prompt(BY_SLUG[self.form], subject.prompt)
        return [
            [
                Talk(
                    (turn,),
                    self.max_tokens,
                    self.temperature,
                    self.seed + sample * self.tries + number,
                    pictures,
                    self.thinking_tokens,
                )
                for number in range(self.tries)
            ]
            for sample in range(self.samples)
        ]

    def _read(self, told: Sequence[str]) -> dict[str, Reading]:
        reply = Reply(told[-1] if told else "", "json")
        if self.thinking_tokens and split_thoughts(reply.whole).is_cut:
            names = [question.name for question in questions_of(BY_SLUG[self.form])]
            return dict.fromkeys(names, Reading("", None, UNFINISHED))
        return {
            question.name: read_answer(question, reply.value_at([question.name]))
            for question in questions_of(BY_SLUG[self.form])
        }

    def _lacking(self, read: Mapping[str, Reading]) -> str:
        return "; ".join(
            f"{name}: {read[name].reason}" for name in self._needed if read[name].reason
        )

    def _value(self, read: Mapping[str, Reading]) -> float | None:
        if self.question != OVERALL:
            return read[self.question].value
        answers = {name: one.value for name, one in read.items() if one.value is not None}
        return edits.OVERALL[self.form](answers)

    def _verdict(self, value: float) -> bool | None:
        """Only of a question with yes and no."""
        scales = {q.name: {one.value for one in q.choices} for q in BY_SLUG[self.form].questions}
        return value == 1 if scales.get(self.question) == {0, 1} else None


def questions_of(form: Form) -> list[Question]:
    """Those that have a value; marks and remarks are people's."""
    return [question for question in form.questions if question.kind in ("choice", "number")]


def write_prompt(form: Form, prompt: str) -> str:
    """The question to a model: the form's own words, and how to reply."""
    lines = [form.introduction, "", "Instruction:", prompt, ""]
    for question in questions_of(form):
        lines.append(f"“{question.name}”: {question.text} {_scale(question)}")
    example = ", ".join(f'"{question.name}": …' for question in questions_of(form))
    lines += ["", f"Reply with one JSON object of numbers: {{{example}}}"]
    return "\n".join(lines)


def _scale(question: Question) -> str:
    if question.kind == "number":
        whole_one = "A whole number" if question.whole else "A number"
        hint = f" {question.hint}" if question.hint else ""
        return f"{whole_one} from {question.least:g} to {question.most:g}.{hint}"
    return "; ".join(f"{one.value:g} = {one.text}" for one in question.choices) + "."


def read_answer(question: Question, said: Any) -> Reading:
    """On the question's own scale; the words of a choice stand for its value."""
    if said is MISSING:
        return Reading("", None, "the reply does not say")
    if question.kind == "number":
        return _read_number(question, said)
    for one in question.choices:
        if _is_number(said) and float(said) == one.value:
            return Reading(said, float(one.value))
        if isinstance(said, str) and _plain(said) in (_plain(one.text), f"{one.value:g}"):
            return Reading(said, float(one.value))
    values = ", ".join(f"{one.value:g}" for one in question.choices)
    return Reading(said, None, f"{shorten_value(said)} is none of {values}")


def _read_number(question: Question, said: Any) -> Reading:
    value = said
    if isinstance(said, str):
        try:
            value = float(said)
        except ValueError:
            value = None
    if not _is_number(value):
        return Reading(said, None, f"{shorten_value(said)} is no number")
    low, high = question.least, question.most
    if not low <= value <= high:
        return Reading(said, None, f"{value:g} is not from {low:g} to {high:g}")
    if question.whole and value != int(value):
        return Reading(said, None, f"{value:g} is no whole number")
    return Reading(said, float(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(text: str) -> str:
    return text.strip(" .!\"'").lower()
