"""The worker's tasks, and the signals that tell the audit of new labels and scores.

Every process imports this file at its start, and scipy takes a second to import: the tasks import
`reports` when they run.
"""

from typing import Any

from celery import shared_task

from annotations.models import Study
from annotations.signals import labels_changed
from audit.accounts import expired
from audit.reports import freshness
from judges.runs.wake import send
from judges.signals import scores_changed


@shared_task(soft_time_limit=900, time_limit=930)
def make_report_task(study_id: int, user_id: int | None = None) -> None:
    from audit.reports import make as reports

    reports.make_report(study=Study.objects.get(pk=study_id), user_id=user_id)


@shared_task(soft_time_limit=900, time_limit=930)
def refresh_report_task(study_id: int) -> None:
    from audit.reports import make as reports

    reports.refresh_report(study=Study.objects.get(pk=study_id))


@shared_task(soft_time_limit=900, time_limit=930)
def refresh_reports_task() -> None:
    """Runs regularly, for labels, which send no message, and for messages that got lost."""
    from audit.people import stored as stored_agreement
    from audit.reports import make as reports

    for study in Study.objects.all():
        reports.refresh_report(study=study, patient=True)
        stored_agreement.refresh(study=study)


@shared_task(soft_time_limit=300, time_limit=330)
def delete_expired_task() -> None:
    """Runs regularly: sessions, tokens and counts that have run out."""
    expired.delete()


def listen() -> None:
    labels_changed.connect(_labels_changed, dispatch_uid="audit")
    scores_changed.connect(_scores_changed, dispatch_uid="audit")


def _labels_changed(sender: Any, study_id: int, **kwargs: Any) -> None:
    freshness.changed(study_id)


def _scores_changed(sender: Any, study_id: int, **kwargs: Any) -> None:
    freshness.changed(study_id)
    send(refresh_report_task, study_id)
