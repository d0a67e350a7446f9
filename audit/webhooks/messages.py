"""What has happened in studies with a webhook, as messages that wait: each thing once.

Nothing calls this when a report is made or a run stops: a worker looks, so nothing is missed whatever was
killed when. A message holds no name of a person and no label.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone

from audit.models import Report, Webhook, WebhookMessage
from audit.questions.card.validity import validity_after, why_expired
from judges.models import MadeScore, Run
from judges.names import runs_by_name
from jurybox_stats.instrument.verdict import name_verdict

READY, ALARM, FAILED = "report_ready", "alarm_rung", "run_failed"
CHANGED, EXPIRED = "verdict_changed", "certificate_expired"
TEST = "test"
Told = tuple[str, str, datetime, dict[str, Any]]  # event, what it is about, when, the words


def write_new() -> int:
    """How many messages there are more."""
    return sum(map(_of_hook, Webhook.objects.select_related("study")))


def test(hook: Webhook) -> WebhookMessage:
    """One that somebody asks for, to see whether it arrives."""
    now = timezone.now()
    return _message(hook, (TEST, now.isoformat(), now, {}))


@transaction.atomic
def _of_hook(hook: Webhook) -> int:
    last, told = _reports(hook)
    told += [*_failures(hook), *_expired_cards(hook)]
    if last == hook.last_report and not _new(hook, told):
        return 0
    # The row's lock: of two workers one writes, and the other sees what it wrote.
    if not Webhook.objects.filter(pk=hook.pk, last_report=hook.last_report).update(
        last_report=last
    ):
        return 0
    new = _new(hook, told)
    for one in new:
        _message(hook, one)
    return len(new)


def _new(hook: Webhook, told: list[Told]) -> list[Told]:
    if not told:
        return []
    known = set(hook.messages.values_list("payload__event", "payload__about"))
    return [one for one in told if one[:2] not in known]


def _message(hook: Webhook, told: Told) -> WebhookMessage:
    event, about, at, said = told
    study = hook.study
    body = {"event": event, "at": at.isoformat(), "study": study.slug, "title": study.title, **said}
    return WebhookMessage.objects.create(
        study=study, key=f"{event} {about}", event=event, about=about, body=body
    )


def _reports(hook: Webhook) -> tuple[int, list[Told]]:
    """The newest report, each alarm that had not rung in the report before, and each judge of which
    another thing holds since then."""
    reports = Report.objects.with_usual_options().filter(study=hook.study).defer("body")
    new = list(reports.filter(pk__gt=hook.last_report, created_at__gt=hook.since).order_by("pk"))
    if not new:
        return hook.last_report, []
    before = reports.filter(pk__lt=new[0].pk).order_by("-pk").first()
    ringing = _ringing(before) if before is not None else set()
    told: list[Told] = []
    for report in new:
        told += _changes(before, report) if before is not None else []
        before = report
        for judge in sorted(_ringing(report) - ringing):
            said = {"judge": judge, **_of_report(report)}
            told.append((ALARM, f"{report.pk} {judge}"[:120], report.created_at, said))
        ringing = _ringing(report)
    told.append((READY, str(new[-1].pk), new[-1].created_at, _of_report(new[-1])))
    return new[-1].pk, told


def _changes(before: Report, report: Report) -> Iterator[Told]:
    earlier = before.summary.get("judges", {})
    for judge, now in sorted(report.summary.get("judges", {}).items()):
        then = earlier.get(judge)
        if then is None or "verdict" not in then or _verdict(then) == _verdict(now):
            continue
        said = {
            "judge": judge,
            "before": _verdict(then),
            "now": _verdict(now),
            "new_generators": len(_generators(report) - _generators(before)),
            **_of_report(report),
        }
        yield CHANGED, f"{report.pk} {judge}"[:120], report.created_at, said


def _verdict(judge: dict[str, Any]) -> str:
    return name_verdict(judge["verdict"], with_number=False)


def _generators(report: Report) -> set[str]:
    return {generator["name"] for generator in report.body.get("generators", ())}


def _ringing(report: Report) -> set[str]:
    judges = report.summary.get("judges", {})
    return {name for name, judge in judges.items() if judge.get("alarm")}


def _of_report(report: Report) -> dict[str, Any]:
    summary = report.summary
    return {
        "report": {
            "id": report.pk,
            "data": report.data,
            "sentence": summary.get("sentence", ""),
            "judges": {n: bool(j.get("alarm")) for n, j in summary.get("judges", {}).items()},
            "facts": {
                n: {key: j[key] for key in ("verdict", "follows", "state") if key in j}
                for n, j in summary.get("judges", {}).items()
            },
        }
    }


def _failures(hook: Webhook) -> Iterator[Told]:
    stopped = Run.objects.filter(
        study=hook.study, state=Run.State.STOPPED, finished_at__gt=hook.since
    )
    for run in stopped.select_related("judge").order_by("pk"):
        at = run.finished_at
        if at is not None:
            # A run that is resumed may stop again.
            said = {"judge": run.judge.name, "reason": run.reason}
            yield FAILED, f"{run.pk} {at.isoformat()}", at, said


def _expired_cards(hook: Webhook) -> Iterator[Told]:
    """Each measured judge whose card holds no more: once for what it was measured on, until it is measured on
    something newer. Nobody wrote down when it expired, so cards that had before the webhook was set are sent,
    too."""
    study, now = hook.study, timezone.now()
    made = MadeScore.objects.filter(picture__image__study=study, judge=OuterRef("judge"))
    measured = set(
        Run.objects.filter(Exists(made), study=study).order_by().values_list("pk", flat=True)
    )
    if not measured:
        return
    reports = Report.objects.with_usual_options().filter(study=study).defer("body")
    report = reports.first()
    ringing = _ringing(report) if report is not None else set()
    for name, run in runs_by_name(study).items():
        if run.pk not in measured:
            continue
        of_judge = MadeScore.objects.filter(
            picture__image__generator=OuterRef("pk"), judge=run.judge_id
        )
        found = study.generators.filter(Exists(of_judge)).aggregate(newest=Max("release_date"))
        valid = validity_after(study, found["newest"], alarm=name in ringing)
        if reason := why_expired(valid, timezone.localdate()):
            said = {"judge": name, "reason": reason, "until": valid["until"]}
            yield EXPIRED, f"{run.pk} {found['newest'] or ''}".strip(), now, said
