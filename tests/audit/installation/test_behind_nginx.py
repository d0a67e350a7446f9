"""Behind a real nginx with TLS, by the sample configuration: people get in, and are who they are."""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.audit.installation.behind_nginx import (
    IN_PRODUCTION,
    NAME,
    Browser,
    Nginx,
    give_password,
)
from tests.bench import bench_proxy
from tests.bench.labelling_server import Installation

pytestmark = pytest.mark.nightly(
    "a real nginx before a real server; test_proxies.py asks the same code"
)


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Iterator[tuple[Installation, Nginx]]:
    with (
        Installation("sqlite", IN_PRODUCTION, images=20, overlap=3, people=2) as there,
        Nginx(tmp_path_factory.mktemp("nginx") / "run", there.port) as front,
    ):
        give_password(there, "alice", "owner")
        yield there, front


def test_a_person_logs_in_over_tls_and_sees_the_home_page(place):
    with closing(Browser(place[1])) as browser:
        answer, _ = browser.ask("GET", "/")
        assert (answer.status, answer.headers["Location"]) == (302, "/login/?next=/")
        assert browser.log_in("alice") == 302
        answer, page = browser.ask("GET", "/")
    assert answer.status == 200
    assert b"Bench" in page


def test_whoever_types_http_is_sent_to_https(place):
    with closing(http.client.HTTPConnection("127.0.0.1", place[1].plain)) as link:
        link.request("GET", "/login/", headers={"Host": NAME})
        answer = link.getresponse()
    assert (answer.status, answer.headers["Location"]) == (301, f"https://{NAME}/login/")


def test_what_a_visitor_says_of_himself_is_thrown_away(place):
    there, front = place
    forged = {
        "X-Forwarded-For": "203.0.113.9",
        "X-Forwarded-Proto": "http",
        "X-Forwarded-Host": "evil.example",
        "Forwarded": "for=203.0.113.9;host=evil.example;proto=http",
    }
    with closing(Browser(front)) as browser:
        answer, page = browser.ask("GET", "/login/", **forged)
    assert answer.status == 200
    assert b"evil.example" not in page


def test_a_proxy_that_nobody_named_gets_a_sentence_and_no_redirect(place, tmp_path):
    there, _ = place
    there.environment["TRUSTED_PROXIES"] = ""
    with serving_again(there), Nginx(tmp_path / "run", there.port) as front:
        with closing(Browser(front)) as browser:
            answer, words = browser.ask("GET", "/login/")
        told = there.manage("doctor", "--json", "--address", f"https://localhost:{front.port}")
    assert answer.status == 503
    assert b"not in TRUSTED_PROXIES" in words
    (address,) = [part for part in json.loads(told.stdout) if part["part"] == "address"]
    assert address["state"] == "broken"


class serving_again:
    """A second web server of the same installation, with the settings as they are now."""

    def __init__(self, there: Installation) -> None:
        self.there = there

    def __enter__(self) -> None:
        self.before = self.there.port, self.there.server
        self.there.serve()

    def __exit__(self, *_) -> None:
        self.there.server.terminate()
        self.there.server.wait()
        self.there.port, self.there.server = self.before
        self.there.environment["TRUSTED_PROXIES"] = "127.0.0.1"


def test_doctor_asks_the_address_and_says_that_it_is_well(place):
    there, front = place
    there.environment["SSL_CERT_FILE"] = str(front.certificate)
    address = f"https://localhost:{front.port}"
    told = there.manage("doctor", "--json", "--address", address)
    (found,) = [part for part in json.loads(told.stdout) if part["part"] == "address"]
    assert found["state"] == "well", found
    assert f"{address}/login/" in found["words"]


def test_doctor_names_a_certificate_that_browsers_would_refuse(place):
    there, front = place
    there.environment["SSL_CERT_FILE"] = os.devnull
    told = there.manage("doctor", "--json", "--address", f"https://localhost:{front.port}")
    (found,) = [part for part in json.loads(told.stdout) if part["part"] == "address"]
    assert found["state"] == "broken"
    assert "certificate" in found["words"]


def test_people_label_send_files_and_export_while_others_ask_for_heads(place):
    """`make bench-proxy` does the same for a minute, with 200 labels and 50 MB."""
    there, front = place
    give_password(there, "owner-of-bench", "owner")
    with closing(Browser(front)) as owner:
        assert owner.log_in("owner-of-bench") == 302
        assert bench_proxy.label(front, owner, 5) == 5
        assert bench_proxy.upload(owner, 3) == 302
        assert bench_proxy.stored(there) == 3 * bench_proxy.MEGABYTE
        assert len(bench_proxy.export(owner)) > 5
        heads = bench_proxy.Heads(front, owner, there.cookies)
        heads.run(rounds=10)
    assert heads.heads == 100
    assert heads.foreign == []
