"""DPG-Bench's score of a prompt: each question about each of the four pictures of its grid.

A question counts 0 where one that it rests on is answered no. The official script zeroes in the order
of the questions and in place: a question that rests on one zeroed before is zeroed, too; on one that
is zeroed later, not. Its categories are a slip that is kept under its name: they are taken from the
last picture alone, before anything is zeroed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean


@dataclass(frozen=True, slots=True)
class DpgQuestion:
    number: int
    rests_on: tuple[int, ...]  # 0 stands for nothing
    category: str  # "attribute - color"


def zeroed(questions: Sequence[DpgQuestion], answers: Sequence[float]) -> dict[int, float]:
    """What each question counts, by its number."""
    if len(answers) != len(questions):
        raise ValueError(f"{len(questions)} questions have {len(answers)} answers.")
    scores = {q.number: float(answer) for q, answer in zip(questions, answers, strict=True)}
    for question in questions:
        for parent in question.rests_on:
            if parent and parent not in scores:
                raise ValueError(f"Question {question.number} rests on {parent}, which is none.")
            if parent and not scores[parent]:
                scores[question.number] = 0.0
    return scores


def dpg_score(questions: Sequence[DpgQuestion], crops: Sequence[Sequence[float]]) -> float:
    """The mean over the pictures of the mean over the questions."""
    return fmean(fmean(zeroed(questions, answers).values()) for answers in crops)


def official_categories(
    questions: Sequence[DpgQuestion], crops: Sequence[Sequence[float]]
) -> Mapping[str, float]:
    by_category: dict[str, list[float]] = {}
    for question, answer in zip(questions, crops[-1], strict=True):
        name = question.category.partition(" - ")[0]
        by_category.setdefault(name, []).append(float(answer))
    return {name: fmean(answers) for name, answers in by_category.items()}
