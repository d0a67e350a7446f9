"""An installation without any account: one page makes the first one, and only whoever runs it can."""

from __future__ import annotations

import io
import threading
from ipaddress import ip_network

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotations.models import Event
from audit.accounts import first_account

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-and-quiet-river"
GIVEN = {"username": "ada", "email": "", "password1": PASSWORD, "password2": PASSWORD}
ELSEWHERE = {"REMOTE_ADDR": "203.0.113.9"}
PLACE = "/first-start/"


@pytest.mark.parametrize("address", ["/", "/account/", "/studies/shapes/audit/judge/", "/admin/"])
def test_every_page_leads_to_the_first_account(client, address):
    page = client.get(address, follow=True)
    assert page.status_code == 200
    assert "Create the first account" in page.text


def test_at_the_machine_itself_name_and_password_are_enough(client):
    assert "Code" not in client.get(PLACE).text
    answer = client.post(PLACE, {**GIVEN, "email": "ada@lab.example"})
    assert answer.headers["Location"] == reverse("home")
    user = User.objects.get()
    assert (user.username, user.email) == ("ada", "ada@lab.example")
    assert user.is_superuser and user.check_password(PASSWORD)
    assert client.get("/account/").status_code == 200, "they are logged in"
    assert [e.words for e in Event.objects.order_by("pk")] == [
        "made to run this installation",
        "logged in",
    ]


def test_once_there_is_an_account_the_page_is_gone(client):
    User.objects.create_user("anybody")
    assert client.get(PLACE).status_code == 404
    assert client.post(PLACE, GIVEN).status_code == 404
    assert "Create the first account" not in client.get("/login/").text


def test_a_stranger_needs_the_code_of_the_terminal():
    stranger = Client(**ELSEWHERE)
    assert "manage.py serve" in stranger.get("/login/").text
    for code in ("", "AAAA-AAAA-AAAA"):
        assert stranger.post(PLACE, {**GIVEN, "code": code}).status_code == 422
    assert not User.objects.exists()
    typed = first_account.code().lower().replace("-", " ")
    assert stranger.post(PLACE, {**GIVEN, "code": typed}).status_code == 302
    assert User.objects.get().is_superuser


def test_guessing_the_code_has_to_wait_and_keeps_nobody_else_out():
    stranger = Client(**ELSEWHERE)
    for _ in range(first_account.WRONG_CODES.free):
        stranger.post(PLACE, {**GIVEN, "code": "x"})
    answer = stranger.post(PLACE, {**GIVEN, "code": first_account.code()})
    assert "Wait" in answer.text and not User.objects.exists()
    other = Client(REMOTE_ADDR="198.51.100.7")
    assert other.post(PLACE, {**GIVEN, "code": first_account.code()}).status_code == 302


@pytest.mark.parametrize(
    "more",
    [
        {"HTTP_X_FORWARDED_FOR": "203.0.113.9"},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_X_REAL_IP": "127.0.0.1"},
        {"HTTP_FORWARDED": "for=127.0.0.1"},
        {"HTTP_VIA": "1.1 proxy"},
        {"SERVER_PROTOCOL": "HTTP/1.0"},
    ],
)
def test_behind_a_proxy_that_nobody_named_loopback_is_not_the_machine_itself(more):
    assert Client(**more).post(PLACE, GIVEN).status_code == 422
    assert not User.objects.exists()


@pytest.mark.parametrize("said", ["203.0.113.9", "127.0.0.1"])
def test_behind_a_named_proxy_nobody_sits_at_the_machine(settings, said):
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]
    for more in ({"HTTP_X_FORWARDED_FOR": said}, {}):
        assert Client(**more).post(PLACE, GIVEN).status_code == 422
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"password2": "another-quiet-river"}, "The two passwords differ"),
        ({"password1": "12345678", "password2": "12345678"}, "entirely numeric"),
        ({"username": "ada lovelace"}, "Enter a valid username"),
        ({"username": ""}, "This field is required"),
        ({"email": "nobody"}, "Enter a valid email address"),
    ],
)
def test_what_was_typed_stays_after_a_refusal_but_for_the_passwords(client, changes, words):
    given = {**GIVEN, "email": "ada@lab.example", **changes}
    page = client.post(PLACE, given)
    assert page.status_code == 422
    assert words in page.text
    for name in ("username", "email"):
        if given[name]:
            assert f'value="{given[name]}"' in page.text
    assert given["password1"] not in page.text
    assert not User.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_exactly_one_gets_it():
    ready = threading.Barrier(8)
    answers = []

    def come(number: int) -> None:
        browser = Client(raise_request_exception=False)
        ready.wait()
        try:
            answers.append(browser.post(PLACE, {**GIVEN, "username": f"p{number}"}).status_code)
        finally:
            connection.close()

    threads = [threading.Thread(target=come, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert User.objects.count() == 1
    assert sorted(answers)[0] == 302 and set(sorted(answers)[1:]) <= {400, 404}


def test_single_sign_on_does_not_come_first(client, settings):
    settings.OIDC = {"issuer": "https://id.example", "client_id": "x", "secret": "y"}
    assert client.get("/single-sign-on/").headers["Location"] == PLACE


def test_the_code_is_the_same_after_a_restart_and_another_one_elsewhere(settings):
    first = first_account.code()
    assert first == first_account.code()
    settings.SECRET_KEY = "another" * 10
    assert first_account.code() != first


def test_the_command_prints_the_code_until_there_is_an_account():
    out = io.StringIO()
    call_command("createowner", "--code", stdout=out)
    assert out.getvalue().strip() == first_account.code()
    assert not User.objects.exists()
    User.objects.create_user("anybody")
    with pytest.raises(CommandError, match="There is an account already"):
        call_command("createowner", "--code")


@pytest.mark.parametrize("there", [False, True])
def test_the_web_server_says_the_code_at_its_start(monkeypatch, there):
    monkeypatch.setattr("audit.installation.web_server.serve", lambda **more: None)
    monkeypatch.setattr("django.db.connections.close_all", lambda: None)
    if there:
        User.objects.create_user("anybody")
    out = io.StringIO()
    call_command("serve", "--port", "8123", stdout=out)
    assert (first_account.code() in out.getvalue()) is not there
    assert ("http://127.0.0.1:8123/" in out.getvalue()) is not there
