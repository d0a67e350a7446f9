"""A line of the log says which request or task it belongs to, and never holds a secret."""

from __future__ import annotations

import io
import json
import logging

import pytest

from audit.installation.request_log import Ids, JsonLines
from judges.tasks import reap_task


@pytest.fixture
def log():
    """What a log collector would read."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    handler.addFilter(Ids())
    loggers = [logging.getLogger(name) for name in ("jurybox.request", "tests.tracing")]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    for logger in loggers:
        logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)


def test_an_answer_carries_the_id_under_which_the_log_speaks_of_it(client, log):
    answer = client.get("/healthz")
    (line,) = log()
    assert line["request_id"] == answer.headers["X-Request-ID"]
    assert (line["method"], line["route"], line["status"]) == ("GET", "healthz", 200)
    assert line["milliseconds"] >= 0


def test_an_id_that_a_proxy_gave_is_kept(client):
    answer = client.get("/healthz", headers={"X-Request-ID": "proxy-0815-4711"})
    assert answer.headers["X-Request-ID"] == "proxy-0815-4711"


@pytest.mark.parametrize("given", ["short", "x" * 65, 'id","level":"forged', "two words here"])
def test_an_id_that_could_forge_a_line_is_replaced(client, given):
    assert client.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"] != given


@pytest.mark.django_db
def test_the_secret_of_an_invitation_is_never_logged(client, log):
    client.get("/join/a-secret-token/")
    (line,) = log()
    assert line["route"] == "join/<str:token>/"
    assert "a-secret-token" not in json.dumps(line)


@pytest.mark.django_db
def test_a_task_is_named_in_the_lines_it_writes(log, monkeypatch):
    from judges import running

    monkeypatch.setattr(running, "reap", lambda: logging.getLogger("tests.tracing").info("reaping"))
    reap_task.apply()
    (line,) = [line for line in log() if line["message"] == "reaping"]
    assert line["task_id"].startswith("judges.tasks.reap_task()#")
    logging.getLogger("tests.tracing").info("after")
    assert "task_id" not in log()[-1]
