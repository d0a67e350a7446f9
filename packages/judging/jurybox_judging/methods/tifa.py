"""TIFA: questions with one right answer, each right or wrong (Hu et al. 2023).

Two ways to ask. "atoms" is TIFA as GenEval 2 runs it: the atoms' own questions, answered in one
word, right when the likeliest token is exactly a spelling of the answer. "free" is the original: a
free answer, replaced by the most similar choice where it is none of the question's choices; right
when this equals the expected answer.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_judging.methods.shared.answer_evidence import answer_as_evidence
from jurybox_judging.methods.shared.answer_spellings import matches, one_word
from jurybox_judging.number_words import NUMBERS
from jurybox_judging.options import MOST_TOKENS, Optioned, choice, whole
from jurybox_judging.protocols import (
    Atom,
    AtomJudgement,
    Judgement,
    KnownAnswers,
    Subject,
    Talk,
    Unscored,
    Want,
)
from jurybox_judging.text_similarity import nearest, similarity

NAMES = {"tifa": {"class": "Tifa", "parts": ("answers",), "instead": {("form", "free"): "talk"}}}

F1_THRESHOLD = 0.6


@dataclass(frozen=True, slots=True)
class TifaSummary:
    """With the official names. The standard deviation of a single caption is None."""

    tifa_average: float
    tifa_stdev: float | None
    accuracy_by_type: dict[str, float]
    caption_scores: dict[str, float]


def summarise(
    questions: Iterable[Mapping[str, Any] | Sequence[str]], predictions: Iterable[str]
) -> TifaSummary:
    """Each caption weighs the same in the average, each question in the accuracy of its type.

    A question is an official object, or (caption id, question, answer, element type).
    """
    by_caption: dict[str, list[bool]] = {}
    by_type: dict[str, list[bool]] = {}
    for question, prediction in zip(questions, predictions, strict=True):
        key, answer, kind = _parts(question)
        right = prediction == answer
        by_caption.setdefault(key, []).append(right)
        by_type.setdefault(kind, []).append(right)
    if not by_caption:
        raise ValueError("There is no question to summarise.")
    captions = _shares(by_caption)
    scores = list(captions.values())
    return TifaSummary(
        tifa_average=statistics.fmean(scores),
        tifa_stdev=statistics.stdev(scores) if len(scores) > 1 else None,
        accuracy_by_type=_shares(by_type),
        caption_scores=captions,
    )


def answerable_places(
    questions: Sequence[Mapping[str, Any]],
    multiple_choice: Mapping[str, str],
    free_form: Mapping[str, str],
    *,
    threshold: float = F1_THRESHOLD,
) -> list[int]:
    """The places of the questions that a text model, given the caption, answers as expected.

    In the official order: a question that stood before is dropped, then one whose multiple choice is
    not the answer, then (unless it is a yes or no) one whose free answer shares too few words.
    """
    places = []
    asked = set()
    for place, item in enumerate(questions):
        question, answer = item["question"], item["answer"]
        if question in asked:
            continue
        asked.add(question)
        if multiple_choice[question] != answer:
            continue
        free = free_form[question]
        if answer.isdecimal():
            free = in_digits(free)
        if answer in ("yes", "no") or word_f1(answer, free) > threshold:
            places.append(place)
    return places


def word_f1(gold: str, predicted: str) -> float:
    """The harmonic mean of precision and recall over distinct words."""
    wanted, given = set(gold.split(" ")), set(predicted.split(" "))
    both = len(wanted & given)
    return 2 * both / (len(wanted) + len(given))


def in_digits(text: str) -> str:
    return " ".join(
        str(NUMBERS.index(word)) if word in NUMBERS else word for word in text.split(" ")
    )


@dataclass(frozen=True, kw_only=True)
class Tifa(Optioned):
    form: str = choice(
        "atoms",
        ("atoms", "free"),
        "“atoms” asks for one word, as GenEval 2 does; “free” is TIFA's own free answer.",
    )
    nearest: str = choice(
        "letters",
        ("letters",),
        "What compares a free answer with the choices: groups of three letters, or a plug-in.",
        takes_plugins=True,
    )
    max_tokens: int = whole(
        32, "The longest free answer, in tokens.", minimum=1, maximum=MOST_TOKENS
    )

    identity: ClassVar[str] = "Tifa"
    version: ClassVar[str] = "2"
    in_peoples_unit: ClassVar[bool] = True

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        if self._without_choices(subject):
            return ()
        asked = dict.fromkeys(self._want(atom) for atom in subject.atoms)
        return tuple(want for want in asked if want not in seen)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not subject.atoms:
            return Unscored("This prompt has no questions to ask.", lacks="questions")
        if lacking := self._without_choices(subject):
            named = "; ".join(f"atom {atom.index} ({atom.question})" for atom in lacking)
            return Unscored(
                f"A free answer needs choices to be compared with: {named}.", lacks="choices"
            )
        choices = _choices(subject) if self.form == "free" else {}
        answers = [
            self._row(atom, seen[self._want(atom)], choices.get(atom.index, ()))
            for atom in subject.atoms
        ]
        evidence = {"answers": answers}
        failed = [
            f"atom {a['index']} ({a['question']}): {a['reason'] or 'it was not answered'}"
            for a in answers
            if self.form == "atoms" and a["probability"] is None and not a["said"].strip()
        ]
        if failed:
            return Unscored(f"Not every question was answered: {'; '.join(failed)}", evidence)
        atoms = tuple(AtomJudgement(a["index"], float(a["right"])) for a in answers)
        score = sum(float(a["right"]) for a in answers) / len(answers)
        # Nothing but a blank is no spelling of any answer: wrong, as in the official code.
        silent = sum(not a["said"].strip() for a in answers)
        return Judgement(score, atoms=atoms, evidence=evidence, assumed=silent)

    def _without_choices(self, subject: Subject) -> list[Atom]:
        """The atoms whose free answer there is nothing to compare with."""
        if self.form != "free":
            return []
        choices = _choices(subject)
        return [atom for atom in subject.atoms if atom.index not in choices]

    def _want(self, atom: Atom) -> Want:
        if self.form == "free":
            return Talk((atom.question,), self.max_tokens)
        return one_word(atom.question, atom.expected)

    def _row(self, atom: Atom, answer: Any, choices: Sequence[str]) -> dict[str, Any]:
        row = {"index": atom.index, "question": atom.question, "expected": atom.expected}
        if self.form == "atoms":
            right = matches(answer.said, atom.expected)
            return {**row, **answer_as_evidence(answer), "right": right}
        said, chosen = answer[-1].strip(), ""
        if said:
            chosen = nearest(said.lower(), choices, similarity(self.nearest))
        right = chosen == atom.expected
        return {**row, "said": said, "reason": "", "chosen": chosen, "right": right}


def _choices(subject: Subject) -> dict[int, list[str]]:
    """The choices of each atom; for a yes-or-no question they need not be given."""
    choices = {a.index: ["yes", "no"] for a in subject.atoms if a.expected in ("yes", "no")}
    listed = subject.metadata.get("questions", ())
    by_question = {item["question"]: list(item["choices"]) for item in listed if "choices" in item}
    for atom in subject.atoms:
        if by_question.get(atom.question):
            choices[atom.index] = by_question[atom.question]
    return choices


def _parts(question: Mapping[str, Any] | Sequence[str]) -> tuple[str, str, str]:
    if isinstance(question, Mapping):
        return question["id"], question["answer"], question["element_type"]
    key, _, answer, kind = question
    return key, answer, kind


def _shares(groups: Mapping[str, Sequence[bool]]) -> dict[str, float]:
    return {name: sum(rights) / len(rights) for name, rights in groups.items()}
