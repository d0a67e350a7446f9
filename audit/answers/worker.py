"""What workers do with answers that wait: find the question of each, compute, keep up to date."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

from annotations.jobs import JobKind, Progress
from annotations.models import AnswerJob, StoredAnswer, Study
from annotations.stored_answers import store
from annotations.stored_answers.question import Question, is_small
from audit import questions


@cache
def all_questions() -> dict[str, Question]:
    """By name. Loaded when a worker needs them: the statistics take a second to import."""
    modules = questions.modules_called("question")
    return {question.name: question for module in modules for question in module.QUESTIONS}


def _compute(job: AnswerJob, progress: Progress) -> None:
    store.compute_requested(all_questions()[job.question], job, progress)


def _store(job: AnswerJob) -> None:
    store.store_found(all_questions()[job.question], job)


KIND = JobKind(
    AnswerJob,
    _compute,
    "they were computing this; it may need more memory than there is",
    lease_length=timedelta(seconds=60),
    limit=900,
    # Writing takes longer than most slices of a report.
    progress_every=0.4,
    ended=_store,
)


def recount_all() -> int:
    """What pages count, whoever requested it: how many figures were put right."""
    from audit.questions.counts.question import QUESTIONS

    named = {question.name: question for question in QUESTIONS}
    rows = StoredAnswer.objects.filter(question__in=named).select_related("study")
    return sum(store.compute_again(named[row.question], row) for row in rows)


def request_due_answers() -> None:
    # Pages compute what is small. Workers that find nothing else load no question.
    studies = [study for study in Study.objects.all() if not is_small(study)]
    if not studies:
        return
    kept_up = [question for question in all_questions().values() if question.keeps_up]
    store.request_due_answers(kept_up, studies)
