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
# With the first one a worker hears mail and imports, too (`audit.celery`).
QUEUES = f"{settings.CELERY_TASK_DEFAULT_QUEUE},judges"
ALL_QUEUES = f"{settings.CELERY_TASK_DEFAULT_QUEUE},imports,judges,mail"


def web_command(port: int) -> list[str]:
    return ["django", "serve", "--port", str(port)]


def worker_arguments(queues: str, concurrency: int) -> list[str]:
    """For celery, behind its `--app`."""
    return [
        *("--quiet", "worker", "--queues", queues, "--concurrency", str(concurrency)),
        *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
    ]


def worker_commands() -> list[list[str]]:
    """For a start of everything at once: mail and leases wait behind no report and no import."""
    celery = ["celery", "--app", "audit"]
    long = f"{settings.CELERY_TASK_DEFAULT_QUEUE},imports,judges"
    return [
        [*celery, *worker_arguments(long, 2)],
        [*celery, *worker_arguments("mail", 1), "--pool", "solo", "--hostname", "mail@%h"],
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
def running(*commands: Sequence[str]) -> Iterator[list[subprocess.Popen]]:
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
        _stop(children)


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


def _stop(children: list[subprocess.Popen]) -> None:
    """Ask each process to end; kill those that have not after ten seconds, and their children."""
    for child in children:
        if child.poll() is None:
            child.terminate()
    for child in children:
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=10)
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
