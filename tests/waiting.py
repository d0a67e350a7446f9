"""How a test waits for another process or thread: here and nowhere else (`test_waiting.py` looks).

`PATIENCE` ends a test whose code is broken. It says nothing of how fast anything is, so it is far
longer than what is waited for takes on the busiest machine.
"""

from __future__ import annotations

import fcntl
import os
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 300
# Below the ports that a system hands to whoever asks for any (32768 and up on Linux).
PORTS = range(20_000, 30_000)

_held: list[int] = []


def wait_until(holds: Callable[[], object], what: str = "it", patience: float = PATIENCE) -> None:
    deadline = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < deadline, f"{what} did not happen within {patience} s"
        time.sleep(0.05)


def wait_for_port(port: int, process: subprocess.Popen) -> None:
    """Until the process listens there."""
    wait_until(lambda: _ended(process) or listens(port), f"listening at {port}")


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE).close()
    except OSError:
        return False
    return True


def _ended(process: subprocess.Popen) -> bool:
    assert process.poll() is None, f"{process.args} ended"
    return False


def reserve_port() -> int:
    """A port that nothing listens at, and that no other process of the tests gets while this runs."""
    folder = Path(tempfile.gettempdir()) / "jurybox-test-ports"
    folder.mkdir(exist_ok=True)
    first = os.getpid() * 7 % len(PORTS)
    for port in [*PORTS[first:], *PORTS[:first]]:
        lock = os.open(folder / str(port), os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            os.close(lock)
            continue
        _held.append(lock)
        return port
    raise AssertionError("every port is taken")


@contextmanager
def processor_seconds(most: float) -> Iterator[None]:
    """Ends what needs more processor than this, as code does that takes the square of its input.

    A limit for what is broken: hundreds of times what sound code takes. Only a process's main
    thread can be stopped so.
    """
    assert threading.current_thread() is threading.main_thread()

    def give_up(*_) -> None:
        raise TimeoutError(f"more than {most} seconds of processor")

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
