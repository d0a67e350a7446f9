"""The weighted mean over answer words: Σ wᵢpᵢ / Σ pᵢ (Q-Align; ratings from log-probabilities).

The model gets one question, and the probabilities of the first token of each word are read: “excellent”
weighs 1, “good” ¾, down to “bad” 0; or “1” to “5” weigh what they say. With {question} in the template each
atom has its question, and the score is the mean over them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_judging.methods.shared.answer_evidence import answer_as_evidence
from jurybox_judging.methods.soft_tifa import MEANS
from jurybox_judging.options import Optioned, choice, fields_of_request, free_text
from jurybox_judging.protocols import (
    Answer,
    Atom,
    AtomJudgement,
    Judgement,
    KnownAnswers,
    Question,
    Subject,
    Unscored,
    Want,
)

NAMES = {"weighted-tokens": {"class": "WeightedTokens", "parts": ("answers",)}}

# Q-Align's five levels.
LEVELS = {"excellent": 1.0, "good": 0.75, "fair": 0.5, "poor": 0.25, "bad": 0.0}
MOST_WORDS = 20
_PLACE = re.compile(r"\{(prompt|question|expected)\}")


def weighted_mean(probabilities: Sequence[float], weights: Sequence[float]) -> float:
    """Σ wᵢpᵢ / Σ pᵢ. A ValueError where no word has any probability."""
    total = math.fsum(probabilities)
    if total <= 0:
        raise ValueError("None of the words has any probability.")
    parts = [w * p for w, p in zip(weights, probabilities, strict=True)]
    return math.fsum(parts) / total


@dataclass(frozen=True, slots=True)
class _Rated:
    score: float | None
    reason: str
    answers: tuple[Answer, ...]

    @property
    def assumed(self) -> int:
        return sum(answer.between is not None for answer in self.answers)


@dataclass(frozen=True, kw_only=True)
class WeightedTokens(Optioned):
    template: str = free_text(
        'How well does this picture show "{prompt}"? Answer with one word: excellent, good, fair, '
        "poor or bad.",
        "What is asked, with {prompt}; with {question}, and {expected}, about each atom.",
        longest=4_000,
    )
    weights: Mapping[str, Any] | None = fields_of_request(
        "What each word weighs, such as excellent = 1 … bad = 0 (without any) or yes = 1, no = 0.",
        longest=2_000,
    )
    reply_start: str = free_text(
        "", "Words with which the reply has begun already, such as “The quality of the image is”."
    )
    mean: str = choice("arithmetic", tuple(MEANS), "Over the atoms, where each is asked about.")

    identity: ClassVar[str] = "WeightedTokens"
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        weights = self._weights
        if not 2 <= len(weights) <= MOST_WORDS or not all(word.strip() for word in weights):
            raise ValueError(f"“weights” needs 2 to {MOST_WORDS} words.")
        for word, weight in weights.items():
            number = isinstance(weight, int | float) and not isinstance(weight, bool)
            if not number or not -1e9 <= weight <= 1e9:
                raise ValueError(f"“weights.{word}” must be a number, at most a billion.")
            if weight < 0 and self.mean == "geometric":
                raise ValueError(f"“weights.{word}” is below 0: there is no geometric mean.")

    @property
    def options(self) -> dict[str, Any]:
        """With the weights that count, since they decide what the number means."""
        return {
            "template": self.template,
            "weights": dict(self._weights),
            "reply_start": self.reply_start,
            "mean": self.mean,
        }

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        wanted = [q for _, asked in self._question_lists(subject) for q in asked]
        return tuple(question for question in dict.fromkeys(wanted) if question not in seen)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        asked = self._question_lists(subject)
        if not asked:
            if self._by_atom:
                return Unscored("This prompt has no questions to ask.", lacks="questions")
            return Unscored("This prompt is empty.", lacks="words")
        rated = [self._rate([seen[question] for question in each]) for _, each in asked]
        rows = [
            self._row(atom, each[0].text, one)
            for (atom, each), one in zip(asked, rated, strict=True)
        ]
        evidence = {"answers": rows}
        failed = [row for row in rows if row["score"] is None]
        if failed:
            words = "; ".join(f"{row['question']}: {row['reason']}" for row in failed)
            return Unscored(f"Not every question was answered: {words}", evidence)
        scores = [one.score for one in rated if one.score is not None]
        atoms = tuple(
            AtomJudgement(atom.index, one.score)
            for (atom, _), one in zip(asked, rated, strict=True)
            if atom is not None
        )
        # With one of them the mean may be below 0, and is the number itself.
        score = MEANS[self.mean](scores) if min(scores) >= 0 else math.fsum(scores) / len(scores)
        return Judgement(
            score, atoms=atoms, evidence=evidence, assumed=sum(one.assumed for one in rated)
        )

    @property
    def _weights(self) -> Mapping[str, Any]:
        return self.weights or LEVELS

    @property
    def _by_atom(self) -> bool:
        return "{question}" in self.template

    def _question_lists(self, subject: Subject) -> list[tuple[Atom | None, list[Question]]]:
        if self._by_atom:
            return [(atom, self._questions(subject, atom)) for atom in subject.atoms]
        if "{prompt}" in self.template and not subject.prompt.strip():
            return []
        return [(None, self._questions(subject, None))]

    def _questions(self, subject: Subject, atom: Atom | None) -> list[Question]:
        """One for each word: an engine answers all of them in one pass."""
        words = {
            "prompt": subject.prompt,
            "question": atom.question if atom else "",
            "expected": atom.expected if atom else "",
        }
        text = _PLACE.sub(lambda place: words[place[1]], self.template)
        return [Question(text, (word,), reply_start=self.reply_start) for word in self._weights]

    def _rate(self, answers: Sequence[Answer]) -> _Rated:
        kept = tuple(answers)
        reasons = [a.reason or "it was not answered" for a in answers if a.probability is None]
        if reasons:
            return _Rated(None, reasons[0], kept)
        firsts = [answer.tokens[0][0] for answer in answers if len(answer.tokens) == 1]
        twice = next((token for token in firsts if firsts.count(token) > 1), None)
        if twice is not None:
            return _Rated(None, f"two of the words begin with the same token “{twice}”", kept)
        try:
            known = [answer.probability or 0.0 for answer in answers]
            return _Rated(weighted_mean(known, list(self._weights.values())), "", kept)
        except ValueError as error:
            return _Rated(None, str(error), kept)

    def _row(self, atom: Atom | None, text: str, one: _Rated) -> dict[str, Any]:
        words = dict(zip(self._weights, one.answers, strict=True))
        return {
            **({"index": atom.index, "expected": atom.expected} if atom else {}),
            **answer_as_evidence(max(one.answers, key=lambda answer: answer.probability or 0.0)),
            "question": atom.question if atom else text,
            "tokens": [[word, answer.probability] for word, answer in words.items()],
            "score": one.score,
            "reason": one.reason,
        }
