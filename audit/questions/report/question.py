"""How well do judges follow people? The report itself is a row of its own (`audit.models.Report`), which
stays when a newer one is made; the stored answer names it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from annotations.models import StoredAnswer, Study
from annotations.stored_answers import store
from annotations.stored_answers.question import Question
from audit.reports import freshness
from audit.reports.options import Options
from audit.reports.progress import Progress, help_wanted


def compute(study: Study, options: Options) -> dict[str, Any]:
    from audit.reports import make

    return {"report": make.make_report(study=study, options=options).pk}


def compute_for(row: StoredAnswer, options: Options) -> dict[str, Any]:
    """By a worker: it shows how far it is, and calls other workers to a large report."""
    from audit.reports import make

    def call() -> None:
        help_wanted.send(sender=None, study_id=row.study_id)

    report = make.make_report(
        study=row.study,
        options=options,
        user_id=row.requested_by_id,
        progress=Progress(row.pk),
        call=call,
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


def request_again_since(study: Study, begun: datetime) -> None:
    """Scores are in: every report that was requested while they came is made again."""
    rows = StoredAnswer.objects.filter(study=study, question=REPORT.name, requested_at__gte=begun)
    for row in rows.exclude(state=StoredAnswer.State.GIVEN_UP).defer("content", "keys"):
        parameters = Options(**row.parameters)
        if row.stamp != REPORT.stamp(study, parameters):
            store.request_answer(REPORT, study, parameters, by=row.requested_by, again=True)


def awaited_report(study: Study, options: dict[str, Any]) -> StoredAnswer | None:
    """The one under way, or why there is none."""
    parameters = Options(**options)
    row = store.answer_of(REPORT, study, parameters)
    if row is None or row.state == StoredAnswer.State.READY:
        return None
    is_over = row.is_refused and row.stamp != REPORT.stamp(study, parameters)
    return None if is_over else row
