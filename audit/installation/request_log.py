"""Which request or task a line of the log belongs to.

Every request has an id: its answer carries it, the lines of the log name it, and the tasks that it
starts inherit it. python-json-logger writes the lines with LOG_FORMAT=json. A line names the route
of a request, never its address: addresses can hold the secret of an invitation.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.core.signals import request_finished
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from pythonjsonlogger.json import JsonFormatter

from audit.log_context import HEADER, request_id, task_name

logger = logging.getLogger("jurybox.request")

# The ids that a proxy may set; anything else could forge lines of the log.
_HARMLESS = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestLog:
    """Middleware: gives each request its id, and writes a line about it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.META.get("HTTP_X_REQUEST_ID", "")
        name = given if _HARMLESS.fullmatch(given) else uuid.uuid4().hex
        request_id.set(name)
        began = time.perf_counter()
        response = self.get_response(request)
        response.headers[HEADER] = name
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


def route_of(request: HttpRequest) -> str:
    match = request.resolver_match
    return match.route if match else "unknown"


class RouteOnly(logging.Filter):
    """Django's own lines about a request name its address; this puts the route in its place."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest) and isinstance(record.args, tuple):
            record.args = tuple(
                route_of(request) if value == request.path else value for value in record.args
            )
        return True


class WhoWrites(logging.Filter):
    """Puts the request and the task that run now on every record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id, record.task_id = request_id.get(), task_name.get()
        return True


class JsonLines(JsonFormatter):
    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        """Without empty fields, and without objects: Django puts the request on its records."""
        return {
            key: value
            for key, value in log_data.items()
            if isinstance(value, str | int | float | datetime) and value != ""
        }


@receiver(request_finished, dispatch_uid="request_log")
def _request_ends(**kwargs: Any) -> None:
    # Django writes its own line about a refusal after all middleware.
    request_id.set("")
