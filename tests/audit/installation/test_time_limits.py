"""Servers that accept connections and never answer: everybody gives up on them after seconds."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest
from django.db import connection, connections

from audit.celery import app
from judges import tasks
from judges.models import Chunk, Run
from judges.runs import lifecycle, score_chunk, wake
from tests import needs
from tests.audit.test_settings import start
from tests.waiting import wait_until

# Far more than anything here takes, and far less than a hung server used to hold a page.
PATIENCE = 120


@pytest.fixture
def silent() -> Iterator[int]:
    """The port of a server that takes connections and says nothing, ever."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield server.getsockname()[1]


AMQP = pytest.param("amqp", marks=pytest.mark.nightly("the same with Redis"))


@pytest.fixture(params=["redis", AMQP])
def hung_broker(request, silent, tmp_path, monkeypatch) -> Iterator[None]:
    url = f"{request.param}://127.0.0.1:{silent}/"
    options = start(
        tmp_path, "print(settings.CELERY_BROKER_TRANSPORT_OPTIONS)", CELERY_BROKER_URL=url
    ).stdout
    before = app.conf.broker_url, app.conf.broker_transport_options
    _use_broker(url, eval(options))  # noqa: S307  # our own settings, printed
    yield
    # What is on its way comes to its end before the next test sends anything.
    with wake._on_the_way:
        _use_broker(*before)


def _use_broker(url: str, options: dict) -> None:
    app.conf.broker_url = app.conf.broker_write_url = app.conf.broker_read_url = url
    app.conf.broker_transport_options = options
    app._pool = app.amqp._producer_pool = None


def in_time(do) -> object:
    """The result, or a failure when it does not come."""
    results: list[object] = []

    def work() -> None:
        try:
            results.append(do())
        except BaseException as error:
            results.append(error)
        finally:
            connections.close_all()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "a server that does not answer held it up"
    return results[0]


@pytest.mark.django_db(transaction=True)
def test_a_hung_broker_holds_no_page_and_the_work_is_found_later(hung_broker, study, as_alice):
    answer = in_time(
        lambda: as_alice.post("/studies/shapes/runs/start/", {"judge": "geneval-builtin"})
    )
    assert answer.status_code == 302
    run = Run.objects.get()
    assert run.state == Run.State.RUNNING
    # What a worker does once it can be called again, or by itself.
    Chunk.objects.update(woken_at=None)
    for chunk in lifecycle.chunks_to_wake():
        score_chunk.score_chunk(chunk_id=chunk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED


@pytest.mark.nightly("one call to a hung broker is held beside it")
@pytest.mark.django_db
def test_a_hundred_calls_to_a_hung_broker_wait_for_it_once(hung_broker, study, monkeypatch):
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    Chunk.objects.bulk_create(Chunk(run=run, images=[]) for _ in range(100))
    calls = []
    send = wake.send
    monkeypatch.setattr(tasks, "send", lambda *args: (calls.append(args), send(*args))[1])
    in_time(lambda: tasks.wake(run) if connection.in_atomic_block else None)
    tasks.wake(run)
    assert len(calls) == 1


def test_a_message_is_sent_and_says_so():
    assert wake.send(tasks.reap_task)


def test_one_message_that_hangs_holds_up_no_other_for_long(monkeypatch):
    stuck = threading.Event()
    monkeypatch.setattr(wake, "SEND_WITHIN", 0.05)
    monkeypatch.setattr(tasks.reap_task, "delay", stuck.wait)
    assert not wake.send(tasks.reap_task)
    monkeypatch.undo()
    monkeypatch.setattr(wake, "SEND_WITHIN", 0.05)
    assert not wake.send(tasks.reap_task)
    monkeypatch.undo()
    stuck.set()
    wait_until(lambda: not wake._hangs.is_set())
    assert wake.send(tasks.reap_task)


def test_a_page_waits_once_for_a_broker_that_hangs(monkeypatch):
    stuck, waits = threading.Event(), []
    monkeypatch.setattr(wake, "SEND_WITHIN", 0.05)
    monkeypatch.setattr(tasks.reap_task, "delay", stuck.wait)
    assert not wake.send(tasks.reap_task)
    acquire = wake._on_the_way.acquire

    class Watched:
        def acquire(self, timeout):
            waits.append(timeout)
            return acquire(timeout=timeout)

    with monkeypatch.context() as watching:
        watching.setattr(wake, "_on_the_way", Watched())
        assert not any(wake.send(tasks.reap_task) for _ in range(12))
    assert waits == [0] * 12
    stuck.set()
    wait_until(lambda: not wake._hangs.is_set())


def test_a_process_that_is_forked_while_one_hangs_can_send(monkeypatch):
    stuck = threading.Event()
    with monkeypatch.context() as hangs:
        hangs.setattr(wake, "SEND_WITHIN", 0.05)
        hangs.setattr(tasks.reap_task, "delay", stuck.wait)
        assert not wake.send(tasks.reap_task)
    child = os.fork()
    if not child:
        os._exit(0 if wake._on_the_way.acquire(timeout=60) else 1)
    assert os.waitpid(child, 0)[1] == 0
    stuck.set()


def test_a_hung_database_is_an_error_after_seconds(silent, tmp_path):
    code = (
        "from django.db import connection, OperationalError\n"
        "try:\n connection.cursor()\nexcept OperationalError as error:\n print('gave up')"
    )
    url = f"postgres://postgres@127.0.0.1:{silent}/x"
    assert "gave up" in in_time(lambda: start(tmp_path, f"exec({code!r})", DATABASE_URL=url)).stdout


@pytest.mark.parametrize(
    ("first", "limits"), [("", ("2h", "1min")), ("import audit.wsgi; ", ("30s", "10s"))]
)
def test_statements_end_sooner_where_people_wait(tmp_path, first, limits):
    needs.postgres()
    code = (
        f"{first}from django.db import connection; cursor = connection.cursor(); "
        "[print(cursor.execute('SHOW ' + name).fetchone()[0]) "
        "for name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')]"
    )
    printed = start(tmp_path, code, DATABASE_URL=needs.POSTGRES_URL)
    assert tuple(printed.stdout.split()) == (*limits, "10min"), printed.stderr


def test_the_operators_own_limit_wins(tmp_path):
    needs.postgres()
    code = (
        "from django.db import connection; "
        "print(connection.cursor().execute('SHOW statement_timeout').fetchone()[0])"
    )
    url = f"{needs.POSTGRES_URL}?options=-c%20statement_timeout%3D7s"
    assert start(tmp_path, code, DATABASE_URL=url).stdout.strip() == "7s"


@pytest.mark.django_db
def test_a_bucket_that_does_not_answer_is_an_error_after_seconds(silent):
    pytest.importorskip("storages")
    from annotations.storage.bucket import TIMES, Bucket

    bucket = Bucket(
        bucket_name="b",
        endpoint_url=f"http://127.0.0.1:{silent}",
        addressing_style="path",
        signature_version="s3v4",
        access_key="a",
        secret_key="b",
    )
    assert (TIMES.connect_timeout, TIMES.read_timeout) == (5, 20)
    config = bucket.connection.meta.client.meta.config
    assert (config.connect_timeout, config.read_timeout) == (5, 20)
    assert config.retries["total_max_attempts"] == 3
    assert (config.signature_version, config.s3["addressing_style"]) == ("s3v4", "path")
