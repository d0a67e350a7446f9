"""Derives what a paper makes of a person's answers: "is the image correct?" where the form does not ask it,
and the overall score of an edit.

It is stored with the answers, as published label files do, so that every judge can be compared with
people whatever form they filled in. Nothing is stored where the answers do not decide it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from jurybox_formats.forms.definition import Form
from jurybox_formats.forms.papers import edits, geneval2_atoms, geneval_crowd
from jurybox_formats.forms.per_image import AskedQuestion
from jurybox_formats.forms.scales import CANT_TELL

# How pages name answers that were derived.
WORDS = {
    "aligned": "The image shows all that the prompt asks for (follows from the answers)",
    "overall": "Overall (follows from the answers)",
}


def derived_answers(
    form: Form,
    questions: Iterable[AskedQuestion],
    metadata: Mapping[str, Any],
    answers: Mapping[str, float | str],
) -> dict[str, float]:
    """`{"aligned": 1.0}`, `{"aligned": 0.0}`, `{"overall": 0.71}`, or nothing."""
    if form.slug in edits.OVERALL:
        overall = edits.OVERALL[form.slug](answers)
        return {} if overall is None else {"overall": overall}
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
        known = {index: None if said == CANT_TELL else said for index, said in atoms.items()}
        right = geneval2_atoms.prompt_is_correct(known, atoms=known)
    return {} if right is None else {"aligned": float(right)}


def _by_clauses(metadata: Mapping[str, Any], answers: Mapping[str, float | str]) -> bool | None:
    """None if the metadata is not GenEval's, or is damaged."""
    if not metadata.get("include"):
        return None
    try:
        return geneval_crowd.is_correct(metadata, answers)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None
