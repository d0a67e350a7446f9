"""Soft-TIFA: the mean probability of the expected answers (GenEval 2).

The arithmetic mean says how much of a prompt was drawn; the geometric mean, which one failed
atom pulls down, says whether all of it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from judges.protocols import Answerer, Atom, AtomJudgement, Judgement, Subject, Unscored


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
    version = "1"

    def __init__(self, answerer: Answerer, mean: str = "geometric") -> None:
        if mean not in MEANS:
            raise ValueError(f"The mean is one of {', '.join(sorted(MEANS))}, not {mean!r}.")
        self.answerer = answerer
        self.options = {"mean": mean}

    def judge(self, subject: Subject) -> Judgement | Unscored:
        if not subject.atoms:
            return Unscored("This prompt has no atoms to ask about.")
        judged = self._ask(subject)
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

    def _ask(self, subject: Subject) -> list[AtomJudgement]:
        """All questions in one call; one by one only to find out which of them was refused.

        A ValueError is the answerer's word for "not this question". Anything else is a failure
        of the engine and belongs to the run.
        """
        questions = [(atom.question, atom.expected) for atom in subject.atoms]
        try:
            answers = self.answerer.probabilities(subject.image, questions)
        except ValueError:
            return [self._ask_alone(subject, atom) for atom in subject.atoms]
        if len(answers) != len(questions):
            raise RuntimeError(f"{len(questions)} questions were asked, {len(answers)} answered.")
        return [_answer(atom, value) for atom, value in zip(subject.atoms, answers, strict=True)]

    def _ask_alone(self, subject: Subject, atom: Atom) -> AtomJudgement:
        try:
            (value,) = self.answerer.probabilities(subject.image, [(atom.question, atom.expected)])
        except ValueError as error:
            return AtomJudgement(atom.index, None, str(error) or "the question was refused")
        return _answer(atom, value)


def _answer(atom: Atom, value: float | None) -> AtomJudgement:
    if value is None or not math.isfinite(value) or value < 0:
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
