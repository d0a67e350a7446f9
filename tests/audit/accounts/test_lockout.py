"""Guessing passwords takes ever longer; whoever knows theirs is let in, whatever others try."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.backends import ModelBackend
from django.core import signing
from django.db import connections
from django.test import Client
from django.utils import timezone

from audit.accounts import lockout
from audit.models import WrongPassword

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-and-quiet-river"


class Clock:
    """The time that the code under test reads: it stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = timezone.now()

    def move(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Else the first wait, one second, is over before a slow machine has tried again."""
    clock = Clock()
    monkeypatch.setattr(timezone, "now", lambda: clock.now)
    return clock


@pytest.fixture
def dora():
    return get_user_model().objects.create_user("dora", password=PASSWORD)


def try_password(password: str, *, name: str = "dora", address: str = "10.0.0.1"):
    return Client(REMOTE_ADDR=address).post("/login/", {"username": name, "password": password})


def is_in(answer) -> bool:
    return answer.status_code == 302


def test_five_wrong_ones_close_the_door_even_to_the_right_one(dora):
    for _ in range(lockout.FREE):
        assert not is_in(try_password("wrong"))
    answer = try_password(PASSWORD)
    assert not is_in(answer)
    assert "before the next try" in answer.text


def test_each_further_one_doubles_the_wait_up_to_a_quarter_of_an_hour(dora, clock):
    waits = []
    for _ in range(16):
        try_password("wrong")
        waits.append(_left(clock))
        clock.move(waits[-1])
    assert waits[:4] == [0, 0, 0, 0]
    assert waits[4:9] == [60, 120, 240, 480, 900]
    assert waits[-1] == 900


def _left(clock) -> float:
    latest = WrongPassword.objects.latest("wait_until")
    return (latest.wait_until - clock.now).total_seconds()


def test_after_the_wait_the_right_one_opens_and_all_is_forgotten(dora, clock):
    for _ in range(lockout.FREE):
        try_password("wrong")
    clock.move(60)
    assert is_in(try_password(PASSWORD))
    assert WrongPassword.objects.count() == 0


def test_a_guesser_elsewhere_does_not_keep_her_out(dora):
    for _ in range(8):
        try_password("wrong", address="203.0.113.9")
    assert is_in(try_password(PASSWORD))


def test_a_name_that_nobody_has_is_counted_alike(dora):
    """Else the wait would tell who has an account."""
    for _ in range(lockout.FREE):
        try_password("wrong", name="nobody")
    assert "before the next try" in try_password("wrong", name="nobody").text


def test_the_api_and_the_administration_have_the_same_door(dora):
    client = Client(REMOTE_ADDR="10.0.0.1")
    for _ in range(lockout.FREE):
        client.post("/api/v1/token/", {"username": "dora", "password": "wrong"})
    answer = client.post("/api/v1/token/", {"username": "dora", "password": PASSWORD})
    assert answer.status_code == 429
    assert "Wait 60 seconds" in answer.json()["message"]
    answer = client.post("/admin/login/", {"username": "dora", "password": PASSWORD})
    assert answer.status_code == 200


def test_neither_table_nor_log_holds_a_name(dora, caplog):
    with caplog.at_level(logging.DEBUG):
        for _ in range(lockout.FREE + 1):
            try_password("wrong", name="mistyped@example.org")
    assert "mistyped" not in str(WrongPassword.objects.values_list())
    assert "mistyped" not in caplog.text


@pytest.fixture
def her_browser(dora):
    """It has logged in to her account once, and is logged out again."""
    client = Client(REMOTE_ADDR="10.0.0.1")
    assert is_in(client.post("/login/", {"username": "dora", "password": PASSWORD}))
    client.post("/logout/")
    return client


def test_a_guesser_in_the_same_network_does_not_keep_her_browser_out(her_browser):
    for _ in range(8):
        try_password("wrong")
    assert not is_in(try_password(PASSWORD))
    assert is_in(her_browser.post("/login/", {"username": "dora", "password": PASSWORD}))


def test_her_browser_has_a_limit_of_its_own(her_browser):
    for _ in range(lockout.FREE):
        her_browser.post("/login/", {"username": "dora", "password": "wrong"})
    answer = her_browser.post("/login/", {"username": "dora", "password": PASSWORD})
    assert "before the next try" in answer.text
    assert is_in(try_password(PASSWORD))


def test_a_browser_is_known_for_its_own_accounts_only(her_browser):
    get_user_model().objects.create_user("eve", password=PASSWORD)
    for _ in range(lockout.FREE):
        try_password("wrong", name="eve")
    assert not is_in(her_browser.post("/login/", {"username": "eve", "password": PASSWORD}))


def test_several_people_share_a_browser(her_browser):
    get_user_model().objects.create_user("eve", password=PASSWORD)
    assert is_in(her_browser.post("/login/", {"username": "eve", "password": PASSWORD}))
    her_browser.post("/logout/")
    for name in ("dora", "eve"):
        for _ in range(lockout.FREE):
            try_password("wrong", name=name)
        assert is_in(her_browser.post("/login/", {"username": name, "password": PASSWORD}))
        her_browser.post("/logout/")


@pytest.mark.parametrize("value", ["", "x", "WyJ4Il0:1abcde:forged"])
def test_a_forged_cookie_opens_no_count_of_its_own(dora, value):
    for _ in range(lockout.FREE):
        try_password("wrong")
    client = Client(REMOTE_ADDR="10.0.0.1")
    client.cookies[lockout.COOKIE] = value
    assert not is_in(client.post("/login/", {"username": "dora", "password": PASSWORD}))


def test_the_cookie_is_out_of_reach_of_scripts_and_holds_no_name(her_browser):
    cookie = her_browser.cookies[lockout.COOKIE]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    assert "dora" not in str(signing.loads(cookie.value, salt=lockout.COOKIE))


def test_a_stranger_with_many_addresses_refuses_no_right_log_in(dora):
    """48 right ones, each from a new browser somewhere else, while a stranger guesses from 60."""
    for number in range(60):
        for _ in range(2):
            try_password("wrong", address=f"203.0.113.{number}")
    let_in = [is_in(try_password(PASSWORD, address=f"198.51.100.{n}")) for n in range(48)]
    assert let_in == [True] * 48


def test_a_name_that_many_guess_at_has_one_free_try_in_each_network(dora):
    for number in range(lockout.FOR_A_NAME.free // 2):
        try_password("wrong", address=f"203.0.113.{number}")
    assert "before the next try" in try_password("wrong", address="198.51.100.1").text
    assert not is_in(try_password(PASSWORD, address="198.51.100.1"))


def test_right_ones_do_not_bring_a_name_under_attack(dora):
    for number in range(lockout.FOR_A_NAME.free):
        assert is_in(try_password(PASSWORD, address=f"203.0.113.{number}"))
    for _ in range(lockout.FREE - 1):
        try_password("wrong", address="198.51.100.1")
    assert is_in(try_password(PASSWORD, address="198.51.100.1"))


@pytest.fixture
def checked(monkeypatch):
    """The passwords that were compared with a stored one."""
    seen: list[object] = []
    check = ModelBackend.authenticate

    def note(*given, **more):
        seen.append(more.get("username"))
        return check(*given, **more)

    monkeypatch.setattr(ModelBackend, "authenticate", note)
    return seen


def test_one_password_for_many_names_soon_waits(dora, checked):
    for number in range(40):
        try_password("summer2026", name=f"person-{number}")
    assert len(checked) == lockout.OF_A_NETWORK.free
    assert "before the next try" in try_password("summer2026", name="another").text


def test_the_allowance_of_a_network_fills_again(dora, clock, checked):
    for number in range(40):
        try_password("summer2026", name=f"person-{number}")
    clock.move(180)
    for number in range(40):
        try_password("autumn2026", name=f"person-{number}")
    assert len(checked) == lockout.OF_A_NETWORK.free + 3


def test_people_who_know_their_passwords_use_up_nothing(dora):
    for _ in range(2 * lockout.OF_A_NETWORK.free):
        assert is_in(try_password(PASSWORD))


def test_a_network_of_ipv6_is_one_address(dora, checked):
    for number in range(12):
        try_password("wrong", address=f"2001:db8:0:7::{number:x}")
    assert len(checked) == lockout.FREE
    assert is_in(try_password(PASSWORD, address="2001:db8:0:8::1"))


def test_an_ipv4_address_written_as_ipv6_is_the_same(dora, checked):
    for number in range(12):
        try_password("wrong", address="::ffff:10.0.0.1" if number % 2 else "10.0.0.1")
    assert len(checked) == lockout.FREE


def test_a_burst_that_takes_half_a_minute_to_be_worked_off_gains_nothing(dora, clock, checked):
    """48 guesses at once wait in the server's queue, 0.7 seconds each: 12 of them were checked."""
    for _ in range(48):
        try_password("wrong")
        clock.move(0.7)
    assert len(checked) == lockout.FREE


def test_who_was_refused_is_told_so_even_when_the_wait_is_over_by_then(dora, clock, monkeypatch):
    for _ in range(lockout.FREE):
        try_password("wrong")
    refuse = lockout._refuse

    def slowly(request, seconds):
        clock.move(61)
        refuse(request, seconds)

    monkeypatch.setattr(lockout, "_refuse", slowly)
    assert "before the next try" in try_password(PASSWORD).text


@pytest.mark.django_db(transaction=True)
def test_guesses_sent_at_once_are_not_checked_more_often(dora, checked):
    together = threading.Barrier(12)

    def guess():
        together.wait()
        try:
            try_password("wrong")
        finally:
            connections.close_all()

    threads = [threading.Thread(target=guess) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(checked) == lockout.FREE


def test_counts_are_forgotten_after_a_day(dora, clock):
    try_password("wrong", name="somebody")
    clock.move(24 * 60 * 60 + 1)
    try_password("wrong")
    assert lockout.too_long_ago() == 1
    assert WrongPassword.objects.count() == 1
