"""Answers as they go out: the head with the beginning of the body, and one to HEAD with nothing after it.

Django leaves the body of a page in its answer to HEAD, and Waitress sends what it is given. A proxy
that uses its connection again takes these bytes for the next visitor's answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from waitress.task import ErrorTask, WSGITask

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class _NoBodyForHead:
    channel: Any
    request: Any
    chunked_response: bool

    @property
    def _is_head(self) -> bool:
        # A task about a failure has a request of its own; the visitor's is the channel's first.
        return next(iter(self.channel.requests), self.request).is_head

    def build_response_header(self) -> bytes:
        header: bytes = super().build_response_header()  # type: ignore[misc]
        if self._is_head:
            # The header may name this encoding; the chunk that ends it would be a body.
            self.chunked_response = False
        return header

    def write(self, data: bytes) -> None:
        super().write(b"" if self._is_head else data)  # type: ignore[misc]


class _HeadWithBody:
    channel: Any

    def write(self, data: bytes) -> None:
        # Waitress would send each by a call of the system, which costs more than its bytes.
        with self.channel.gathered():
            super().write(data)  # type: ignore[misc]


class Answer(_HeadWithBody, _NoBodyForHead, WSGITask):
    pass


class RefusalAnswer(_HeadWithBody, _NoBodyForHead, ErrorTask):
    pass


def without_body_for_head(application: Application) -> Application:
    """Nothing is read, made or sent of a body that nobody gets: an export, a picture."""

    def answer_head(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        body = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return body
        close = getattr(body, "close", None)
        if close is not None:
            close()
        return ()

    return answer_head
