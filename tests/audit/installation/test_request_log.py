"""A line of the log says which request or task it belongs to, and never holds a secret."""

from __future__ import annotations

import copy
import io
import json
import logging
import logging.config
from datetime import UTC, datetime

import pytest
from django.conf import settings

from audit import log_context
from judges.tasks import reap_task
from tests.waiting import PATIENCE


@pytest.fixture
def log():
    """What a log collector would read with LOG_FORMAT=json."""
    stream = io.StringIO()
    # The configurator takes its input apart.
    config = logging.config.DictConfigurator(copy.deepcopy(settings.LOGGING))
    handler = logging.StreamHandler(stream)
    handler.setFormatter(config.configure_formatter(config.config["formatters"]["json"]))
    for settings_of_filter in config.config["filters"].values():
        handler.addFilter(config.configure_filter(settings_of_filter))
    names = ("jurybox.request", "django.request", "tests.tracing")
    loggers = [logging.getLogger(name) for name in names]
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


def test_a_line_has_the_fields_that_collectors_know(log):
    try:
        raise ValueError("why")
    except ValueError:
        logging.getLogger("tests.tracing").exception("it “failed”", extra={"upload": 7})
    (line,) = log()
    assert list(line) == ["level", "logger", "message", "exception", "upload", "time"]
    assert (line["level"], line["logger"]) == ("ERROR", "tests.tracing")
    assert line["message"] == "it “failed”"
    assert line["exception"].endswith("ValueError: why")
    assert datetime.fromisoformat(line["time"]).tzinfo == UTC


def test_the_next_request_gets_another_id_and_lines_between_have_none(client, log):
    answers = [client.get("/healthz") for _ in range(2)]
    assert len({answer.headers["X-Request-ID"] for answer in answers}) == 2
    assert "Access-Control-Expose-Headers" not in answers[0].headers
    logging.getLogger("tests.tracing").info("in between")
    assert "request_id" not in log()[-1]


def test_an_id_that_a_proxy_gave_is_kept(client):
    answer = client.get("/healthz", headers={"X-Request-ID": "proxy-0815-4711"})
    assert answer.headers["X-Request-ID"] == "proxy-0815-4711"


@pytest.mark.parametrize("given", ["short", "x" * 65, 'id","level":"forged', "two words here"])
def test_an_id_that_could_forge_a_line_is_replaced(client, given):
    assert client.get("/healthz", headers={"X-Request-ID": given}).headers["X-Request-ID"] != given


@pytest.mark.django_db
def test_the_secret_of_an_invitation_is_never_logged(client, log):
    assert client.get("/join/a-secret-token/").status_code == 409
    ours, djangos = sorted(log(), key=lambda line: line["logger"], reverse=True)
    assert ours["route"] == "join/<str:token>/"
    assert djangos["message"] == "Conflict: join/<str:token>/"
    assert "a-secret-token" not in json.dumps([ours, djangos])


@pytest.mark.django_db
def test_a_task_is_named_in_the_lines_it_writes(log, monkeypatch):
    from judges.runs import lifecycle

    monkeypatch.setattr(
        lifecycle, "reap", lambda: logging.getLogger("tests.tracing").info("reaping")
    )
    reap_task.apply()
    (line,) = [line for line in log() if line["message"] == "reaping"]
    assert line["task_id"].startswith("judges.tasks.reap_task()#")
    logging.getLogger("tests.tracing").info("after")
    assert "task_id" not in log()[-1]


def test_a_task_carries_the_id_of_the_request_that_sent_it():
    from audit.celery import app

    with app.connection_for_write() as link, link.SimpleQueue("mail") as queue:
        queue.clear()
        token = log_context.request_id.set("proxy-0815-4711")
        try:
            reap_task.apply_async()
        finally:
            log_context.request_id.reset(token)
        assert queue.get(timeout=PATIENCE).headers["X-Request-ID"] == "proxy-0815-4711"
