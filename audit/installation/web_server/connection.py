"""One visitor's connection: what it may send, how long it may take, how it ends."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from django.conf import settings
from waitress.channel import HTTPChannel

from audit.installation.proxies import visitor
from audit.installation.web_server import permission
from audit.installation.web_server.answer import Answer, RefusalAnswer
from audit.installation.web_server.request import Refusal, Request, too_large

# Seconds. A proxy in front must let idle connections go before Jurybox does (docs/nginx.conf).
UNTIL_A_HEAD = 20
BETWEEN_REQUESTS = 75
SILENCE = 30
NOT_READING = 60
# A body, and an answer, move at least so many bytes a second, after the first minute.
SLOWEST = 1000
# After a refusal, what still comes is thrown away for so long: a closed door would swallow the answer.
LINGERS = 5
BUSY = Refusal(
    503,
    "Service Unavailable",
    "Too many people are logging in right now. Wait ten seconds and try again.",
)


class Connection(HTTPChannel):
    request: Request | None
    close_when_flushed: bool
    task_class = Answer
    error_task_class = RefusalAnswer
    parser_class = Request

    # A thread is finding out who sends the large request that has begun.
    _asking = False
    # The request was refused; there may be more of it to come.
    _refused = False
    _lingers_since = 0.0
    # Parts of an answer that are to leave together.
    _gathered: list[bytes] | None = None
    # Since when an answer waits for its reader, and how much he has read of it.
    _pours_since = 0.0
    _poured = 0

    def __init__(
        self, server: Any, sock: socket.socket, addr: tuple, adj: Any, map: dict[int, Any]
    ) -> None:
        self.peer: str = addr[0]
        super().__init__(server, sock, addr, adj, map)

    # --- Whose turn it is (see `lanes`); called before the request is answered ------------------

    @property
    def address(self) -> str:
        """The visitor's, where a named proxy says it."""
        if not settings.TRUSTED_PROXIES:
            return self.peer
        said = self.requests[0].headers.get("X_FORWARDED_FOR", "")
        return visitor(self.peer, {"HTTP_X_FORWARDED_FOR": said}, settings.TRUSTED_PROXIES).address

    @property
    def is_log_in(self) -> bool:
        request = self.requests[0]
        return (
            request.error is None
            and request.command == "POST"
            and request.path.startswith(self.server.log_in_paths)
        )

    def refuse_log_in(self) -> None:
        self.requests[0].error = BUSY

    # --- A large body: first who sends it ------------------------------------------------------

    def received(self, data: bytes) -> bool:
        taken: bool = super().received(data)
        request = self.request
        if request is not None and request.is_more_than_allowed and not self._asking:
            if request.asked:
                # A body of unknown length that has become too long.
                self._decide(request, request.most)
            else:
                self._asking = request.asked = True
                self.server.add_task(_WhoSends(self, request))
        return taken

    def send_continue(self) -> None:
        if self.request is not None and self.request.is_more_than_allowed:
            return
        super().send_continue()

    def _decide(self, request: Request, most: int) -> None:
        with self.requests_lock:
            request.most = most
            self._asking = False
            if request.is_more_than_allowed:
                request.refuse(too_large(most))
                self.request = None
                self.requests.append(request)
                if len(self.requests) == 1:
                    self.server.add_task(self)
            elif request.expect_continue and not self.requests and not self.sent_continue:
                super().send_continue()
        self.server.pull_trigger()

    def service(self) -> None:
        if self.requests[0].error is not None:
            self._refused = True
        super().service()

    # --- The answer ----------------------------------------------------------------------------

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """What is written inside leaves together at the end."""
        self._gathered = []
        try:
            yield
        finally:
            parts, self._gathered = self._gathered, None
        super().write_soon(b"".join(parts))

    def write_soon(self, data: Any) -> int:
        if self._gathered is None:
            written: int = super().write_soon(data)
            return written
        self._gathered.append(data)
        return len(data)

    # --- How it ends ---------------------------------------------------------------------------

    def readable(self) -> bool:
        if self._lingers_since:
            return not self.will_close
        return not self._asking and super().readable()

    def handle_read(self) -> None:
        if not self._lingers_since:
            super().handle_read()
            return
        try:
            self.recv(65536)
        except OSError:
            self.handle_close()

    def handle_write(self) -> None:
        if self._refused and self.close_when_flushed and not self.will_close:
            self._flush_exception(self._flush_some)
            if not self.total_outbufs_len and self.connected:
                self.close_when_flushed = False
                self._linger()
            return
        super().handle_write()

    def _linger(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            self.handle_close()
        else:
            self._lingers_since = time.time()

    def send(self, data: bytes, do_close: bool = True) -> int:
        sent: int = super().send(data, do_close)
        self._poured += sent
        return sent

    # --- How long it may take ------------------------------------------------------------------

    def is_overdue(self, now: float) -> bool:
        if self._lingers_since:
            return now - self._lingers_since > LINGERS
        if self.total_outbufs_len:
            return self._reads_too_slowly(now)
        self._pours_since = 0.0
        if self._asking or self.requests:
            return False
        request = self.request
        if request is None:
            # What was written last is kept as a count until the next answer.
            patience = BETWEEN_REQUESTS if self.current_outbuf_count else UNTIL_A_HEAD
            return now - self.last_activity > patience
        took = now - request.began
        if not request.headers_finished:
            return took > UNTIL_A_HEAD
        return (
            now - self.last_activity > SILENCE
            or (took - 60) * SLOWEST > request.body_bytes_received
        )

    def _reads_too_slowly(self, now: float) -> bool:
        if not self._pours_since:
            self._pours_since, self._poured = now, 0
        took = now - self._pours_since
        return now - self.last_activity > NOT_READING or (took - 60) * SLOWEST > self._poured

    @property
    def can_be_let_go(self) -> bool:
        """Nobody waits for an answer on it."""
        return not (self.requests or self._asking or self.total_outbufs_len)

    @property
    def sends_with_permission(self) -> bool:
        return self.request is not None and self.request.asked

    def add_channel(self, map: dict[int, Any] | None = None) -> None:
        super().add_channel(map)
        self.server.arrived(self)

    def del_channel(self, map: dict[int, Any] | None = None) -> None:
        is_known = self._fileno in self.server.active_channels
        super().del_channel(map)
        if is_known:
            self.server.drop_connection(self)


class _WhoSends:
    """A thread asks the database, since the loop that serves all connections must not wait for it."""

    is_log_in = False

    def __init__(self, connection: Connection, request: Request) -> None:
        self._connection = connection
        self._request = request
        self.address = connection.peer

    def service(self) -> None:
        self._connection._decide(self._request, permission.most(self._head()))

    def _head(self) -> dict[str, Any]:
        """All but the body, which is still coming."""
        request = self._request
        said = {f"HTTP_{name}": value for name, value in request.headers.items()}
        said |= {"REQUEST_METHOD": request.command, "PATH_INFO": request.path}
        return {**said, "REMOTE_ADDR": self.address, "wsgi.input": BytesIO()}

    def cancel(self) -> None:
        self._connection.cancel()

    def refuse_log_in(self) -> None:
        raise NotImplementedError
