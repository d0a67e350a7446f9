"""The request and the task that run now: the log names them on every line, and messages carry the request."""

from contextvars import ContextVar

HEADER = "X-Request-ID"
request_id: ContextVar[str] = ContextVar("request", default="")
task_name: ContextVar[str] = ContextVar("task", default="")
