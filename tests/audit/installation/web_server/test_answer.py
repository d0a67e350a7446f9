"""How answers leave: a page whole, a long one as it comes."""

from __future__ import annotations

import threading

import pytest

from audit.installation.web_server.connection import Connection
from tests.audit.installation.web_server.serving import connect, hear_one, served
from tests.waiting import PATIENCE

PAGE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture
def sent(monkeypatch) -> list[bytes]:
    """What each call of the system was given, noted before the reader can have it."""
    calls = []
    theirs = Connection.send

    def noted(connection: Connection, data: bytes, do_close: bool = True) -> int:
        calls.append(bytes(data))
        return theirs(connection, data, do_close)

    monkeypatch.setattr(Connection, "send", noted)
    return calls


def test_head_and_body_of_a_page_leave_together(sent):
    def page(environ, start_response):
        start_response("200 OK", [("Content-Length", "10000")])
        return [b"x" * 10_000]

    with served(page) as there, connect(there.port) as link:
        for _ in range(3):
            link.sendall(PAGE)
            heard = hear_one(link)
            assert heard.endswith(b"\r\n\r\n" + b"x" * 10_000)
            assert sent == [heard]
            sent.clear()


def test_a_refusal_leaves_whole(sent):
    with served(lambda *_: []) as there, connect(there.port) as link:
        link.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n")
        heard = hear_one(link)
    assert heard.startswith(b"HTTP/1.1 413 ")
    assert sent == [heard]


def test_the_beginning_of_a_long_answer_leaves_before_its_end_is_made():
    is_there = threading.Event()

    def export(environ, start_response):
        start_response("200 OK", [("Content-Length", "40000")])
        yield b"x" * 20_000
        assert is_there.wait(PATIENCE)
        yield b"y" * 20_000

    with served(export) as there, connect(there.port) as link:
        link.sendall(PAGE)
        begun = b""
        while begun.count(b"x") < 20_000:
            begun += link.recv(65536)
        is_there.set()
        while begun.count(b"y") < 20_000:
            begun += link.recv(65536)
    assert begun.endswith(b"x" * 20_000 + b"y" * 20_000)
