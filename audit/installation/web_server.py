"""The web server: processes that share one socket, each of them Waitress with some threads.

Waitress takes a request in and gives an answer out in a loop of its own, and hands a thread only
whole requests: a client that sends a byte a second, or never reads, keeps nobody waiting. Several
processes use several cores; one that dies is replaced, and without the parent none stays behind.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
import time
from types import FrameType

import waitress
from django.db import connections

logger = logging.getLogger(__name__)


def serve(*, host: str, port: int, processes: int, threads: int) -> None:
    """Until SIGTERM or SIGINT."""
    application = _everything_imported()
    listening = socket.create_server((host, port), backlog=1024, reuse_port=False)
    # Its other end is held by the parent alone: end of file means that the parent is gone.
    watched, _held = os.pipe()
    os.set_inheritable(watched, True)
    children: dict[int, float] = {}
    over = _Over()

    def start() -> None:
        pid = os.fork()
        if pid == 0:
            os.close(_held)
            _work(application, listening, watched, threads)
        children[pid] = time.monotonic()

    for _ in range(processes):
        start()
    while not over.asked:
        try:
            pid, _ = os.waitpid(-1, 0)
        except InterruptedError:
            continue
        except ChildProcessError:
            break
        lived = time.monotonic() - children.pop(pid, 0.0)
        if over.asked:
            break
        logger.error("web process %s ended; another one takes its place", pid)
        if lived < 1:
            time.sleep(1)
        start()
    _end(children)


class _Over:
    """Whether somebody has asked to stop."""

    def __init__(self) -> None:
        self.asked = False
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self.asked = True
        raise InterruptedError


def _everything_imported():
    """Once, before the processes part; no connection to the database may be shared by them."""
    from audit.wsgi import application

    connections.close_all()
    return application


def _work(application, listening: socket.socket, watched: int, threads: int) -> None:
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, _leave)
    threading.Thread(target=_leave_with_the_parent, args=(watched,), daemon=True).start()
    try:
        waitress.serve(
            application,
            sockets=[listening],
            threads=threads,
            ident=None,
            # Long enough for a page that a report holds up, short enough to be rid of the idle.
            channel_timeout=60,
            connection_limit=1000,
            max_request_body_size=8 * 1024**3,
            _quiet=True,
        )
    finally:
        os._exit(0)


def _leave(number: int, frame: FrameType | None) -> None:
    raise SystemExit


def _leave_with_the_parent(watched: int) -> None:
    os.read(watched, 1)
    os._exit(1)


def _end(children: dict[int, float], seconds: float = 5) -> None:
    for pid in children:
        os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + seconds
    left = set(children)
    while left:
        for pid in list(left):
            try:
                gone = os.waitpid(pid, os.WNOHANG)[0]
            except ChildProcessError:
                gone = pid
            if gone:
                left.discard(pid)
            elif time.monotonic() > deadline:
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
