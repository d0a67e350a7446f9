"""Real workers, as processes of their own, over every broker: the same run, the same scores."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import dj_database_url
import pytest
from django.db import connection

from audit import demo
from judges import running
from judges.models import Chunk, Run, Score
from tests import needs

ROOT = Path(__file__).resolve().parent.parent
PATIENCE = 90


def environment(folder: Path, broker: str, media: Path) -> dict[str, str]:
    settings = connection.settings_dict
    if connection.vendor == "sqlite":
        database = f"sqlite:///{settings['NAME']}"
    else:
        place = f"{settings['HOST']}:{settings['PORT']}/{settings['NAME']}"
        database = f"postgres://{settings['USER']}:{settings['PASSWORD']}@{place}"
    assert dj_database_url.parse(database)["NAME"] == str(settings["NAME"])
    return {
        **os.environ,
        "JURYBOX_VAR": str(folder),
        "DATABASE_URL": database,
        "CELERY_BROKER_URL": broker,
        "MEDIA_ROOT": str(media),
        "DJANGO_SETTINGS_MODULE": "audit.settings",
    }


@contextmanager
def worker(environment: dict[str, str]) -> Iterator[subprocess.Popen]:
    command = [
        *(sys.executable, "-W", "ignore", "-m", "celery", "--app", "audit", "--quiet", "worker"),
        *(
            "--queues",
            "jurybox,judges",
            "--concurrency",
            "2",
            "--without-gossip",
            "--without-mingle",
        ),
        *("--loglevel", "ERROR"),
    ]
    process = subprocess.Popen(command, cwd=ROOT, env={**environment}, start_new_session=True)
    try:
        yield process
    finally:
        # The whole group: pool children of a killed worker would live on.
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def start(environment: dict[str, str]) -> None:
    """As a person would: from another process than the worker's."""
    subprocess.run(
        [sys.executable, "manage.py", "run_judge", "demo", "geneval-builtin"],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
    )


def wait_until(done, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline, f"{what} did not happen within {PATIENCE} s"
        time.sleep(0.1)


@pytest.fixture(params=["filesystem", "redis", "rabbitmq"])
def broker(request) -> str:
    if request.param == "redis":
        return needs.redis()
    if request.param == "rabbitmq":
        return needs.rabbitmq()
    return "filesystem://"


@pytest.mark.django_db(transaction=True)
def test_a_run_started_elsewhere_ends_in_the_worker_with_the_scores_of_an_undisturbed_one(
    broker, tmp_path, media
):
    study = demo.build_demo(prompts=10, generators=2, size=128, seed=7)
    environ = environment(tmp_path, broker, media)
    start(environ)
    with worker(environ):
        wait_until(
            lambda: Run.objects.get(study=study).state == Run.State.FINISHED, "the end of the run"
        )
    by_workers = dict(Score.objects.values_list("image__key", "value"))
    assert len(by_workers) == 20
    Run.objects.all().delete()
    running.work_off(run=running.start_run(study=study, name="geneval-builtin"))
    assert dict(Score.objects.values_list("image__key", "value")) == by_workers


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_in_the_middle_costs_no_score_and_doubles_none(tmp_path, media):
    study = demo.build_demo(prompts=30, generators=2, size=256, seed=7)
    environ = environment(tmp_path, "filesystem://", media)
    start(environ)
    with worker(environ) as first:
        wait_until(lambda: Score.objects.count() >= 5, "the first five scores")
        os.killpg(first.pid, signal.SIGKILL)
    assert Run.objects.get().state == Run.State.RUNNING
    # What the dead worker held runs out, and is called for again; without waiting for the clock.
    Chunk.objects.filter(state=Chunk.State.LEASED).update(leased_until="2020-01-01T00:00Z")
    Chunk.objects.update(woken_at=None)
    subprocess.run(
        [
            sys.executable,
            "-c",
            "import django; django.setup(); from judges.tasks import *; reap_task()",
        ],
        cwd=ROOT,
        env=environ,
        check=True,
    )
    with worker(environ):
        wait_until(
            lambda: Run.objects.get(study=study).state == Run.State.FINISHED, "the end of the run"
        )
    assert Score.objects.count() == 60
    assert Score.objects.filter(value__isnull=True).count() == 0
