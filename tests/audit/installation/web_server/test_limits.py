"""What strangers may send and hold open; whoever waits for an answer never has to make room."""

from __future__ import annotations

import contextlib
import io
import re
import resource
import threading
import time

import pytest

from annotations.models import Membership
from audit.installation.web_server import listener, permission
from audit.installation.web_server.request import SMALL
from tests import making
from tests.audit.installation.web_server.serving import connect, hear, hear_one, say, served
from tests.waiting import PATIENCE, wait_until

PAGE = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
MEGABYTE = 1024**2


def lengths(environ, start_response):
    """Answers how much has come."""
    text = str(len(environ["wsgi.input"].read())).encode()
    start_response("200 OK", [("Content-Length", str(len(text)))])
    return [text]


def posted(length: int, body: bytes = b"", cookie: bytes = b"", more: bytes = b"") -> bytes:
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n" % length
    return (
        head + (b"Cookie: sessionid=" + cookie + b"\r\n" if cookie else b"") + more + b"\r\n" + body
    )


@pytest.fixture
def researcher(monkeypatch):
    """Whoever has a cookie is one; asking the database is tried below."""
    monkeypatch.setattr(
        permission, "most", lambda environ: 10 * MEGABYTE if "HTTP_COOKIE" in environ else SMALL
    )
    return b"researcher"


# --- Bodies -------------------------------------------------------------------------------------


def test_a_form_of_a_stranger_comes_through():
    with served(lengths) as there:
        text = say(there.port, posted(SMALL, b"x" * SMALL, more=b"Connection: close\r\n"))
    assert text.endswith(b"\r\n\r\n%d" % SMALL)


def test_a_gigabyte_of_a_stranger_is_refused_at_its_head():
    with served(lengths) as there:
        text = say(there.port, posted(1024**3, b"x" * 100))
    assert text.startswith(b"HTTP/1.1 413 ")
    assert text.endswith(b"Log in before you send more than 64 kB; nothing was taken in.\n")


def test_a_body_of_unknown_length_is_refused_when_it_has_become_too_long():
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    with served(lengths) as there:
        text = say(there.port, head + (b"1000\r\n" + b"x" * 4096 + b"\r\n") * 17)
    assert text.startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize(
    "lengths_of_it",
    [
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"transfer-encoding : chunked\r\nCONTENT-LENGTH: 0\r\n",
        b"Transfer-Encoding: identity\r\nContent-Length: 5\r\n",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 5\r\nContent-Length: 5\r\n",
        # A proxy may read the second line by itself.
        b"X: a\r\n Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"X: a\r\n\tTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
    ],
)
def test_a_request_of_two_lengths_is_refused_and_its_connection_closed(lengths_of_it):
    inside = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = b"POST / HTTP/1.1\r\nHost: localhost\r\n" + lengths_of_it + b"\r\n"
    with served(lengths) as there:
        text = say(there.port, head + b"0\r\n\r\n" + inside)
    # Refused before its line was read, so with the older version.
    assert text.startswith(b"HTTP/1.0 400 ")
    assert text.count(b"HTTP/1.") == 1
    assert b"connection: close" in text.lower()


def test_a_stranger_who_asks_first_is_not_told_to_go_on():
    with served(lengths) as there:
        text = say(there.port, posted(MEGABYTE, more=b"Expect: 100-continue\r\n"))
    assert text.startswith(b"HTTP/1.1 413 ")


def test_whoever_is_still_sending_hears_why_not():
    """The connection stays open for what comes, or its end would swallow the answer."""
    with served(lengths) as there, connect(there.port) as link:
        with contextlib.suppress(BrokenPipeError):
            link.sendall(posted(3 * MEGABYTE, b"x" * 3 * MEGABYTE))
        assert hear(link).startswith(b"HTTP/1.1 413 ")


def test_a_researcher_sends_a_large_file(researcher):
    with served(lengths) as there, connect(there.port) as link:
        for _ in range(2):
            link.sendall(posted(MEGABYTE, b"x" * MEGABYTE, researcher))
            assert hear_one(link).endswith(b"\r\n\r\n%d" % MEGABYTE)


def test_a_researcher_who_asks_first_is_told_to_go_on(researcher):
    with served(lengths) as there, connect(there.port) as link:
        link.sendall(posted(MEGABYTE, b"", researcher, more=b"Expect: 100-continue\r\n"))
        told = link.recv(25, 0x100)  # MSG_WAITALL
        assert told == b"HTTP/1.1 100 Continue\r\n\r\n"
        link.sendall(b"x" * MEGABYTE)
        assert hear_one(link).endswith(b"\r\n\r\n%d" % MEGABYTE)


