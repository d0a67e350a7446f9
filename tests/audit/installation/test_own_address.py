"""What `doctor` says about each thing that a visitor may meet at the installation's address."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from audit.installation import own_address

LOG_IN = b'<form><input name="csrfmiddlewaretoken" value="x"></form>'


@contextmanager
def meeting(status: int, body: bytes, kind: str = "text/html", **headers: str) -> Iterator[str]:
    """A visitor meets this answer, whatever is asked."""

    class Always(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            for name, value in {"Content-Type": kind, **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *words: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Always)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_the_log_in_page_is_well():
    with meeting(200, LOG_IN) as address:
        assert own_address.ask(address) == own_address.SeenAddress(
            True, f"{address}/login/ answers."
        )


@pytest.mark.parametrize(
    ("status", "body", "headers", "words"),
    [
        (301, b"", {"Location": "/login/"}, "redirects to itself for ever"),
        (302, b"", {"Location": "https://a.example/"}, "redirects to https://a.example/"),
        (502, b"", {}, "it does not reach `serve`"),
        (400, b"", {}, "does not hand on the name"),
        (200, b"Welcome to nginx!", {}, "but not with Jurybox's log-in page"),
        (500, LOG_IN, {}, "answers 500"),
    ],
)
def test_anything_else_is_named_with_what_to_do(status, body, headers, words):
    with meeting(status, body, **headers) as address:
        seen = own_address.ask(address)
    assert not seen.well
    assert words in seen.words


def test_the_sentence_of_jurybox_itself_is_passed_on():
    with meeting(503, b"name the proxy\n", "text/plain") as address:
        assert own_address.ask(address).words == f"{address}/login/ answers: name the proxy"


def test_a_refused_connection_is_named():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"https://127.0.0.1:{nobody.getsockname()[1]}"
        assert "connection is refused" in own_address.ask(address).words


def test_a_server_without_tls_is_named():
    with meeting(200, LOG_IN) as address:
        assert "does not speak TLS" in own_address.ask(address.replace("http:", "https:")).words


def test_what_is_no_address_is_a_sentence():
    for address in ("https://[", "jury.example", "ftp://jury.example"):
        assert not own_address.ask(address).well


def test_the_usual_address_is_the_first_host_that_others_reach(settings):
    settings.IN_PRODUCTION = True
    settings.ALLOWED_HOSTS = ["127.0.0.1", ".jury.example", "other.example"]
    assert own_address.default() == "https://jury.example"
    settings.ALLOWED_HOSTS = ["localhost"]
    assert own_address.default() == ""
