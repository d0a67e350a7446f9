"""Several processes share one socket; each runs Waitress with some threads.

Waitress reads requests and writes answers in a loop of its own, and gives a thread only complete
requests. So a client that sends a byte a second, or never reads the answer, blocks nobody. Several
processes use several cores. A process that dies is replaced; if the parent dies, all end.
"""

from __future__ import annotations

import gc
import logging
import os
import signal
import socket
import threading
import time
from types import FrameType

from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from django.urls import reverse

from audit.installation.web_server.listener import Listener, raise_file_limit

logger = logging.getLogger(__name__)


def serve(*, host: str, port: int, processes: int, threads: int) -> None:
    """Answer requests until SIGTERM or SIGINT."""
    application = _application()
    raise_file_limit()
    listening = socket.create_server((host, port), backlog=1024, reuse_port=False)
    # Only the parent holds the other end: end of file means that the parent is gone.
    watched, held = os.pipe()
    os.set_inheritable(watched, True)
    children: dict[int, float] = {}
    stop = _Stop()

    def start() -> None:
        pid = os.fork()
        if pid == 0:
            os.close(held)
            _work(application, listening, watched, threads)
        children[pid] = time.monotonic()

    for _ in range(processes):
        start()
    while not stop.requested:
        try:
            pid, _ = os.waitpid(-1, 0)
        except InterruptedError:
            continue
        except ChildProcessError:
            break
        lived = time.monotonic() - children.pop(pid, 0.0)
        if stop.requested:
            break
        logger.error("web process %s ended; starting another one", pid)
        if lived < 1:
            time.sleep(1)
        start()
    _end(children)


class _Stop:
    """Whether SIGTERM or SIGINT has come."""

    def __init__(self) -> None:
        self.requested = False
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._request)

    def _request(self, number: int, frame: FrameType | None) -> None:
        self.requested = True
        raise InterruptedError


def _application() -> WSGIHandler:
    """Imported once, before the processes fork; they must not share a database connection."""
    from audit.wsgi import application

    connections.close_all()
    # The collector of each process leaves alone what all share: looking at it would copy its pages.
    gc.collect()
    gc.freeze()
    return application


def _log_in_paths() -> tuple[str, ...]:
    """Where passwords are checked or chosen: one costs as much processor time as fifty pages."""
    join = reverse("join", args=["x"]).removesuffix("x/")
    reset = reverse("password-reset", args=["x", "x"]).removesuffix("x/x/")
    names = ("login", "admin:login", "api-token", "first-start")
    return (*(reverse(name) for name in names), join, reset)


def _work(application: WSGIHandler, listening: socket.socket, watched: int, threads: int) -> None:
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, _leave)
    threading.Thread(target=_leave_with_the_parent, args=(watched,), daemon=True).start()
    try:
        Listener(application, listening, threads=threads, log_ins=_log_in_paths()).run()
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
