"""Only a proxy that the operator named is believed, and only what it says of the visitor."""

from __future__ import annotations

from ipaddress import ip_network

import pytest
from django.http import HttpResponse
from django.test import Client, RequestFactory

from audit.installation.proxies import BelievesNamedProxies, visitor
from tests.audit.test_settings import KEY, start

NAMED = [ip_network("10.0.3.0/24"), ip_network("127.0.0.1"), ip_network("2001:db8::/64")]
PRODUCTION = {"ALLOWED_HOSTS": "jury.example", "SECRET_KEY": KEY}
FORGED = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}


def seen(peer: str, forwarded: str = "", scheme: str = "", proxies=NAMED) -> tuple[str, str]:
    said = {"HTTP_X_FORWARDED_FOR": forwarded, "HTTP_X_FORWARDED_PROTO": scheme}
    found = visitor(peer, said, proxies)
    return found.address, found.scheme


def test_without_a_named_proxy_the_visitor_is_whoever_connects():
    assert seen("127.0.0.1", "203.0.113.9", "https", proxies=[]) == ("127.0.0.1", "")


def test_an_address_that_is_not_named_is_not_believed():
    assert seen("10.0.4.1", "203.0.113.9", "https") == ("10.0.4.1", "")


def test_a_named_proxy_says_who_asks_and_how():
    assert seen("10.0.3.77", "203.0.113.9", "https") == ("203.0.113.9", "https")
    assert seen("127.0.0.1", "203.0.113.9", "http") == ("203.0.113.9", "http")


def test_what_stands_left_of_the_first_stranger_is_his_own_word():
    # The visitor 203.0.113.9 wrote 198.51.100.1 himself; the two proxies added what they saw.
    assert seen("127.0.0.1", "198.51.100.1, 203.0.113.9, 10.0.3.4", "https")[0] == "203.0.113.9"


def test_behind_named_proxies_only_the_outermost_is_the_visitor():
    assert seen("127.0.0.1", "10.0.3.4, 10.0.3.5")[0] == "10.0.3.4"


@pytest.mark.parametrize("word", ["unknown", "", "203.0.113.9 <script>", "999.1.1.1", "a" * 9000])
def test_what_is_no_address_is_nobody(word):
    assert seen("127.0.0.1", word) == ("127.0.0.1", "")


def test_addresses_with_ports_and_of_both_kinds_are_read():
    assert seen("2001:db8::7", "203.0.113.9:4711")[0] == "203.0.113.9"
    assert seen("2001:db8::7", "[2001:db9::1]:443")[0] == "2001:db9::1"
    assert seen("::ffff:127.0.0.1", "2001:db9::1")[0] == "2001:db9::1"


@pytest.mark.parametrize(("said", "read"), [("HTTPS", "https"), ("https, http", "http"), ("s", "")])
def test_the_nearest_proxy_says_the_scheme(said, read):
    assert seen("127.0.0.1", "203.0.113.9", said)[1] == read


def asked(settings, peer: str, proxies, **headers):
    settings.TRUSTED_PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR=peer, headers=headers)
    BelievesNamedProxies(lambda request: HttpResponse())(request)
    return request


def test_the_request_carries_the_visitor_and_nothing_forwarded(settings):
    more = {"X-Forwarded-Host": "evil.example", "X-Real-IP": "198.51.100.1", "Forwarded": "for=x"}
    request = asked(settings, "10.0.3.2", NAMED, **FORGED, **more)
    assert request.META["REMOTE_ADDR"] == "203.0.113.9"
    assert request.is_secure()
    assert not [name for name in request.META if "FORWARDED" in name or "REAL_IP" in name]


def test_nothing_forwarded_is_left_of_what_a_stranger_says(settings):
    request = asked(settings, "203.0.113.77", NAMED, **FORGED)
    assert request.META["REMOTE_ADDR"] == "203.0.113.77"
    assert not request.is_secure()
    assert not [name for name in request.META if "FORWARDED" in name]


def production(settings, proxies) -> Client:
    settings.IN_PRODUCTION = True
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
    settings.TRUSTED_PROXIES = proxies
    return Client(REMOTE_ADDR="127.0.0.1")


def test_plain_http_without_a_named_proxy_is_a_sentence_and_no_redirect(settings, db):
    for headers in ({}, FORGED):
        answer = production(settings, []).get("/login/", headers=headers)
        assert answer.status_code == 503
        assert "not in TRUSTED_PROXIES" in answer.text


def test_a_named_proxy_that_does_not_say_the_scheme_is_named_in_a_sentence(settings, db):
    answer = production(settings, NAMED).get("/login/", headers={"X-Forwarded-For": "203.0.113.9"})
    assert answer.status_code == 503
    assert "X-Forwarded-Proto" in answer.text


def test_through_a_named_proxy_http_is_redirected_and_https_is_answered(settings, db):
    browser = production(settings, NAMED)
    http = browser.get("/login/", headers={"X-Forwarded-Proto": "http"})
    assert (http.status_code, http.headers["Location"]) == (301, "https://testserver/login/")
    assert browser.get("/login/", headers=FORGED).status_code == 200


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("proxy.example", "TRUSTED_PROXIES holds 'proxy.example'; write addresses or networks"),
        ("*", "TRUSTED_PROXIES holds '*'; write addresses or networks"),
        ("10.0.3.1/24", "TRUSTED_PROXIES holds '10.0.3.1/24'; write addresses or networks"),
        ("127.0.0.1, 0.0.0.0/0", "TRUSTED_PROXIES holds '0.0.0.0/0', which is everybody"),
    ],
)
def test_what_names_no_proxy_stops_the_start_with_a_sentence(tmp_path, entry, words):
    ended = start(tmp_path, TRUSTED_PROXIES=entry)
    assert ended.returncode != 0
    assert words in ended.stderr


@pytest.mark.parametrize(("proxies", "wrong"), [("", True), ("127.0.0.1", False)])
@pytest.mark.nightly("starts of Django; `make lint` asks the same check")
def test_the_deployment_check_asks_for_a_named_proxy(tmp_path, proxies, wrong):
    code = (
        "from django.core import checks;"
        "print(*(f.id for f in checks.run_checks(include_deployment_checks=True)))"
    )
    ended = start(tmp_path, code, TRUSTED_PROXIES=proxies, **PRODUCTION)
    assert ("jurybox.E001" in ended.stdout) is wrong, ended.stderr


@pytest.mark.parametrize(
    ("choice", "header"),
    [
        ("no", "None"),
        ("", "max-age=31536000"),
        ("host", "max-age=31536000"),
        ("subdomains", "max-age=31536000; includeSubDomains"),
        ("preload", "max-age=31536000; includeSubDomains; preload"),
    ],
)
@pytest.mark.nightly("five starts of Django; test_settings.py reads the setting")
def test_how_far_browsers_insist_on_https_is_the_operators_choice(tmp_path, choice, header):
    code = (
        "from django.test import Client;"
        "print(Client().get('/healthz', secure=True).headers.get('Strict-Transport-Security'))"
    )
    ended = start(tmp_path, code, HSTS=choice, **PRODUCTION)
    assert ended.stdout.strip() == header, ended.stderr


def test_a_misspelt_choice_of_hsts_is_a_sentence(tmp_path):
    ended = start(tmp_path, HSTS="forever", **PRODUCTION)
    assert "HSTS is 'forever'; write no, host, subdomains or preload." in ended.stderr
