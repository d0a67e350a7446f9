"""Which of the questions that people answer a judge was made for."""

from __future__ import annotations

from judges.models import Judge
from jurybox_judging.methods.edit_form import OVERALL, EditForm
from jurybox_judging.methods.kept_rest import KeptRest

KEPT = "kept"


def form_question(judge: Judge) -> str:
    """Its name in the form; empty for a judge of the whole picture."""
    if judge.method == KeptRest.identity:
        return KEPT
    if judge.method != EditForm.identity:
        return ""
    question = judge.options.get("question", OVERALL)
    return "" if question == OVERALL else question
