"""Real workers, as processes of their own, over every broker: the same run, the same scores."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import dj_database_url
import pytest
from django.db import connection

from audit import demo
from judges.models import Chunk, Look, Run, Score
from judges.runs import lifecycle, score_chunk
from tests import needs
from tests.waiting import reserve_port, wait_until

ROOT = Path(__file__).resolve().parent.parent


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
            *("--queues", "jurybox,judges", "--concurrency", "2", "--without-gossip"),
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


def start(environment: dict[str, str], judge: str = "geneval-builtin") -> None:
    """As a person would: from another process than the worker's."""
    subprocess.run(
        [sys.executable, "manage.py", "run_judge", "demo", judge],
        cwd=ROOT,
        env=environment,
        check=True,
        capture_output=True,
    )


RABBIT = pytest.param("rabbitmq", marks=pytest.mark.nightly("the same over files and Redis"))


@pytest.fixture(params=["filesystem", "redis", RABBIT])
def broker(request) -> str:
    if request.param == "redis":
        return needs.redis()
    if request.param == "rabbitmq":
        return needs.rabbitmq()
    if connection.vendor == "postgresql":
        pytest.skip("an installation with PostgreSQL has a broker")
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
    score_chunk.work_off(run=lifecycle.start_run(study=study, name="geneval-builtin"))
    assert dict(Score.objects.values_list("image__key", "value")) == by_workers


@pytest.mark.parametrize("judge", ["geneval-builtin", "soft-tifa-gm-builtin"])
@pytest.mark.django_db(transaction=True)
@pytest.mark.nightly(
    "kills; the test before it has the same run undisturbed, test_lifecycle.py the leases"
)
def test_a_worker_killed_in_the_middle_costs_no_score_and_doubles_none(judge, tmp_path, media):
    study = demo.build_demo(prompts=70, generators=2, size=256, seed=7)
    environ = environment(tmp_path, "filesystem://", media)
    start(environ, judge)
    with worker(environ) as first:
        wait_until(lambda: Score.objects.count() >= 5, "the first five scores")
        os.killpg(first.pid, signal.SIGKILL)
    assert Run.objects.get().state == Run.State.RUNNING
    call_again(environ)
    with worker(environ):
        wait_until(
            lambda: Run.objects.get(study=study).state == Run.State.FINISHED, "the end of the run"
        )
    assert_undisturbed(study, judge, 140)


@pytest.mark.django_db(transaction=True)
@pytest.mark.nightly(
    "kills; the test before it has the same run undisturbed, test_lifecycle.py the leases"
)
def test_a_broker_killed_in_the_middle_costs_no_score_and_doubles_none(tmp_path, media):
    """The messages are gone with it; what has to be done is in the database."""
    study = demo.build_demo(prompts=70, generators=2, size=256, seed=7)
    port = reserve_port()
    environ = environment(tmp_path, f"redis://127.0.0.1:{port}/0", media)
    with redis(port) as broker:
        start(environ)
        with worker(environ):
            wait_until(lambda: Score.objects.count() >= 5, "the first five scores")
            broker.kill()
            broker.wait()
    assert Run.objects.get().state == Run.State.RUNNING
    with redis(port):
        call_again(environ)
        with worker(environ):
            wait_until(
                lambda: Run.objects.get(study=study).state == Run.State.FINISHED,
                "the end of the run",
            )
    assert_undisturbed(study, "geneval-builtin", 140)


def call_again(environ: dict[str, str]) -> None:
    """What dead workers held runs out, and is called for again; without waiting for the clock."""
    Chunk.objects.filter(state=Chunk.State.LEASED).update(leased_until="2020-01-01T00:00Z")
    Chunk.objects.update(woken_at=None)
    code = "import django; django.setup(); from judges.tasks import *; reap_task()"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environ, check=True)


def assert_undisturbed(study, judge: str, images: int) -> None:
    """Every image once, with the score of a run that nobody disturbed."""
    scores = dict(Score.objects.values_list("image__key", "value"))
    assert len(scores) == Score.objects.count() == images
    Run.objects.all().delete()
    Look.objects.all().delete()
    score_chunk.work_off(run=lifecycle.start_run(study=study, name=judge))
    assert scores == dict(Score.objects.values_list("image__key", "value"))


@contextmanager
def redis(port: int) -> Iterator[subprocess.Popen]:
    """One of our own, that may be killed."""
    binary = shutil.which("redis-server")
    needs.needed("redis", binary is not None, "There is no redis-server to start.")
    command = [binary, "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", "/tmp"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: needs.answers(f"redis://127.0.0.1:{port}"), "the start of Redis")
        yield process
    finally:
        process.kill()
        process.wait()
