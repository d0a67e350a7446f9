"""No secret of an installation stands in what it prints, logs or shows when something goes wrong."""

from __future__ import annotations

import io
import logging

import pytest
from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.test import Client
from django.urls import path

from audit.installation.security import SettingsWithoutSecrets
from audit.urls import urlpatterns as usual
from tests.audit.test_settings import start

SECRETS = {
    "SECRET_KEY": "the-key-of-keys-" * 4,
    "METRICS_TOKEN": "the-token-of-the-numbers",
    "OPENAI_API_KEY": "sk-the-key-of-the-server",
}
DATABASE = "postgres://jury:the-password-of-the-database@127.0.0.1:1/none"
BROKER = "redis://:the-password-of-the-broker@127.0.0.1:1/0"
HIDDEN = (*SECRETS.values(), "the-password-of-the-database", "the-password-of-the-broker")
COMMAND = "from django.core.management import call_command; call_command({!r})"


def shows_nothing(text: str) -> None:
    for secret in HIDDEN:
        assert secret not in text, secret


SECOND = pytest.param("migrate", marks=pytest.mark.nightly("`doctor` asks both, too"))


@pytest.mark.parametrize("command", ["doctor", SECOND])
def test_with_its_database_and_broker_away_it_tells_no_password(tmp_path, command):
    ended = start(
        tmp_path,
        COMMAND.format(command),
        **SECRETS,
        DATABASE_URL=DATABASE,
        CELERY_BROKER_URL=BROKER,
        LOG_LEVEL="DEBUG",
        LOG_FORMAT="json",
    )
    assert ended.returncode != 0
    assert "127.0.0.1" in ended.stdout + ended.stderr or "does not answer" in ended.stdout
    shows_nothing(ended.stdout + ended.stderr)


@pytest.mark.parametrize(
    "environment",
    [
        {"DATABASE_URL": "postgres://jury:the-password/-of-the-database@127.0.0.1/none"},
        {"DATABASE_URL": "mango://jury:the-password-of-the-database@127.0.0.1/none"},
        {"CELERY_BROKER_URL": "pigeon://:the-password-of-the-broker@127.0.0.1"},
        {"JUDGE_SERVERS": "https://:the-password-of-the-server@api.example"},
    ],
    ids=["a sign that ends a host", "no such database", "no such broker", "a server's"],
)
def test_a_misspelt_address_stops_the_start_without_its_password(tmp_path, environment):
    ended = start(tmp_path, **environment)
    assert ended.returncode != 0
    assert "the-password" not in ended.stdout + ended.stderr
    shows_nothing(ended.stdout + ended.stderr)


@login_not_required
def broken(request) -> HttpResponse:
    raise RuntimeError("something went wrong")


urlpatterns = [*usual, path("broken/", broken)]


@pytest.fixture
def with_secrets(settings):
    for name, value in SECRETS.items():
        setattr(settings, name, value)
    settings.DATABASE_URL, settings.CELERY_BROKER_URL = DATABASE, BROKER
    settings.ROOT_URLCONF = __name__
    return settings


@pytest.mark.django_db
@pytest.mark.parametrize("debug", [False, True])
def test_an_error_page_and_its_log_show_no_secret(with_secrets, debug):
    with_secrets.DEBUG = debug
    log = io.StringIO()
    handler = logging.StreamHandler(log)
    logging.getLogger().addHandler(handler)
    try:
        answer = Client(raise_request_exception=False).get(
            "/broken/", headers={"Authorization": f"Bearer {SECRETS['METRICS_TOKEN']}"}
        )
    finally:
        logging.getLogger().removeHandler(handler)
    assert answer.status_code == 500
    assert ("DATABASE_URL" in answer.text) == debug
    shows_nothing(log.getvalue())
    shows_nothing(answer.text)


def test_an_error_page_still_shows_what_is_no_secret(with_secrets):
    shown = SettingsWithoutSecrets().get_safe_settings()
    assert shown["TIME_ZONE"] == "UTC"
    assert shown["DATABASE_URL"] == shown["CELERY_BROKER_URL"] == shown["SECRET_KEY"]
