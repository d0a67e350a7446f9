"""Soft-TIFA: the mean probability of the expected answers (GenEval 2).

The arithmetic mean says how much of a prompt was drawn; the geometric mean, which one failed
atom pulls down, says whether all of it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from jurybox_judging.methods.shared.answer_evidence import answer_as_evidence
from jurybox_judging.methods.shared.answer_spellings import one_word
from jurybox_judging.options import Optioned, choice
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

NAMES = {"soft-tifa": {"class": "SoftTifa", "parts": ("answers",)}}


def arithmetic(probabilities: Sequence[float]) -> float:
    return float(np.mean(_check_probabilities(probabilities)))


def geometric(probabilities: Sequence[float]) -> float:
    """exp(mean(log p)): zero as soon as one probability is zero."""
    values = _check_probabilities(probabilities)
    if not values.all():
        return 0.0
    return float(np.exp(np.mean(np.log(values))))


MEANS = {"arithmetic": arithmetic, "geometric": geometric}


@dataclass(frozen=True)
class SoftTifa(Optioned):
    identity: ClassVar[str] = "SoftTifa"
    version: ClassVar[str] = "3"
    in_peoples_unit: ClassVar[bool] = True

    mean: str = choice(
        "geometric",
        tuple(MEANS),
        "“geometric” asks whether all was drawn, “arithmetic” how much of it.",
    )
    tokens: str = choice(
        "first_tokens",
        ("first_tokens", "distinct_tokens"),
        "“distinct_tokens” repairs the sums: no blank, no token counted twice.",
    )

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        asked = dict.fromkeys(map(self._question, subject.atoms))
        return [question for question in asked if question not in seen]

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not subject.atoms:
            return Unscored("This prompt has no atoms to ask about.", lacks="questions")
        answers = [seen[self._question(atom)] for atom in subject.atoms]
        judged = [_judge_atom(*pair) for pair in zip(subject.atoms, answers, strict=True)]
        evidence: dict[str, Any] = {
            "answers": [_evidence(*row) for row in zip(subject.atoms, judged, answers, strict=True)]
        }
        failed = [
            (atom, answer)
            for atom, answer in zip(subject.atoms, judged, strict=True)
            if answer.score is None
        ]
        if failed:
            words = "; ".join(f"atom {a.index} ({a.question}): {j.reason}" for a, j in failed)
            return Unscored(f"Not every question was answered: {words}", evidence)
        bounds = [answer.between for answer in answers if answer.between]
        if bounds:
            lows, highs = zip(*(_bounds(answer) for answer in answers), strict=True)
            evidence["between"] = [MEANS[self.mean](lows), MEANS[self.mean](highs)]
        return Judgement(
            score=MEANS[self.mean]([answer.score for answer in judged if answer.score is not None]),
            atoms=tuple(judged),
            evidence=evidence,
            assumed=len(bounds),
        )

    def _question(self, atom: Atom) -> Question:
        return one_word(atom.question, atom.expected, self.tokens)


def _judge_atom(atom: Atom, answer: Answer) -> AtomJudgement:
    value = answer.probability
    if value is None:
        return AtomJudgement(atom.index, None, answer.reason or "the question was refused")
    if not math.isfinite(value) or value < 0:
        return AtomJudgement(atom.index, None, f"the answer {value} is not a probability")
    return AtomJudgement(atom.index, float(value))


def _bounds(answer: Answer) -> tuple[float, float]:
    if answer.between:
        return answer.between
    known = answer.probability or 0.0
    return known, known


def _evidence(atom: Atom, judged: AtomJudgement, answer: Answer) -> dict[str, Any]:
    return {
        **answer_as_evidence(answer),
        "index": atom.index,
        "question": atom.question,
        "expected": atom.expected,
        "score": judged.score,
        "reason": judged.reason,
    }


def _check_probabilities(probabilities: Sequence[float]) -> np.ndarray:
    """Values above 1 are allowed: the official code adds up rounded tokens of one answer."""
    values = np.asarray(probabilities, dtype=float)
    if values.ndim != 1 or not values.size:
        raise ValueError("A mean needs one list of at least one probability.")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("A probability is a number that is not negative.")
    return values


def overall(scores: Sequence[float]) -> float:
    """The mean of the prompts' scores."""
    if not scores:
        raise ValueError("There is no judged image to summarise.")
    return sum(scores) / len(scores)


def by_atomicity(
    answers: Sequence[Sequence[float]], atomicities: Sequence[int]
) -> dict[int, float]:
    """The geometric score of each prompt, averaged over the prompts with as many atoms."""
    pooled: dict[int, list[float]] = {}
    for scores, atomicity in zip(answers, atomicities, strict=True):
        pooled.setdefault(atomicity, []).append(geometric(scores))
    return {atomicity: overall(pooled[atomicity]) for atomicity in sorted(pooled)}
