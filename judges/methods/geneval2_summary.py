"""GenEval 2's analyses of a generator: by skill (arithmetic) and by atomicity (geometric).

As coded, each prompt weighs the same in the benchmark's score, each question in that of its skill;
"a" is asked about, so it is among the questions, though it does not count as an atom. Where the
official script divides by zero for a skill or an atomicity that does not occur, it is left out.
Shares between 0 and 1; the paper prints them times 100.
"""

from __future__ import annotations

from collections.abc import Sequence

from judges.methods.soft_tifa import geometric


def overall(scores: Sequence[float]) -> float:
    """The mean over the prompts of whatever each of them got."""
    if not scores:
        raise ValueError("There is no judged image to summarise.")
    return sum(scores) / len(scores)


def by_skill(
    answers: Sequence[Sequence[float]], skills: Sequence[Sequence[str]]
) -> dict[str, float]:
    """`answers`: for each prompt the scores of its questions; `skills`: what each one tests."""
    pooled: dict[str, list[float]] = {}
    for scores, names in zip(answers, skills, strict=True):
        for score, name in zip(scores, names, strict=True):
            pooled.setdefault(name, []).append(score)
    return {name: overall(scores) for name, scores in pooled.items()}


def by_atomicity(
    answers: Sequence[Sequence[float]], atomicities: Sequence[int]
) -> dict[int, float]:
    """The geometric score of each prompt, averaged over the prompts with as many atoms."""
    pooled: dict[int, list[float]] = {}
    for scores, atomicity in zip(answers, atomicities, strict=True):
        pooled.setdefault(atomicity, []).append(geometric(scores))
    return {atomicity: overall(pooled[atomicity]) for atomicity in sorted(pooled)}
