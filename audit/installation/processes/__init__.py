"""A web server and the workers as child processes, started together and ended in order."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol
from urllib.request import urlopen

from django.conf import settings

from annotations.errors import Refused


class Child(Protocol):
    """As much of `subprocess.Popen` as ends it."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def terminate(self) -> None: ...
    def wait(self, timeout: float | None = None) -> object: ...


def web_command(port: int) -> list[str]:
    return ["django", "serve", "--port", str(port)]


def workers_command(seconds_to_end: float) -> list[str]:
    return ["django", "worker", "--seconds-to-end", str(seconds_to_end)]


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
    children: list[subprocess.Popen] = []
    try:
        for command in commands:
            # A session of its own: Ctrl-C comes to us alone, and we end them in order.
            child = subprocess.Popen([sys.executable, "-m", *command], start_new_session=True)  # noqa: S603
            children.append(child)
        yield children
    finally:
        end_all(children, seconds_to_end)


def wait_for(address: str, children: list[subprocess.Popen], seconds: float = 300) -> None:
    """A busy machine takes minutes for a first start, which compiles; one that fails is noticed at once."""
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


def end_all(children: Sequence[Child], seconds: float) -> None:
    """Ask each process to end; kill those that have not after so many seconds, or once we are asked to end a
    second time, and their children."""
    until = time.monotonic() + seconds
    try:
        for child in children:
            if child.poll() is None:
                child.terminate()
        for child in children:
            with suppress(subprocess.TimeoutExpired):
                child.wait(timeout=max(0, until - time.monotonic()))
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
