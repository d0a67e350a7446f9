"""A queue for each kind of work, and old command lines that still hear everything."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from annotations import jobs
from annotations.models import AnswerJob, Job
from audit.celery import app, hear_short_work_and_imports
from audit.installation.processes import workers
from audit.models import WebhookMessage
from judges.models import Preview, Upload
from tests.audit.test_settings import start


def queue_of(task: str) -> str:
    return app.amqp.router.route({}, task)["queue"].name


@pytest.mark.parametrize(
    ("task", "queue"),
    [
        ("audit.tasks.mail_reset_task", "mail"),
        ("audit.tasks.mail_address_task", "mail"),
        ("judges.tasks.reap_task", "mail"),
        ("judges.tasks.score_chunk_task", "judges"),
        ("audit.tasks.refresh_report_task", "jurybox"),
    ],
)
def test_each_kind_of_work_has_its_queue(task, queue):
    assert task in app.tasks
    assert queue_of(task) == queue


def test_a_worker_knows_every_kind_of_job_from_its_start(tmp_path):
    code = (
        "from audit.celery import app; app.loader.import_default_modules();"
        "from annotations import jobs; from annotations.models import Job;"
        "kinds = {proxy.KIND for proxy in Job.__subclasses__()};"
        "print(sorted(kinds - jobs.KINDS.keys()), len(kinds))"
    )
    assert start(tmp_path, code).stdout.split("] ") == ["[", f"{len(Job.__subclasses__())}\n"]


def test_each_kind_of_job_says_its_queue():
    queues = {name: kind.queue for name, kind in jobs.KINDS.items()}
    assert {queues[model.KIND] for model in (Upload, Preview)} == {"imports"}
    assert queues[WebhookMessage.KIND] == "mail"
    assert queues[AnswerJob.KIND] == "jurybox"
    assert set(queues.values()) <= set(workers.ALL_QUEUES)


@pytest.mark.parametrize(
    ("named", "hears"),
    [
        ({"jurybox"}, {"jurybox", "mail", "imports"}),
        ({"jurybox", "judges"}, {"jurybox", "judges", "mail", "imports"}),
        ({"jurybox", "imports"}, {"jurybox", "imports"}),
        ({"judges"}, {"judges"}),
        ({"mail"}, {"mail"}),
    ],
)
def test_a_worker_hears_what_nobody_else_was_named_for(named, hears):
    heard = dict.fromkeys(named)
    queues = SimpleNamespace(consume_from=heard, select_add=lambda name: heard.update({name: None}))
    hear_short_work_and_imports(
        SimpleNamespace(app=SimpleNamespace(amqp=SimpleNamespace(queues=queues)))
    )
    assert set(heard) == hears


def test_each_kind_of_work_has_a_worker_of_its_own():
    works = [workers.work_of(queue, concurrency=3) for queue in workers.ALL_QUEUES]
    assert {work.name: (work.queues, work.processes) for work in works} == {
        "jurybox": (("jurybox", "mail"), 3),
        "imports": (("imports",), 1),
        "judges": (("judges",), 3),
        "mail": (("mail",), 1),
    }
