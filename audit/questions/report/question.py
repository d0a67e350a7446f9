"""How well do judges follow people? The report itself is a row of its own (`audit.models.Report`), which
stays when a newer one is made; the stored answer names it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from annotations.database.read_only import may_write
from annotations.models import AnswerJob, StoredAnswer, Study
from annotations.stored_answers import store
from annotations.stored_answers.question import Question
from audit.reports import freshness
from audit.reports.options import Options
from audit.reports.progress import Progress


def compute(study: Study, options: Options) -> dict[str, Any]:
    from audit.reports import make

    return {"report": make.make_report(study=study, options=options).pk}


def compute_for(job: AnswerJob, options: Options, write: Callable[..., None]) -> dict[str, Any]:
    """By a worker: it shows how far it is."""
    from audit.reports import make

    assert job.study is not None
    report = make.make_report(
        study=job.study,
        options=options,
        user_id=job.by_id,
        progress=Progress(write),
    )
    return {"report": report.pk}


REPORT = Question(
    name="report",
    compute=compute,
    compute_for=compute_for,
    parameters=Options,
    facts=lambda study, options: freshness.rows_now(study),
)
QUESTIONS = (REPORT,)


def request_report(study: Study, options: dict[str, Any], *, by: Any = None) -> None:
    """Somebody asks: what was refused or given up is tried again."""
    store.request_answer(REPORT, study, Options(**options), by=by, again=True)


def request_due_report(study: Study, options: dict[str, Any] | None = None) -> None:
    """The data have changed, and nobody asks. What was refused waits for other data, what was given up
    for a person."""
    store.request_unless_refused(REPORT, study, Options(**(options or {})))


def request_for_reader(study: Study, options: dict[str, Any]) -> None:
    """Somebody looks at the newest report: where data have changed since, the next one follows."""
    if may_write() and freshness.is_due(study=study, patient=True, options=options):
        request_due_report(study, options)


def request_again_since(study: Study, begun: datetime) -> None:
    """Scores are in: every report that was requested while they came is made again."""
    rows = StoredAnswer.objects.filter(study=study, question=REPORT.name).select_related("job")
    rows = rows.filter(job__created_at__gte=begun).exclude(job__state=AnswerJob.State.GIVEN_UP)
    for row in rows.defer("content", "keys"):
        parameters = Options(**row.parameters)
        if row.job and row.stamp != REPORT.stamp(study, parameters):
            store.request_answer(REPORT, study, parameters, by=row.job.by, again=True)


def awaited_report(study: Study, options: dict[str, Any]) -> AnswerJob | None:
    """The one under way, or why there is none."""
    parameters = Options(**options)
    row = store.answer_of(REPORT, study, parameters)
    if row is None or row.job is None or row.job.state == AnswerJob.State.DONE:
        return None
    is_over = row.job.is_refused and row.stamp != REPORT.stamp(study, parameters)
    return None if is_over else row.job