def test_a_long_body_behind_another_request_on_the_connection_comes_through(researcher):
    with served(lengths) as there, connect(there.port) as link:
        link.sendall(PAGE + posted(MEGABYTE, b"x" * MEGABYTE, researcher))
        assert hear_one(link).endswith(b"\r\n\r\n0")
        assert hear_one(link).endswith(b"\r\n\r\n%d" % MEGABYTE)


def test_more_than_one_may_send_is_refused_with_how_much_one_may(researcher):
    with served(lengths) as there:
        text = say(there.port, posted(11 * MEGABYTE, b"", researcher))
    assert b"You may send 10 MB at once; only people who may import" in text


@pytest.fixture
def as_in_a_thread_of_its_own(monkeypatch):
    """The connection of a test is in a transaction, and must not be given back."""
    monkeypatch.setattr(permission, "close_old_connections", lambda: None)


@pytest.mark.django_db
@pytest.mark.usefixtures("as_in_a_thread_of_its_own")
@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("annotator", permission.OF_AN_ACCOUNT),
        ("researcher", permission.OF_A_RESEARCHER),
        ("owner", permission.OF_A_RESEARCHER),
    ],
)
def test_a_log_in_is_looked_up_and_its_role_counts(client, study, role, allowed):
    user = making.person(study, "pat", role=role).user
    client.force_login(user)
    cookie = f"sessionid={client.cookies['sessionid'].value}"
    assert permission.most(head(HTTP_COOKIE=cookie)) == allowed
    token = making.token(user)
    assert permission.most(head(HTTP_AUTHORIZATION=f"Token {token}")) == allowed


def head(**said: str) -> dict:
    return {"REQUEST_METHOD": "POST", "PATH_INFO": "/", "wsgi.input": io.BytesIO(), **said}


@pytest.mark.django_db
@pytest.mark.usefixtures("as_in_a_thread_of_its_own")
def test_a_cookie_or_a_token_that_names_nobody_counts_for_nothing(client, study):
    client.force_login(making.person(study, "pat", role="owner").user)
    key = client.cookies["sessionid"].value
    client.logout()
    Membership.objects.get(name="pat").user.delete()
    for said in (
        {},
        {"HTTP_COOKIE": f"sessionid={key}"},
        {"HTTP_COOKIE": "sessionid=" + "a" * 32},
        {"HTTP_COOKIE": "sessionid=../../x; csrftoken=\x00"},
        {"HTTP_AUTHORIZATION": "Token " + "a" * 40},
        {"HTTP_AUTHORIZATION": "Token"},
        {"HTTP_AUTHORIZATION": "Basic cGF0OnBhdA=="},
    ):
        assert permission.most(head(**said)) == SMALL, said


# --- Connections --------------------------------------------------------------------------------


