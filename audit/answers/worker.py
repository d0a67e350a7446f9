"""What workers do with answers that wait: find the question of each, compute, keep up to date."""

from __future__ import annotations

from functools import cache

from annotations.models import StoredAnswer, Study
from annotations.stored_answers import store
from annotations.stored_answers.question import Question
from audit import questions


@cache
def all_questions() -> dict[str, Question]:
    """By name. Loaded when a worker needs them: the statistics take a second to import."""
    modules = questions.modules_called("question")
    return {question.name: question for module in modules for question in module.QUESTIONS}


def compute_requested(pk: int) -> None:
    row = StoredAnswer.objects.filter(pk=pk).select_related("study").first()
    if row is not None:
        store.compute_requested(all_questions()[row.question], row)


def recount_all() -> int:
    """What pages count, whoever requested it: how many figures were put right."""
    from audit.questions.counts.question import QUESTIONS

    named = {question.name: question for question in QUESTIONS}
    rows = StoredAnswer.objects.filter(question__in=named).select_related("study")
    return sum(store.compute_again(named[row.question], row) for row in rows)


def request_due_answers() -> None:
    kept_up = [question for question in all_questions().values() if question.keeps_up]
    store.request_due_answers(kept_up, Study.objects.all())
