"""Threads are shared by turns: neither many requests of one address nor many log-ins keep others."""

from __future__ import annotations

import contextlib
import select
import threading

import pytest

from audit.installation.web_server import lanes
from tests.audit.installation.web_server.serving import connect, hear, hear_one, served
from tests.waiting import PATIENCE

PAGE = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n\r\n"
LOG_IN = b"POST /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"


class Site:
    """Holds whoever logs in, and whoever asks for /slow, until the test lets go."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self.came: list[str] = []
        self.inside = self.most_inside = 0
        self.held = threading.Semaphore(0)
        self.lock = threading.Lock()

    def __call__(self, environ, start_response):
        path = environ["PATH_INFO"]
        with self.lock:
            self.came.append(f"{path} {environ['REMOTE_ADDR']}")
        if path in {"/slow", "/login/"}:
            with self.lock:
                self.inside += 1
                self.most_inside = max(self.most_inside, self.inside)
            self.held.release()
            assert self.go.wait(PATIENCE)
            with self.lock:
                self.inside -= 1
        start_response("200 OK", [("Content-Length", "2")])
        return [b"ok"]


@pytest.fixture
def site():
    made = Site()
    yield made
    made.go.set()


def test_one_password_is_checked_at_a_time_and_pages_do_not_wait_for_it(site):
    with served(site, threads=3) as there, contextlib.ExitStack() as links:
        log_ins = [links.enter_context(connect(there.port)) for _ in range(8)]
        for link in log_ins:
            link.sendall(LOG_IN)
        site.held.acquire(timeout=PATIENCE)
        page = links.enter_context(connect(there.port))
        for _ in range(5):
            page.sendall(PAGE % b"page")
            assert hear_one(page).endswith(b"ok")
        site.go.set()
        assert all(hear_one(link).endswith(b"ok") for link in log_ins)
    assert site.most_inside == 1


def test_a_server_of_one_thread_answers_log_ins_and_pages_by_turns(site):
    site.go.set()
    with served(site, threads=1) as there, contextlib.ExitStack() as links:
        log_ins = [links.enter_context(connect(there.port)) for _ in range(5)]
        page = links.enter_context(connect(there.port))
        for link in log_ins:
            link.sendall(LOG_IN)
        page.sendall(PAGE % b"page")
        assert all(hear_one(link).endswith(b"ok") for link in (page, *log_ins))


def test_too_many_log_ins_of_one_address_are_told_to_come_again(site):
    with served(site, threads=2) as there, contextlib.ExitStack() as links:
        first = links.enter_context(connect(there.port))
        first.sendall(LOG_IN)
        site.held.acquire(timeout=PATIENCE)
        crowd = [
            links.enter_context(connect(there.port)) for _ in range(lanes.LOG_INS_OF_AN_ADDRESS + 1)
        ]
        for link in crowd:
            link.sendall(LOG_IN)
        neighbour = links.enter_context(connect(there.port, "127.0.3.9"))
        neighbour.sendall(LOG_IN)
        # One of the crowd, whichever came last, is refused while the first still holds the lane.
        refused = hear(_first_to_speak(crowd))
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 10" in refused
        site.go.set()
        assert hear_one(neighbour).endswith(b"ok")


def _first_to_speak(links):
    ready, _, _ = select.select(links, [], [], 60)
    (one,) = ready
    return one


def test_who_asks_for_a_hundred_pages_waits_for_himself(site):
    with served(site, threads=1) as there, contextlib.ExitStack() as links:
        holds = links.enter_context(connect(there.port, "127.0.3.3"))
        holds.sendall(PAGE % b"slow")
        site.held.acquire(timeout=PATIENCE)
        greedy = [links.enter_context(connect(there.port, "127.0.3.1")) for _ in range(30)]
        for link in greedy:
            link.sendall(PAGE % b"many")
        modest = links.enter_context(connect(there.port, "127.0.3.2"))
        modest.sendall(PAGE % b"one")
        while len(there.task_dispatcher.queue) < 31:
            pass  # until all of them wait
        site.go.set()
        assert hear_one(modest).endswith(b"ok")
        for link in greedy:
            hear_one(link)
    assert site.came.index("/one 127.0.3.2") <= 2
