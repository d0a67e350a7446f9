"""The worker's tasks, and the signals that tell the audit of new labels and scores.

Every process imports this file at its start, and scipy takes a second to import: the tasks import
`reports` when they run.
"""

from typing import Any

from celery import Task, shared_task

from annotations.models import Study
from annotations.signals import (
    figures_are_behind,
    labels_are_counted,
    labels_changed,
    labels_version,
    pair_votes_are_counted,
    pair_votes_changed,
    pair_votes_version,
    people_renamed,
)
from annotations.studies import retention
from audit.accounts import expired, reset_links
from audit.models import Making, Meeting
from audit.reports import freshness, progress
from judges.intake import deliveries
from judges.runs.wake import send
from judges.signals import scores_changed
from judges.tasks import wake

# Workers that are called to a large report. Each holds its study in memory once more.
HELPERS = 3


@shared_task(soft_time_limit=900, time_limit=930)
def make_report_task(study_id: int) -> None:
    from audit.reports import make as reports

    progress.make_asked(
        study_id,
        Making.Kind.REPORT,
        lambda asked: reports.make_report(
            study=asked.study,
            options=reports.Options(**asked.options),
            user_id=asked.asked_by_id,
            call=lambda: _call_for_help(study_id),
        ),
    )


def _call_for_help(study_id: int) -> None:
    for _ in range(HELPERS):
        if not send(help_with_report_task, study_id):
            return


@shared_task(soft_time_limit=900, time_limit=930)
def help_with_report_task(study_id: int) -> None:
    from audit.reports import make as reports

    reports.help_with(study_id)


@shared_task(soft_time_limit=900, time_limit=930)
def make_agreement_task(study_id: int) -> None:
    from audit.people import stored as stored_agreement

    progress.make_asked(
        study_id, Making.Kind.AGREEMENT, lambda asked: stored_agreement.keep(study=asked.study)
    )


@shared_task(soft_time_limit=900, time_limit=930)
def make_tally_task(study_id: int) -> None:
    from audit.images import tally

    progress.make_asked(study_id, Making.Kind.TALLY, lambda asked: tally.keep(study=asked.study))


@shared_task(soft_time_limit=900, time_limit=930)
def make_why_task(study_id: int) -> None:
    from audit.why import stored as stored_explanation
    from audit.why.asked import Asked

    progress.make_asked(
        study_id,
        Making.Kind.WHY,
        lambda row: stored_explanation.keep(study=row.study, asked=Asked(**row.options)),
    )


@shared_task(soft_time_limit=900, time_limit=930)
def make_standing_task(study_id: int) -> None:
    from audit.contests import stored as stored_standing
    from audit.contests.asked import Asked

    progress.make_asked(
        study_id,
        Making.Kind.STANDING,
        lambda row: stored_standing.keep(study=row.study, asked=Asked(**row.options)),
    )


@shared_task(soft_time_limit=900, time_limit=930)
def make_counts_task(study_id: int) -> None:
    from audit import counting

    progress.make_asked(
        study_id, Making.Kind.COUNTS, lambda asked: counting.keep(study=asked.study)
    )


@shared_task(soft_time_limit=900, time_limit=930)
def make_plan_task(study_id: int) -> None:
    from audit.next_labels import pilots

    progress.make_asked(
        study_id, Making.Kind.PLAN, lambda row: pilots.keep(row.study, **row.options)
    )


@shared_task(soft_time_limit=900, time_limit=930)
def make_gains_task(study_id: int) -> None:
    from audit.repairs import gains

    progress.make_asked(study_id, Making.Kind.GAINS, lambda row: gains.keep(row.study))


@shared_task(soft_time_limit=900, time_limit=930)
def make_pairs_task(study_id: int) -> None:
    from annotations.pairs import balance

    progress.make_asked(study_id, Making.Kind.PAIRS, lambda row: balance.keep(row.study))


@shared_task(soft_time_limit=900, time_limit=930)
def refresh_report_task(study_id: int) -> None:
    from audit.reports import make as reports

    study = Study.objects.filter(pk=study_id).first()
    if study is not None and reports.is_due(study=study):
        progress.due(study)
        make_report_task(study_id)


@shared_task(soft_time_limit=900, time_limit=930)
def refresh_reports_task() -> None:
    """Runs regularly, for labels, which send no message, and for messages that got lost."""
    from audit import counting
    from audit.people import stored as stored_agreement
    from audit.reports import make as reports

    for study in Study.objects.all():
        if reports.is_due(study=study, patient=True):
            progress.due(study)
        if stored_agreement.is_due(study=study):
            progress.due(study, kind=Making.Kind.AGREEMENT)
        if counting.is_due(study=study):
            progress.due(study, kind=Making.Kind.COUNTS)
    for row in progress.waiting():
        send(TASKS[row.kind], row.study_id)


