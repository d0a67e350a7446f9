"""The web server replaces what dies, leaves nobody behind, and waits for no slow client."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from tests.audit.test_settings import ROOT
from tests.waiting import PATIENCE, reserve_port, wait_until


@pytest.fixture(scope="module")
def started() -> Iterator[tuple[contextlib.ExitStack, list[tuple[subprocess.Popen, int]]]]:
    with contextlib.ExitStack() as until_the_end:
        yield until_the_end, []


@pytest.fixture
def server(started, tmp_path_factory) -> tuple[subprocess.Popen, int]:
    """That of the tests before, where it still runs."""
    until_the_end, servers = started
    if not servers or servers[-1][0].poll() is not None:
        folder = tmp_path_factory.mktemp("var")
        servers.append(until_the_end.enter_context(running(folder)))
    return servers[-1]


@contextmanager
def running(folder: Path) -> Iterator[tuple[subprocess.Popen, int]]:
    port = reserve_port()
    process = subprocess.Popen(
        [sys.executable, "manage.py", "serve", "--port", str(port), "--threads", "2"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "JURYBOX_VAR": str(folder)},
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        wait_until(lambda: answers(port))
        yield process, port
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def answers(port: int, timeout: float = 10) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/healthz", timeout=timeout) as answer:
            return answer.status == 200
    except OSError:
        return False


def children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_alive(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def test_a_process_that_dies_is_replaced(server):
    process, port = server
    victim = children(process.pid)[0]
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: len(children(process.pid)) == 2 and victim not in children(process.pid))
    assert answers(port)


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"GET /healthz HTTP/1.1\r\nHo",
        b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
        b"Cookie: csrftoken=" + b"a" * 32 + b"\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\nusername=a",
        b"GET /charts/vega-embed.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
    ids=["silent", "half a head", "half a body", "never reads"],
)
def test_twenty_slow_clients_keep_nobody_waiting(server, said):
    _, port = server
    with urlopen(f"http://127.0.0.1:{port}/charts/vega-embed.js", timeout=PATIENCE) as script:
        script.read()  # put together before the clock runs
    with contextlib.ExitStack() as slow:
        for _ in range(20):
            link = slow.enter_context(socket.create_connection(("127.0.0.1", port)))
            link.sendall(said)
        assert all(answers(port) for _ in range(10))


def test_it_says_nothing_of_what_it_runs_on(server):
    _, port = server
    with urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
        assert "Server" not in answer.headers


def test_when_it_is_asked_to_stop_it_stops_with_all_its_processes(server):
    process, port = server
    left = children(process.pid)
    process.terminate()
    assert process.wait(timeout=PATIENCE) == 0
    assert not any(is_alive(pid) for pid in left)
    assert not answers(port)


@pytest.mark.nightly("it leaves none when it is asked to stop")
def test_killed_it_leaves_no_process_behind(tmp_path):
    with running(tmp_path) as (process, port):
        left = children(process.pid)
        process.kill()
        process.wait()
        wait_until(lambda: not any(is_alive(pid) for pid in left))
        assert not answers(port)


@pytest.mark.nightly("a start of its own")
def test_a_taken_port_is_a_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [sys.executable, "manage.py", "serve", "--port", str(port)],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"], "JURYBOX_VAR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    assert ended.returncode == 1
    assert f"Port {port} cannot be used: Address already in use." in ended.stderr
