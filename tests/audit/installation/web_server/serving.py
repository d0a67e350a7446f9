"""The web server in a thread of the test, and what a client says and hears at a bare socket."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from audit.installation.web_server.listener import Listener
from tests.waiting import PATIENCE


@contextmanager
def served(application, *, threads: int = 4) -> Iterator[Listener]:
    """`with served(application) as there:` – it listens at `there.port`."""
    with socket.create_server(("127.0.0.1", 0), backlog=1024) as listening:
        there = Listener(application, listening, threads=threads, log_ins=("/login/",))
        there.port = listening.getsockname()[1]
        loop = threading.Thread(target=there.run)
        loop.start()
        try:
            yield there
        finally:
            there.trigger.pull_trigger(lambda: there.asyncore.close_all(there._map))
            loop.join()
            there.task_dispatcher.shutdown()


def connect(port: int, source: str = "127.0.0.1") -> socket.socket:
    """Every address of 127.0.0.0/8 is this machine: strangers of many addresses can be played."""
    link = socket.create_connection(("127.0.0.1", port), PATIENCE, source_address=(source, 0))
    link.settimeout(PATIENCE)
    return link


def say(port: int, words: bytes, source: str = "127.0.0.1") -> bytes:
    """All that is answered until the server closes the connection."""
    with connect(port, source) as link:
        link.sendall(words)
        return hear(link)


def hear(link: socket.socket) -> bytes:
    parts = []
    try:
        while part := link.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def hear_one(link: socket.socket) -> bytes:
    """One answer whose length is known; not a byte of the next one, which may be there already."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        part = link.recv(1)
        assert part, f"closed after {head!r}"
        head += part
    (length,) = (int(line[15:]) for line in head.split(b"\r\n") if line[:15] == b"Content-Length:")
    body = b""
    while len(body) < length:
        part = link.recv(length - len(body))
        assert part, "closed within an answer"
        body += part
    return head + body