TASKS: dict[str, Task] = {
    Making.Kind.REPORT: make_report_task,
    Making.Kind.AGREEMENT: make_agreement_task,
    Making.Kind.TALLY: make_tally_task,
    Making.Kind.WHY: make_why_task,
    Making.Kind.STANDING: make_standing_task,
    Making.Kind.COUNTS: make_counts_task,
    Making.Kind.PLAN: make_plan_task,
    Making.Kind.GAINS: make_gains_task,
    Making.Kind.PAIRS: make_pairs_task,
}


def looked_for(
    study: Study, kind: Making.Kind, options: dict[str, Any] | None = None
) -> Making | None:
    """Of a page that waits: a worker makes it, unless it was asked for already. How far that is."""
    options = options or {}
    if progress.looked_for(study, options, kind=kind):
        send(TASKS[kind], study.pk)
    return progress.of(study, kind=kind, options=options)


@shared_task(soft_time_limit=300, time_limit=330)
def delete_expired_task() -> None:
    """Runs regularly: sessions, tokens and counts that have run out, files that were never imported,
    parts of reports that nobody asks for."""
    from audit.reports.sharing import rows as parts_of_reports

    expired.delete()
    deliveries.remove_old()
    parts_of_reports.forget_unused()


@shared_task(soft_time_limit=300, time_limit=330)
def webhooks_task() -> None:
    """Runs regularly: what has happened since is written down, and what waits is sent."""
    from audit.webhooks import messages, send

    messages.write_new()
    send.send_due()


@shared_task(soft_time_limit=900, time_limit=930)
def retention_task() -> None:
    """Runs regularly: what owners decided for the time after their studies have closed."""
    retention.carry_out_due()


@shared_task(soft_time_limit=900, time_limit=930)
def make_demo_task(study_id: int) -> None:
    """A page has asked for the demo: see `audit.demo`."""
    from audit import demo

    for run in demo.finish(study_id):
        wake(run)


@shared_task(soft_time_limit=60, time_limit=90)
def mail_reset_task(accounts: list[int], address: str) -> None:
    """Sent for every question, also where there is no account: a stranger cannot tell them apart."""
    reset_links.send_mails(accounts, address)


def listen() -> None:
    people_renamed.connect(_people_renamed, dispatch_uid="audit")
    labels_changed.connect(_labels_changed, dispatch_uid="audit")
    scores_changed.connect(_scores_changed, dispatch_uid="audit")
    labels_version.connect(_labels_version, dispatch_uid="audit")
    labels_are_counted.connect(_labels_are_counted, dispatch_uid="audit")
    pair_votes_changed.connect(_votes_changed, dispatch_uid="audit")
    pair_votes_version.connect(_votes_version, dispatch_uid="audit")
    pair_votes_are_counted.connect(_votes_are_counted, dispatch_uid="audit")
    figures_are_behind.connect(_figures_are_behind, dispatch_uid="audit")


def _labels_changed(sender: Any, study_id: int, **kwargs: Any) -> None:
    freshness.changed(study_id)


def _labels_version(sender: Any, study_id: int, **kwargs: Any) -> str:
    return freshness.stamp(study_id)


def _labels_are_counted(sender: Any, study_id: int, **kwargs: Any) -> str:
    return freshness.counting_begins(study_id)


def _votes_changed(sender: Any, study_id: int, **kwargs: Any) -> None:
    freshness.votes_changed(study_id)


def _votes_version(sender: Any, study_id: int, **kwargs: Any) -> str:
    return freshness.votes_stamp(study_id)


def _votes_are_counted(sender: Any, study_id: int, **kwargs: Any) -> str:
    return freshness.votes_counting_begins(study_id)


def _figures_are_behind(sender: Any, study_id: int, **kwargs: Any) -> bool:
    return progress.will_soon_be_made(study_id, Making.Kind.COUNTS)


def _people_renamed(sender: Any, study_id: int, **kwargs: Any) -> None:
    # It holds the names that were; a page or a worker makes it anew.
    Meeting.objects.filter(study=study_id).delete()


def _scores_changed(sender: Any, study_id: int, **kwargs: Any) -> None:
    freshness.changed(study_id)
    send(refresh_report_task, study_id)
