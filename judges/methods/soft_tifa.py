"""Soft-TIFA: the mean probability of the expected answers (GenEval 2).

The arithmetic mean says how much of a prompt was drawn; the geometric mean, which one failed
atom pulls down, says whether all of it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from judges.protocols import (
    Answer,
    Atom,
    AtomJudgement,
    Judgement,
    Question,
    Seen,
    Subject,
    Unscored,
    Want,
)


def arithmetic(probabilities: Sequence[float]) -> float:
    return float(np.mean(_checked(probabilities)))


def geometric(probabilities: Sequence[float]) -> float:
    """exp(mean(log p)): zero as soon as one probability is zero."""
    values = _checked(probabilities)
    if not values.all():
        return 0.0
    return float(np.exp(np.mean(np.log(values))))


MEANS = {"arithmetic": arithmetic, "geometric": geometric}


class SoftTifa:
    version = "2"

    def __init__(self, mean: str = "geometric") -> None:
        if mean not in MEANS:
            raise ValueError(f"The mean is one of {', '.join(sorted(MEANS))}, not {mean!r}.")
        self.options = {"mean": mean}

    def wants(self, subject: Subject, seen: Seen) -> Sequence[Want]:
        return [
            question
            for question in dict.fromkeys(map(_asked, subject.atoms))
            if question not in seen
        ]

    def judge(self, subject: Subject, seen: Seen) -> Judgement | Unscored:
        if not subject.atoms:
            return Unscored("This prompt has no atoms to ask about.")
        judged = [_answer(atom, seen[_asked(atom)]) for atom in subject.atoms]
        evidence = {"answers": [_told(*pair) for pair in zip(subject.atoms, judged, strict=True)]}
        failed = [
            (atom, answer)
            for atom, answer in zip(subject.atoms, judged, strict=True)
            if answer.score is None
        ]
        if failed:
            told = "; ".join(f"atom {a.index} ({a.question}): {j.reason}" for a, j in failed)
            return Unscored(f"Not every question was answered: {told}", evidence)
        mean = MEANS[self.options["mean"]]
        return Judgement(
            score=mean([answer.score for answer in judged]),
            atoms=tuple(judged),
            evidence=evidence,
        )


def _asked(atom: Atom) -> Question:
    return Question(atom.question, (atom.expected,))


def _answer(atom: Atom, answer: Answer) -> AtomJudgement:
    value = answer.probability
    if value is None:
        return AtomJudgement(atom.index, None, answer.reason or "the question was refused")
    if not math.isfinite(value) or value < 0:
        return AtomJudgement(atom.index, None, f"the answer {value} is not a probability")
    return AtomJudgement(atom.index, float(value))


def _told(atom: Atom, answer: AtomJudgement) -> dict[str, Any]:
    return {
        "index": atom.index,
        "question": atom.question,
        "expected": atom.expected,
        "score": answer.score,
        "reason": answer.reason,
    }


def _checked(probabilities: Sequence[float]) -> np.ndarray:
    """Above 1 is let pass: the official code adds the tokens of one answer up, rounded."""
    values = np.asarray(probabilities, dtype=float)
    if values.ndim != 1 or not values.size:
        raise ValueError("A mean needs one list of at least one probability.")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("A probability is a number that is not negative.")
    return values
