"""What follows from a person's answers where the form does not ask it: is the image right?

It is kept with the answers, as published files of labels have it, so that every judge can be held
against people whatever form they filled in. Where it cannot be known there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from annotations.forms.definition import Form
from annotations.forms.papers import geneval2_atoms, geneval_crowd
from annotations.forms.per_image import Asked

# How pages call what nobody was asked.
WORDS = {"aligned": "The image shows all that the prompt asks for (follows from the answers)"}


def following(
    form: Form,
    questions: Iterable[Asked],
    metadata: Mapping[str, Any],
    answers: Mapping[str, float | str],
) -> dict[str, float]:
    """`{"aligned": 1.0}`, `{"aligned": 0.0}`, or nothing."""
    if any(question.name == "aligned" for question in form.questions):
        return {}
    if form.slug == geneval_crowd.FORM.slug:
        right = _by_clauses(metadata, answers)
    else:
        atoms = {
            asked.atom.index: answers.get(asked.key)
            for asked in questions
            if asked.atom and asked.question.name == "atom"
        }
        right = geneval2_atoms.prompt_is_correct(atoms, atoms=atoms)
    return {} if right is None else {"aligned": float(right)}


def _by_clauses(metadata: Mapping[str, Any], answers: Mapping[str, float | str]) -> bool | None:
    """None for a prompt that is no line of GenEval, or a broken one."""
    if not metadata.get("include"):
        return None
    try:
        return geneval_crowd.is_correct(metadata, answers)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None
