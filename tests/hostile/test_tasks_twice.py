"""Every task comes twice and in any order, as a broker may deliver it: what is left is what one delivery in
order leaves."""

from __future__ import annotations

import io
import os
import random
from collections import Counter
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.core import mail
from django.core.files.storage import default_storage
from django.utils import timezone

from annotations import jobs
from annotations.anchors import keep
from annotations.models import Annotation, Answer, Job, Retention, Study
from annotations.studies import deletion, retention
from audit import tasks as audit_tasks
from audit.celery import app
from audit.models import Report, Webhook, WebhookMessage
from audit.questions.report.question import request_due_report
from audit.reports import freshness
from audit.webhooks import send as webhook_send
from judges import tasks as judge_tasks
from judges.intake import uploads
from judges.models import AnchorScoring, Chunk, Run, Score, SelfCheck, WeightCheck
from judges.runs import lifecycle
from tests import making

pytestmark = pytest.mark.django_db
LABELS = "image_id,rater,question,value\n" + "".join(
    f"{when}-{n},{who},aligned,{(n + len(who)) % 2}\n"
    for when in ("early", "late")
    for n in range(4)
    for who in ("ann", "ben", "chris")
)
# The demo is made once by a page; its own tests make it twice.
NOT_HERE = {"audit.tasks.make_demo_task"}


@pytest.fixture(autouse=True)
def nothing_leaves(monkeypatch, settings):
    """Messages are delivered by the test alone; what webhooks post is counted."""
    posted: Counter[str] = Counter()
    for module in (judge_tasks, audit_tasks):
        monkeypatch.setattr(module, "send", lambda *given: True)
    monkeypatch.setattr(
        webhook_send, "_post", lambda hook, target, message: posted.update([message.key]) or 200
    )
    monkeypatch.setattr(webhook_send.address, "resolved", lambda url: SimpleNamespace(name="hook"))
    settings.SENDS_MAIL = True
    # A report rests in proportion to the time it took; here nobody waits for that.
    monkeypatch.setattr(freshness, "SHARE_OF_TIME", 1e9)
    return posted


def ask_for_everything() -> tuple[Study, list[tuple]]:
    """A study with work of every kind; the tasks that workers are called for, in order."""
    study, leaving, closed = making.study("busy"), making.study("leaving"), making.study("closed")
    alice = making.person(study, "alice", role="owner")
    alice.user.email = "alice@example.org"
    alice.user.set_password("a-long-and-quiet-river")
    alice.user.save()
    making.labels(closed, {"early-0": {"somebody": 1}})
    retention.set_rule(study=closed, rule=Retention.Rule.FORGET, days=1)
    past = timezone.now() - timedelta(days=9)
    Study.objects.filter(pk=closed.pk).update(status="closed")
    Retention.objects.update(closed_at=past, decided_at=past)
    Webhook.objects.create(study=study, address="https://hook.example/x", since=past)
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    upload = uploads.accept(
        study=study, by=alice.user, content=io.BytesIO(LABELS.encode()), name="l.csv", kind="labels"
    )
    deletion.begin(study=leaving)
    anchors = keep.keep(study=study, images=[study.images.earliest("pk").pk], of=1, seed=0)
    AnchorScoring.objects.create(study=study, run=run, anchors=anchors, judge="geneval-builtin")
    SelfCheck.objects.create(study=study, judge="geneval-builtin", count=2)
    WeightCheck.objects.create(study=study, judge="geneval-builtin")
    request_due_report(study)
    calls = [(judge_tasks.score_chunk_task, chunk.pk) for chunk in Chunk.objects.filter(run=run)]
    calls += [(judge_tasks.run_job_task, job.pk) for job in Job.objects.order_by("pk")]
    calls += [
        (audit_tasks.refresh_report_task, study.pk),
        (audit_tasks.refresh_reports_task,),
        (audit_tasks.webhooks_task,),
        (audit_tasks.retention_task,),
        (audit_tasks.delete_expired_task,),
        (audit_tasks.mail_reset_task, [alice.user.pk], "https://jury.example"),
        (audit_tasks.mail_address_task, alice.user.pk, "https://jury.example"),
        (judge_tasks.reap_task,),
    ]
    assert upload.pk in {args[0] for task, *args in calls if task is judge_tasks.run_job_task}
    return study, calls


def deliver(calls: list[tuple]) -> None:
    for task, *args in calls:
        task(*args)


def look_round(study: Study) -> None:
    """What workers' own timers do until nothing waits."""
    for _ in range(6):
        audit_tasks.refresh_reports_task()
        for chunk in Chunk.objects.filter(state=Chunk.State.WAITING):
            judge_tasks.score_chunk_task(chunk.pk)
        audit_tasks.webhooks_task()
        for job in jobs.waiting():
            judge_tasks.run_job_task(job.pk)


def what_is_left(study: Study) -> dict:
    report = Report.objects.filter(study=study).order_by("-pk").first()
    return {
        "studies": sorted(Study._base_manager.values_list("slug", flat=True)),
        "scores": sorted(
            Score.objects.filter(run__study=study).values_list("image__key", "value", "error")
        ),
        "runs": sorted(Run.objects.values_list("state", flat=True)),
        "answers": sorted(
            Answer.objects.filter(annotation__study=study).values_list(
                "annotation__image__key", "annotation__annotator__name", "question", "value"
            )
        ),
        "annotations": Annotation.objects.count(),
        "jobs": Counter(
            Job.objects.exclude(kind=WebhookMessage.KIND).values_list("kind", "state", "tries")
        ),
        "names": study.memberships.count(),
        "judges": report.body["judges"],
        "people": report.body["people"],
        "files": sum(len(default_storage.listdir(f"images/{d}")[1]) for d in _folders()),
    }


def _folders() -> list[str]:
    return default_storage.listdir("images")[0]


def test_every_task_is_among_those_that_come_twice():
    _, calls = ask_for_everything()
    ours = {name for name in app.tasks if not name.startswith("celery.")}
    assert ours - {task.name for task, *_ in calls} == NOT_HERE


@pytest.mark.nightly(
    "every task twice in four orders; the tasks' own tests call each of them twice"
)
@pytest.mark.parametrize("seed", range(int(os.environ.get("ORDERS", "4"))))
def test_twice_in_any_order_leaves_what_once_in_order_leaves(
    seed, nothing_leaves, settings, tmp_path
):
    left = {}
    for way in ("in order", "twice"):
        settings.MEDIA_ROOT = tmp_path / way
        nothing_leaves.clear()
        mail.outbox.clear()
        study, calls = ask_for_everything()
        if way == "twice":
            calls = random.Random(seed).sample(calls * 2, len(calls) * 2)
        deliver(calls)
        look_round(study)
        left[way] = what_is_left(study)
        # Each message once, however often a worker was called for it.
        assert set(nothing_leaves.values()) == {1}, nothing_leaves
        assert WebhookMessage.objects.exclude(state="done").count() == 0
        assert len(mail.outbox) >= 1
        Study.objects.all().delete()
        Job.objects.all().delete()
    once = left["in order"]
    assert {state for _, state, _ in once["jobs"]} == {"done"} and set(once["runs"]) == {"finished"}
    assert len(once["answers"]) == 24 and "leaving" not in once["studies"]
    for part, value in once.items():
        assert left["twice"][part] == value, part
