"""HEAD asks for the head of a page: not one byte of a body may follow, or a proxy that uses its
connection again hands it to the next visitor."""

from __future__ import annotations

import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.test import Client, override_settings

from tests.audit.installation.web_server.serving import say, served
from tests.hostile.routes import routes

NEXT = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
ALL = sorted(routes())


@pytest.fixture(scope="module")
def site(world, django_db_blocker):
    """The site at a port, and the cookie of each role."""
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=world.media):
        cookies = {"anonymous": ""}
        for role in ("stranger", "annotator", "owner"):
            browser = Client()
            browser.force_login(world.people[role].user)
            cookies[role] = browser.cookies[settings.SESSION_COOKIE_NAME].value
        with served(get_wsgi_application()) as there:
            yield there.port, cookies


def after_the_head(port: int, first: bytes) -> bytes:
    """What follows the head of the first answer, when another request comes behind it."""
    text = say(port, first + NEXT)
    assert text.startswith(b"HTTP/1."), text[:100]
    return text.partition(b"\r\n\r\n")[2]


def is_clean(after: bytes) -> bool:
    """The next answer, whole and nothing before it; or the connection was closed."""
    return after == b"" or (
        after.startswith(b"HTTP/1.1 200 OK\r\n") and after.endswith(b"\r\n\r\nok\n")
    )


OUTSIDE = ("anonymous", "stranger", "annotator")


@pytest.mark.django_db
def test_head_opens_no_door_that_is_closed_to_get(clients, filled):
    """Each page to one of them, in turn."""
    for turn, (name, address) in enumerate(ALL):
        check_head_and_get(clients(OUTSIDE[turn % len(OUTSIDE)]), filled(name, address))


@pytest.mark.django_db
@pytest.mark.nightly("every page to each of three; the test above has each page to one of them")
@pytest.mark.parametrize("role", OUTSIDE)
def test_head_opens_no_door_to_anybody(clients, filled, role):
    for name, address in ALL:
        check_head_and_get(clients(role), filled(name, address))


def check_head_and_get(browser, where: str) -> None:
    get, head = (getattr(browser, verb)(where) for verb in ("get", "head"))
    for answer in (get, head):
        if answer.streaming:
            b"".join(answer.streaming_content)  # read to its end, or a file stays open
    assert head.status_code in {get.status_code, 405}, where


@pytest.mark.parametrize(("name", "address"), ALL, ids=[name for name, _ in ALL])
def test_no_byte_follows_the_answer_to_head(site, filled, name, address):
    """To the owner, who gets most pages whole."""
    check_no_byte_follows(site, filled(name, address), "owner")


@pytest.mark.nightly("every page to everybody; the test above has the owner")
@pytest.mark.parametrize(("name", "address"), ALL, ids=[name for name, _ in ALL])
@pytest.mark.parametrize("role", OUTSIDE)
def test_no_byte_follows_a_head_to_anybody(site, filled, name, address, role):
    check_no_byte_follows(site, filled(name, address), role)


def check_no_byte_follows(site, where: str, role: str) -> None:
    port, cookies = site
    head = f"HEAD {where} HTTP/1.1\r\nHost: localhost\r\n"
    cookie = f"Cookie: {settings.SESSION_COOKIE_NAME}={cookies[role]}\r\n\r\n"
    after = after_the_head(port, (head + cookie).encode())
    assert is_clean(after), (role, after[:200])


@pytest.mark.parametrize(
    "said",
    [
        b"HEAD /static/base.css HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"HEAD /nowhere/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"HEAD / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
        b"HEAD /admin/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"HEAD /login/ HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n",
        b"HEAD /login/ HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
        b"\r\nHEAD /login/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"HEAD /login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n",
        b"HEAD /login/ HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 300_000 + b"\r\n\r\n",
    ],
    ids=["static", "404", "host", "redirect", "1.0", "no colon", "encoding", "large", "long head"],
)
def test_no_byte_follows_a_refusal_of_head(site, said):
    assert is_clean(after_the_head(site[0], said))


def test_an_application_that_fails_at_a_head_answers_without_a_body():
    def fails(environ, start_response):
        if environ["PATH_INFO"] == "/healthz":
            start_response("200 OK", [("Content-Length", "3")])
            return [b"ok\n"]
        raise RuntimeError("the test wants this")

    with served(fails) as there:
        assert is_clean(after_the_head(there.port, b"HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n"))


class Body:
    """What an application streams; whether any of it was made, and whether it was closed."""

    def __init__(self) -> None:
        self.made, self.closed = 0, False

    def __iter__(self):
        for _ in range(1000):
            self.made += 1
            yield b"x" * 1000

    def close(self) -> None:
        self.closed = True


def test_a_stream_is_neither_made_nor_left_open_for_a_head():
    body = Body()

    def streams(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/csv")])
        return body

    with served(streams) as there:
        text = say(there.port, b"HEAD /x HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert text.endswith(b"\r\n\r\n")
    assert text.count(b"\r\n\r\n") == 1
    assert (body.made, body.closed) == (0, True)


def test_the_head_of_a_page_says_the_length_of_the_page(site):
    port, _ = site
    lengths = []
    for verb in ("HEAD", "GET"):
        said = f"{verb} /login/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        head = say(port, said.encode()).partition(b"\r\n\r\n")[0]
        lengths += [line for line in head.split(b"\r\n") if line.startswith(b"Content-Length")]
    of_head, of_get = lengths
    assert of_head == of_get
    assert int(of_head[16:]) > 500
