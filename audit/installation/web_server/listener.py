"""Who is let in: a place for everybody, also when strangers hold thousands of connections open.

At the limit nobody is kept waiting outside. Connections on which nobody waits for an answer make
room: first those of the address that holds most, then the oldest. Browsers open another one when
they need it, and never notice.
"""

from __future__ import annotations

import errno
import logging
import resource
import socket
import time
from collections import Counter
from contextlib import suppress

from django.conf import settings
from waitress.adjustments import Adjustments
from waitress.server import TcpWSGIServer

from audit.installation.proxies import is_named
from audit.installation.web_server.answer import Application, without_body_for_head
from audit.installation.web_server.connection import Connection
from audit.installation.web_server.lanes import Lanes
from audit.installation.web_server.permission import OF_A_RESEARCHER
from audit.installation.web_server.request import LARGEST_HEAD, Refusal

logger = logging.getLogger(__name__)

MOST = 2000
# Of one address, in one process: a whole institute behind one router.
MOST_OF_AN_ADDRESS = 200
# Files of the program itself: the database, the log, the interpreter.
RESERVED = 100
# A connection, its long request and its long answer are a file each.
FILES_OF_A_CONNECTION = 3
AT_ONCE = 64
FULL = Refusal(
    503,
    "Service Unavailable",
    "Jurybox has too many visitors, or too many from your address. Try again in a moment.",
)


def raise_file_limit() -> None:
    """As far as the machine allows by itself."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = RESERVED + MOST * FILES_OF_A_CONNECTION
    wanted = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def most_connections() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return MOST
    return max(10, min(MOST, (soft - RESERVED) // FILES_OF_A_CONNECTION))


class Listener(TcpWSGIServer):
    channel_class = Connection
    next_channel_cleanup: float

    def __init__(
        self, application: Application, listening: socket.socket, *, threads: int, log_ins: tuple
    ) -> None:
        adj = Adjustments(
            sockets=[listening],
            threads=threads,
            ident=None,
            cleanup_interval=5,
            # `poll` knows no highest descriptor; `select` ends the process at the 1,024th.
            asyncore_use_poll=True,
            max_request_header_size=LARGEST_HEAD,
            # Each request has its own limit, below this one.
            max_request_body_size=OF_A_RESEARCHER,
            # `audit.installation.proxies` decides whom to believe, and takes these words out.
            clear_untrusted_proxy_headers=False,
        )
        self.log_in_paths = log_ins
        self.most = most_connections()
        self.most_of_an_address = min(MOST_OF_AN_ADDRESS, max(4, self.most // 4))
        self.of_address: Counter[str] = Counter()
        lanes = Lanes()
        lanes.set_thread_count(threads)
        super().__init__(
            without_body_for_head(application),
            {},
            _sock=listening,
            dispatcher=lanes,
            adj=adj,
            sockinfo=(listening.family, listening.type, listening.proto, listening.getsockname()),
            bind_socket=False,
        )

    # --- Coming and going ----------------------------------------------------------------------

    def handle_accept(self) -> None:
        for _ in range(AT_ONCE):
            try:
                accepted = self.accept()
            except OSError as error:
                if error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}:
                    self._make_room(max(1, self.most // 16))
                return
            if accepted is None:
                return
            self._admit(*accepted)

    def _admit(self, link: socket.socket, address: tuple) -> None:
        peer = address[0]
        full = len(self.active_channels) >= self.most
        if full:
            full = not self._make_room(max(1, self.most // 16))
        if self.of_address[peer] >= self.most_of_an_address and not _is_proxy(peer):
            full = full or not self._make_room(1, peer)
        if full:
            _turn_away(link)
            return
        try:
            self.set_socket_options(link)
            self.channel_class(self, link, address, self.adj, map=self._map)
        except OSError:
            link.close()

    def arrived(self, connection: Connection) -> None:
        self.of_address[connection.peer] += 1

    def drop_connection(self, connection: Connection) -> None:
        peer = connection.peer
        self.of_address[peer] -= 1
        if self.of_address[peer] <= 0:
            del self.of_address[peer]

    def _make_room(self, count: int, peer: str = "") -> int:
        """Let go so many connections, of this address or of all; how many there were."""
        candidates = [
            connection
            for connection in self.active_channels.values()
            if connection.can_be_let_go and (not peer or connection.peer == peer)
        ]
        candidates.sort(
            key=lambda one: (
                one.sends_with_permission or _is_proxy(one.peer),
                -self.of_address[one.peer],
                one.last_activity if one.request is None else one.request.began,
            )
        )
        for connection in candidates[:count]:
            connection.handle_close()
        return len(candidates[:count])

    # --- Every few seconds ---------------------------------------------------------------------

    def readable(self) -> bool:
        now = time.time()
        if now >= self.next_channel_cleanup:
            self.next_channel_cleanup = now + self.adj.cleanup_interval
            self.maintenance(now)
        return bool(self.accepting)

    def maintenance(self, now: float) -> None:
        # Closed at once: a socket whose reader is gone never becomes writable again.
        for connection in list(self.active_channels.values()):
            if connection.is_overdue(now):
                connection.handle_close()


def _is_proxy(peer: str) -> bool:
    """All visitors of a named proxy come from its address; the proxy counts them."""
    return is_named(peer, settings.TRUSTED_PROXIES)


def _turn_away(link: socket.socket) -> None:
    status, headers, body = FULL.to_response()
    lines = [f"HTTP/1.1 {status}", *(f"{name}: {value}" for name, value in headers)]
    head = "\r\n".join([*lines, "Connection: close", f"Content-Length: {len(body)}", "", ""])
    with suppress(OSError):
        link.setblocking(False)
        link.send(head.encode() + body)
    link.close()