def test_two_thousand_idle_strangers_keep_nobody_out_and_end_nothing():
    """More than `select` can count; of addresses that hold a hundred each."""
    listener.raise_file_limit()
    with served(lengths) as there, contextlib.ExitStack() as strangers:
        there.most = 1500
        for number in range(2000):
            strangers.enter_context(connect(there.port, f"127.0.3.{1 + number // 100}"))
        assert say(there.port, PAGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        assert len(there.active_channels) <= 1500


def test_an_address_with_too_many_connections_loses_its_oldest():
    with served(lengths) as there, contextlib.ExitStack() as one_address:
        there.most_of_an_address = 5
        neighbour = one_address.enter_context(connect(there.port, "127.0.3.2"))
        links = [one_address.enter_context(connect(there.port, "127.0.3.1")) for _ in range(6)]
        assert links[0].recv(1) == b""
        for link in (*links[1:], neighbour):
            link.sendall(PAGE)
            assert hear_one(link).endswith(b"\r\n\r\n0")


def test_at_the_limit_those_make_room_who_hold_most():
    with served(lengths) as there, contextlib.ExitStack() as everybody:
        there.most = 10
        visitor = everybody.enter_context(connect(there.port, "127.0.3.1"))
        crowd = [everybody.enter_context(connect(there.port, "127.0.3.2")) for _ in range(10)]
        assert crowd[0].recv(1) == b""
        visitor.sendall(PAGE)
        assert hear_one(visitor).endswith(b"\r\n\r\n0")


@pytest.fixture
def slow():
    """An application that answers when the test says so; and how many ask it."""

    class Slow:
        go, asked = threading.Event(), threading.Semaphore(0)

        def __call__(self, environ, start_response):
            if environ["PATH_INFO"] == "/slow":
                self.asked.release()
                assert self.go.wait(PATIENCE)
            return lengths(environ, start_response)

    application = Slow()
    application.go = threading.Event()
    yield application
    application.go.set()


def test_whoever_waits_for_an_answer_keeps_the_connection_and_others_are_turned_away(slow):
    with served(slow, threads=3) as there, contextlib.ExitStack() as links:
        there.most = 2
        waiting = [links.enter_context(connect(there.port)) for _ in range(2)]
        for link in waiting:
            link.sendall(PAGE.replace(b"/", b"/slow", 1))
            slow.asked.acquire(timeout=PATIENCE)
        refused = hear(links.enter_context(connect(there.port)))
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"too many visitors" in refused
        slow.go.set()
        assert all(hear_one(link).endswith(b"\r\n\r\n0") for link in waiting)


def test_the_limit_leaves_files_for_the_program_itself(monkeypatch):
    for soft, most in ((1024, 308), (20_000, 2000), (64, 10), (resource.RLIM_INFINITY, 2000)):
        monkeypatch.setattr(resource, "getrlimit", lambda what, soft=soft: (soft, soft))
        assert listener.most_connections() == most


# --- Patience -----------------------------------------------------------------------------------

NOW = 2_000_000_000.0
SILENT = b""
HALF_A_HEAD = b"GET / HTTP/1.1\r\nHo"
HALF_A_BODY = posted(1000, b"x" * 500)


@pytest.fixture
def stopped_clock(monkeypatch):
    """So that only `later` lets time pass."""
    monkeypatch.setattr(time, "time", lambda: NOW)


def later(there: listener.Listener, seconds: float) -> None:
    """The server looks round as it will in so many seconds."""
    done = threading.Event()
    there.trigger.pull_trigger(lambda: (there.maintenance(NOW + seconds), done.set()))
    assert done.wait(PATIENCE)


@pytest.mark.parametrize(
    ("said", "patience"),
    [(SILENT, 20), (HALF_A_HEAD, 20), (HALF_A_BODY, 30)],
    ids=["silent", "half a head", "half a body"],
)
def test_whoever_stops_in_the_middle_is_let_go(stopped_clock, said, patience):
    with served(lengths) as there, connect(there.port) as link, connect(there.port) as other:
        link.sendall(said)
        other.sendall(PAGE)
        hear_one(other)
        later(there, patience - 2)
        assert len(there.active_channels) == 2
        later(there, patience + 2)
        assert link.recv(1) == b""


def test_a_body_that_trickles_is_let_go_however_steadily_it_does(stopped_clock):
    with served(lengths) as there, connect(there.port) as link, connect(there.port) as other:
        link.sendall(posted(60_000, b"x"))
        other.sendall(PAGE)
        hear_one(other)
        (trickling,) = [one for one in there.active_channels.values() if one.request is not None]
        for second in (29, 58, 87):
            trickling.last_activity = NOW + second - 1
            later(there, second)
        assert link.recv(1) == b""


def test_a_connection_between_requests_is_kept_longer_than_a_proxy_keeps_it(stopped_clock):
    kept = int(re.search(r"keepalive_timeout (\d+)s;", site()).group(1))
    with served(lengths) as there, connect(there.port) as link:
        link.sendall(PAGE)
        hear_one(link)
        # The client may have all of it a moment before the server has counted it as sent.
        channels = there.active_channels.values()
        wait_until(lambda: not any(one.total_outbufs_len for one in channels), "the end of it")
        later(there, kept + 20)
        link.sendall(PAGE)
        hear_one(link)
        later(there, 80)
        assert link.recv(1) == b""


def site() -> str:
    from tests.bench.labelling_server import ROOT

    return (ROOT / "docs" / "nginx.conf").read_text()


def test_an_answer_that_takes_long_is_waited_for(stopped_clock, slow):
    with served(slow) as there, connect(there.port) as link:
        link.sendall(PAGE.replace(b"/", b"/slow", 1))
        slow.asked.acquire(timeout=PATIENCE)
        later(there, 10_000)
        slow.go.set()
        assert hear_one(link).endswith(b"\r\n\r\n0")


def test_whoever_asks_for_a_long_answer_and_never_reads_it_gives_the_thread_back(stopped_clock):
    made, given_back = threading.Semaphore(0), threading.Event()

    def endless(environ, start_response):
        start_response("200 OK", [("Content-Type", "text/csv")])
        try:
            while True:
                made.release()
                yield b"x" * MEGABYTE
        finally:
            given_back.set()

    with served(endless, threads=1) as there, connect(there.port) as link:
        link.sendall(PAGE)
        assert link.recv(10)
        # Sixteen in the server's buffers, and some in the machine's: more comes when these are read.
        for _ in range(17):
            assert made.acquire(timeout=PATIENCE)
        later(there, 61)
        assert given_back.wait(PATIENCE)
