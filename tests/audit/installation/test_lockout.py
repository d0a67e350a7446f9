"""Guessing passwords takes ever longer; whoever knows theirs is let in."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils import timezone

from audit.installation import lockout
from audit.models import WrongPassword

pytestmark = pytest.mark.django_db
PASSWORD = "a-long-and-quiet-river"


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


def test_each_further_one_doubles_the_wait_up_to_a_quarter_of_an_hour(dora):
    waits = []
    for _ in range(16):
        WrongPassword.objects.update(wait_until=timezone.now())
        try_password("wrong")
        waits.append(lockout.seconds_left(None, "x") or _left())
    assert waits[:4] == [0, 0, 0, 0]
    assert waits[4:9] == [1, 2, 4, 8, 16]
    assert waits[-1] == 900


def _left() -> int:
    row = WrongPassword.objects.get()
    return round((row.wait_until - timezone.now()).total_seconds())


def test_after_the_wait_the_right_one_opens_and_all_is_forgotten(dora):
    for _ in range(lockout.FREE):
        try_password("wrong")
    WrongPassword.objects.update(wait_until=timezone.now() - timedelta(seconds=1))
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
    assert answer.status_code == 400
    answer = client.post("/admin/login/", {"username": "dora", "password": PASSWORD})
    assert answer.status_code == 200


def test_the_table_holds_no_name(dora):
    try_password("wrong", name="mistyped@example.org")
    assert "mistyped" not in str(WrongPassword.objects.values_list())
