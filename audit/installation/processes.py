"""A web server and a worker as child processes, started together and ended in order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from urllib.request import urlopen

from django.conf import settings

from annotations.errors import Refused

# Celery's warning to those who run a worker as root; what runs here ends with its terminal.
AS_ROOT = "ignore:You're running the worker with superuser"
# Each kind of work has a worker of its own, so that none waits for another.
ALL_QUEUES = (settings.CELERY_TASK_DEFAULT_QUEUE, "imports", "judges", "mail")


def web_command(port: int) -> list[str]:
    return ["django", "serve", "--port", str(port)]


def worker_commands(queues: Sequence[str] = ALL_QUEUES, *, concurrency: int = 1) -> list[list[str]]:
    """One for each queue. `concurrency`: processes for reports, and for judges."""
    return [_worker_command(queue, concurrency) for queue in queues]


def _worker_command(queue: str, concurrency: int) -> list[str]:
    # Named beside reports, mail keeps this worker from hearing all other queues (`audit.celery`).
    hears = f"{queue},mail" if queue == settings.CELERY_TASK_DEFAULT_QUEUE else queue
    # One import at a time; mail is short.
    processes = concurrency if queue in {settings.CELERY_TASK_DEFAULT_QUEUE, "judges"} else 1
    return [
        *("celery", "--app", "audit", "--quiet", "worker", "--loglevel", "WARNING"),
        *("--queues", hears, "--hostname", f"{queue}@%h", "--concurrency", str(processes)),
        *("--without-gossip", "--without-mingle"),
        *(("--pool", "solo") if queue == "mail" else ()),
    ]


def check_port(port: int) -> None:
    start = "make demo" if settings.IN_CLONE else "jurybox demo"
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            other = f"PORT={port + 1} {start}"
            raise Refused(f"Port {port} is taken. Choose another one: {other}") from error


@contextmanager
def running(
    *commands: Sequence[str], seconds_to_end: float = 10
) -> Iterator[list[subprocess.Popen]]:
    warnings = filter(None, (os.environ.get("PYTHONWARNINGS"), AS_ROOT))
    environment = {**os.environ, "PYTHONWARNINGS": ",".join(warnings)}
    children = [
        # A session of its own: Ctrl-C comes to us alone, and we end them in order.
        subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", *command], start_new_session=True, env=environment
        )
        for command in commands
    ]
    try:
        yield children
    finally:
        _stop(children, seconds_to_end)


def wait_for(address: str, children: list[subprocess.Popen], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if any(child.poll() is not None for child in children):
            raise Refused("The web server or the worker did not start; see above.")
        try:
            with urlopen(address, timeout=5):  # noqa: S310
                return
        except OSError:
            time.sleep(0.1)
    raise Refused(f"The web server did not answer within {seconds:g} s.")


def _stop(children: list[subprocess.Popen], seconds: float) -> None:
    """Ask each process to end; kill those that have not after so many seconds, and their children."""
    for child in children:
        if child.poll() is None:
            child.terminate()
    until = time.monotonic() + seconds
    for child in children:
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=max(0, until - time.monotonic()))
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
