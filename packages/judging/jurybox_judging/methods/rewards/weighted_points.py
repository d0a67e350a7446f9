"""VisionReward: many plain questions about a picture, each with a weight that was fitted to preferences.

score = intercept + Σ weight · value, where value is +1 for yes and −1 for anything else. A question may
count only where another is answered yes: whether a hand is right counts where there is a hand. `alignment`
is the weight of how well picture and prompt fit, a number of its own model (VQAScore in the paper).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_judging.methods.shared.answer_evidence import answer_as_evidence
from jurybox_judging.options import Optioned, choice, fields_of_request, free_text, real
from jurybox_judging.protocols import (
    Answer,
    Judgement,
    KnownAnswers,
    Question,
    Similarity,
    Subject,
    Unscored,
    Want,
)

NAMES = {
    "weighted-points": {"class": "WeightedPoints", "parts": ("answers",), "more": ("similarity",)},
}

MOST_POINTS = 100
SIGNS, SHARE = "signs", "share"
YES, NO = "yes", "no"
_QUESTION, _PROMPT = "{question}", "{prompt}"


@dataclass(frozen=True, kw_only=True)
class WeightedPoints(Optioned):
    weights: Mapping[str, Any] | None = fields_of_request(
        "What each question weighs: question = number. A question may hold {prompt}.",
        longest=4_000,
    )
    masks: Mapping[str, Any] | None = fields_of_request(
        "Questions that count only where another is answered yes: other = [question, …].",
        longest=4_000,
    )
    groups: Mapping[str, Any] | None = fields_of_request(
        "Questions that are summed by themselves for the evidence: name = [question, …].",
        longest=4_000,
    )
    intercept: float = real(0.0, "Added to every score.", minimum=-1e6, maximum=1e6)
    alignment: float = real(
        0.0,
        "What the likeness of picture and prompt weighs, which the part “similarity” tells.",
        minimum=-1e6,
        maximum=1e6,
    )
    template: str = free_text(_QUESTION, "The words around each {question}.", longest=1_000)
    reading: str = choice(
        SIGNS,
        (SIGNS, SHARE),
        "“signs”: +1 where the likeliest word is yes, else −1 (VisionReward). “share”: 2 · p(yes) − 1, "
        "against no.",
    )
    yes: str = free_text("yes", "The word that means yes, as the model writes it.", longest=40)
    no: str = free_text("no", "The word that means no.", longest=40)

    identity: ClassVar[str] = "WeightedPoints"
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.template.count(_QUESTION) != 1:
            raise ValueError(f"“template” must hold {_QUESTION} once.")
        if len(self._weights) > MOST_POINTS:
            raise ValueError(f"“weights” has more than {MOST_POINTS} questions.")
        for question, weight in self._weights.items():
            is_number = isinstance(weight, int | float) and not isinstance(weight, bool)
            if not question.strip() or not is_number or not -1e6 <= weight <= 1e6:
                raise ValueError(f"“weights.{question[:60]}” must be a number, at most a million.")
        for name, held in (("masks", self.masks), ("groups", self.groups)):
            for key, questions in (held or {}).items():
                self._check_questions(name, key, questions)

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        if self._lacks_words(subject):
            return ()
        wanted: list[Want] = [*self._questions(subject).values()]
        if self.alignment:
            wanted.append(Similarity(subject.prompt))
        return tuple(want for want in dict.fromkeys(wanted) if want not in seen)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not self._weights:
            return Unscored("This judge has no questions: give it weights.")
        if self._lacks_words(subject):
            return Unscored("This prompt is empty.", lacks="words")
        answers = {text: seen[want] for text, want in self._questions(subject).items()}
        values = {text: self._value(answer) for text, answer in answers.items()}
        failed = [
            f"{text}: {answers[text].reason or 'it was not answered'}"
            for text, value in values.items()
            if value is None
        ]
        if failed:
            rows = [_row(text, answer, None) for text, answer in answers.items()]
            return Unscored(
                f"Not every question was answered: {'; '.join(failed)}", {"answers": rows}
            )
        counted = self._masked({text: value for text, value in values.items() if value is not None})
        parts = {text: weight * counted[text] for text, weight in self._weights.items()}
        score = [self.intercept, *parts.values()]
        evidence: dict[str, Any] = {
            "answers": [_row(text, answers[text], counted[text]) for text in answers]
        }
        if self.groups:
            evidence["groups"] = {
                name: math.fsum(parts[text] for text in questions)
                for name, questions in self.groups.items()
            }
        if self.alignment:
            likeness = seen[Similarity(subject.prompt)]
            if likeness is None or not math.isfinite(likeness):
                return Unscored(f"The matcher gave {likeness}, which is no likeness.", evidence)
            evidence["similarity"] = float(likeness)
            score.append(self.alignment * likeness)
        assumed = sum(self._is_neither(answer) for answer in answers.values())
        return Judgement(math.fsum(score), evidence=evidence, assumed=assumed)

    @property
    def _weights(self) -> Mapping[str, Any]:
        return self.weights or {}

    def _lacks_words(self, subject: Subject) -> bool:
        uses = bool(self.alignment) or any(_PROMPT in text for text in self._weights)
        return uses and not subject.prompt.strip()

    def _questions(self, subject: Subject) -> dict[str, Question]:
        """The masks first, as in the official file; each of them once."""
        asked = dict.fromkeys([*(self.masks or {}), *self._weights])
        rule = "share" if self.reading == SHARE else "first_tokens"
        words = (self.yes, self.no) if self.reading == SHARE else (self.yes,)
        return {
            text: Question(
                self.template.replace(_QUESTION, text.replace(_PROMPT, subject.prompt)), words, rule
            )
            for text in asked
        }

    def _value(self, answer: Answer) -> float | None:
        if self.reading == SHARE:
            return None if answer.probability is None else 2 * answer.probability - 1
        if not answer.said.strip():
            return None
        return 1.0 if _word(answer.said) == _word(self.yes) else -1.0

    def _masked(self, values: Mapping[str, float]) -> dict[str, float]:
        counted = dict(values)
        for mask, questions in (self.masks or {}).items():
            if values[mask] <= 0:
                counted |= dict.fromkeys(questions, 0.0)
        return counted

    def _is_neither(self, answer: Answer) -> bool:
        """It counts as a no, as in the official code."""
        return self.reading == SIGNS and _word(answer.said) not in (_word(self.yes), _word(self.no))

    def _check_questions(self, name: str, key: str, questions: Any) -> None:
        listed = questions if isinstance(questions, list | tuple) else [None]
        unknown = [one for one in listed if not isinstance(one, str) or one not in self._weights]
        if unknown:
            raise ValueError(
                f"“{name}.{key[:60]}” must be a list of questions that have weights, and "
                f"“{str(unknown[0])[:60]}” has none."
            )


def _word(text: str) -> str:
    return text.strip(" .!,:;\"'*\n").lower()


def _row(text: str, answer: Answer, value: float | None) -> dict[str, Any]:
    return {**answer_as_evidence(answer), "question": text, "expected": "yes", "score": value}
