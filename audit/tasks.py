"""The worker's tasks, and the signals that call it.

They are imported with the first signal or message; scipy takes a second to import, so the tasks import
`reports` when they run.
"""

from typing import Any

from celery import shared_task
from django.contrib.sessions.models import Session
from django.core.files.storage import default_storage
from django.utils import timezone

from annotations import rates
from annotations.database.scrub import PSEUDONYM, scrub
from annotations.models import AnswerJob, KeptAnswer, Study
from annotations.storage.folder import Folder
from annotations.studies import retention
from annotations.versions import raise_labels_version
from audit import celery  # noqa: F401 – its app is the first, and so the one that sends
from audit.accounts import addresses, lockout, reset_links
from audit.answers import worker  # its kind of job is known from the start
from audit.models import ApiToken, Report
from audit.reports import freshness
from audit.webhooks import send as webhook_send  # so is its
from judges.intake import deliveries, uploads
from judges.runs.wake import send
from judges.tasks import call_for, wake, wake_jobs


@shared_task(soft_time_limit=900, time_limit=930)
def refresh_report_task(study_id: int, ended: bool = False) -> None:
    """`ended`: no more scores come."""
    from audit.questions.report.question import request_again_since, request_due_report

    study = Study.objects.filter(pk=study_id).first()
    if study is None:
        return
    if freshness.is_due(study=study):
        request_due_report(study)
    if ended and (begun := freshness.scores_began(study)):
        request_again_since(study, begun)
    if ended and study.simulated:
        from audit import demo

        for job in demo.request_measurements(study):
            call_for(job)


@shared_task(soft_time_limit=900, time_limit=930)
def refresh_reports_task() -> None:
    """Runs regularly, for labels, which send no message, and for messages that got lost. A worker that finds
    nothing loads no statistics. A few new labels wait until somebody looks."""
    for study in Study.objects.all():
        if freshness.is_due(study=study, patient=True) and freshness.is_wanted(study):
            from audit.questions.report.question import request_due_report

            request_due_report(study)
    worker.request_due_answers()


@shared_task(soft_time_limit=300, time_limit=330)
def delete_expired_task() -> None:
    """Runs regularly: sessions, tokens and counts that have run out, files that were never imported."""
    delete_expired()
    deliveries.remove_old()
    uploads.remove_lost()


@shared_task(soft_time_limit=300, time_limit=330)
def webhooks_task() -> None:
    """Runs regularly: what has happened since is written down, and sent like all jobs."""
    from audit.webhooks import messages

    if messages.write_new():
        wake_jobs()
    webhook_send.forget_old()


@shared_task(soft_time_limit=900, time_limit=930)
def retention_task() -> None:
    """Runs regularly: what owners decided for the time after their studies have closed."""
    retention.carry_out_due()


@shared_task(soft_time_limit=900, time_limit=930)
def make_demo_task(study_id: int) -> None:
    """A page wants the demo: see `audit.demo`."""
    from audit import demo

    for run in demo.finish(study_id):
        wake(run)


@shared_task(soft_time_limit=60, time_limit=90)
def mail_reset_task(accounts: list[int], address: str) -> None:
    """Sent for every question, also where there is no account: a stranger cannot tell them apart."""
    reset_links.send_mails(accounts, address)


@shared_task(soft_time_limit=60, time_limit=90)
def mail_address_task(account: int, address: str) -> None:
    addresses.send_letter(account, address)


def call_for_answer(sender: Any, job: AnswerJob, **kwargs: Any) -> None:
    call_for(job)


def forget_names_in_reports(
    sender: Any, study_id: int, names: dict[str, str], **kwargs: Any
) -> None:
    # A kept report stays, with its numbers; it calls people by pseudonyms alone.
    pseudonyms = {old: new for old, new in names.items() if PSEUDONYM.fullmatch(old)}
    scrub(Report.objects.filter(study=study_id), ("body",), pseudonyms)


def call_for_report(sender: Any, study_id: int, ended: bool = False, **kwargs: Any) -> None:
    raise_labels_version(study_id)
    send(refresh_report_task, study_id, ended)


def delete_expired() -> dict[str, int]:
    """How many of each kind are gone."""
    now = timezone.now()
    answers = KeptAnswer.objects.filter(created_at__lt=now - KeptAnswer.KEPT)
    return {
        "sessions": Session.objects.filter(expire_date__lt=now).delete()[0],
        "tokens": ApiToken.objects.filter(expires_at__lt=now).delete()[0],
        "wrong passwords": lockout.too_long_ago(),
        "rates": rates.delete_old(),
        "answers by key": answers.delete()[0],
        "half files": _half_files(),
    }


def _half_files() -> int:
    # A bucket shows no file before it is whole.
    folder: Any = default_storage
    return folder.remove_old_drafts() if isinstance(folder, Folder) else 0
