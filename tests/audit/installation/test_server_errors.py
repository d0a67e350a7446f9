"""What breaks in a request is kept with its trace and without secrets, and doctor tells of the last ten."""

from __future__ import annotations

import contextlib
import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from audit.installation import health, server_errors

pytestmark = pytest.mark.django_db
SECRET = "a-secret-of-somebody"


@pytest.fixture
def breaks(settings, tmp_path, monkeypatch):
    """A page and an operation of the API that break, of visitors who send secrets along."""
    settings.VAR_DIR = tmp_path

    def fail(*given, **more):
        try:
            raise KeyError(SECRET[:8])
        except KeyError as cause:
            raise RuntimeError(f"broken\nDETAIL: Key (email)=({SECRET})") from cause

    monkeypatch.setattr("audit.installation.pages.home_cards.cards", fail)
    monkeypatch.setattr("audit.api.newest_with_options", fail)
    return tmp_path / "errors"


def test_each_that_broke_is_kept_with_its_trace_and_no_secret(breaks, alice):
    client = Client(raise_request_exception=False)
    assert health.errors().state == "well"
    client.force_login(alice.user)
    sent = {
        "HTTP_COOKIE": f"{client.cookies.output(header='')}; x={SECRET}",
        "HTTP_X_THING": SECRET,
    }
    assert client.get(f"/?token={SECRET}", **sent).status_code == 500
    (told,) = server_errors.newest()
    assert (told["method"], told["route"], told["account"]) == ("GET", "", alice.user.pk)
    assert told["error"] == "RuntimeError: broken"
    assert "KeyError" in told["trace"] and "in fail" in told["trace"]
    assert told["trace"].index("KeyError") < told["trace"].index("RuntimeError: broken")
    (file,) = breaks.iterdir()
    assert SECRET not in file.read_text()
    assert file.stat().st_mode & 0o077 == 0


def test_an_operation_of_the_api_that_breaks_is_kept_too(breaks, alice):
    client = Client(raise_request_exception=False)
    client.force_login(alice.user)
    assert client.get("/api/v1/studies/shapes/report/").status_code == 500
    (told,) = server_errors.newest()
    assert told["route"] == "api/v1/studies/<slug:slug>/report/"


def test_doctor_tells_of_the_last_ten_and_old_ones_go(breaks, alice, monkeypatch):
    monkeypatch.setattr(server_errors, "KEPT", 12)
    client = Client(raise_request_exception=False)
    client.force_login(alice.user)
    for _ in range(14):
        client.get("/")
    assert len(list(breaks.iterdir())) == 12
    out = io.StringIO()
    monkeypatch.setattr(health, "judges", list)
    # Other parts of this machine are not what this is about.
    with contextlib.suppress(CommandError):
        call_command("doctor", stdout=out)
    assert out.getvalue().count("RuntimeError: broken") == 10
