"""Which request, task or run a line of the log belongs to.

With LOG_FORMAT=json each line is one JSON object that carries these ids; a request's own line
names the route, never the address: addresses can hold the secret of an invitation.
"""

from __future__ import annotations

import json
import logging
import re
import time
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime

from celery.signals import task_postrun, task_prerun
from django.http import HttpRequest, HttpResponse

logger = logging.getLogger("jurybox.request")

_request: ContextVar[str] = ContextVar("request", default="")
_task: ContextVar[str] = ContextVar("task", default="")
# What a proxy may hand on as an id; anything else could forge lines of the log.
_HARMLESS = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestIds:
    """Every answer carries the id under which the log speaks of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        token = _request.set(given if _HARMLESS.fullmatch(given) else uuid.uuid4().hex)
        began = time.perf_counter()
        try:
            response = self.get_response(request)
            response.headers["X-Request-ID"] = _request.get()
            if logger.isEnabledFor(logging.INFO):
                logger.info(
                    "request",
                    extra={
                        "method": request.method,
                        "route": route_of(request),
                        "status": response.status_code,
                        "milliseconds": round(1000 * (time.perf_counter() - began), 1),
                    },
                )
            return response
        finally:
            _request.reset(token)


def route_of(request: HttpRequest) -> str:
    match = request.resolver_match
    return match.route if match else "unknown"


class Ids(logging.Filter):
    """Puts the ids of the moment on every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = _request.get()
        record.task_id = _task.get()
        return True


_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {
            key: value
            for key, value in vars(record).items()
            if key not in _USUAL and isinstance(value, str | int | float) and value != ""
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


@task_prerun.connect(dispatch_uid="tracing")
def _begin(task_id: str = "", task=None, args=(), **kwargs) -> None:
    """A task is named by what it works on: `judges.tasks.score_chunk_task(17)`."""
    _task.set(f"{task.name}({', '.join(map(str, args))})#{task_id[:8]}")


@task_postrun.connect(dispatch_uid="tracing")
def _end(**kwargs) -> None:
    _task.set("")
