"""The first account of an installation."""

from __future__ import annotations

import io

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.django_db
PASSWORD = "quiet-river-7"


@pytest.fixture
def typed(monkeypatch):
    def answers(*lines: str) -> None:
        left = list(lines)
        monkeypatch.setattr("getpass.getpass", lambda prompt: left.pop(0))

    return answers


def test_the_first_account_can_log_in_and_runs_the_installation(typed, client):
    typed(PASSWORD, PASSWORD)
    call_command("createowner", "ada", stdout=io.StringIO())
    assert client.login(username="ada", password=PASSWORD)
    assert User.objects.get().is_superuser


def test_a_script_gives_the_password_on_standard_input(monkeypatch, client):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    call_command("createowner", "ada", "--password-stdin", stdout=io.StringIO())
    assert client.login(username="ada", password=PASSWORD)


@pytest.mark.parametrize(
    ("name", "words", "reason"),
    [
        ("ada", (PASSWORD, "another-river-7"), "The two passwords differ; nothing was made."),
        ("ada", ("12345678", "12345678"), "entirely numeric"),
        ("ada lovelace!", (PASSWORD, PASSWORD), "Enter a valid username"),
        ("old", (PASSWORD, PASSWORD), "There is an account “old” already."),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(typed, name, words, reason):
    User.objects.create_user("old")
    typed(*words)
    with pytest.raises(CommandError, match=reason):
        call_command("createowner", name)
    assert [user.username for user in User.objects.all()] == ["old"]
