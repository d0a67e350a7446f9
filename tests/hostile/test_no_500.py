"""What once broke with a 500 is refused with a sentence."""

from __future__ import annotations

import base64
import errno

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from annotations.bounded_numbers import read_number, read_whole
from annotations.database.leases import reason_of
from annotations.errors import without_folders
from annotations.rates import Rate
from audit.installation import backups
from jurybox_formats.sources.sound_json import Unsound, load_json
from tests import making

pytestmark = pytest.mark.django_db


def test_brackets_without_end_are_no_token(client):
    answer = client.post("/api/v1/token/", "[" * 60_000, content_type="application/json")
    assert answer.status_code == 400
    assert "levels deep" in answer.json()["detail"]


CURSORS = [
    f"{kind}={value}"
    for kind in "por"
    for value in ("x", "-1", "1.5", "٣", "9" * 30, "2020-01-01", "NaN", "", "a&p=b")
]


@pytest.mark.parametrize("name", ["prompts", "images", "annotations", "runs", "scores", "reports"])
def test_a_broken_cursor_finds_nothing(as_alice, study, name):
    making.scores(study, {"early-0": True})
    for text in (*CURSORS, "\\xff"):
        cursor = base64.b64encode(text.encode()).decode()
        answer = as_alice.get(reverse(f"api-{name}", args=[study.slug]), {"cursor": cursor})
        assert answer.status_code in (200, 404), text


@pytest.mark.parametrize("within", ["1e-300", "1e-12", "0", "-1", "1e300", "nan", "1_0", "9" * 400])
def test_no_width_of_a_plan_is_too_small_to_compute_with(as_alice, study, within):
    making.labels(study, {image.key: {"ann": 1, "ben": 0} for image in study.images.all()})
    answer = as_alice.get(reverse("plan", args=[study.slug]), {"within": within})
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize(
    "text", ["1e-300", "1e400", "nan", "inf", "", "1_000", "٣", "0x1", "9" * 99]
)
def test_what_is_no_number_within_bounds_is_none(text):
    assert read_number(text) is None
    assert read_whole(text) is None


def test_numbers_are_read_with_a_point_or_a_comma():
    assert [read_number(text) for text in ("0", " 1,5 ", "-2.5e3")] == [0.0, 1.5, -2500.0]
    assert [read_whole(text) for text in ("007", "-3", "+4")] == [7, -3, 4]
    assert read_whole("11", high=10) is None and read_number("0.5", low=1) is None


@pytest.mark.parametrize(
    "text", ["[" * 60_000, "NaN", "1e999", "9" * 5000, r'"\ud800"', b"\xff", "{", str(2**64)]
)
def test_unsound_json_is_refused_in_one_place(text):
    with pytest.raises(Unsound):
        load_json(text)


@pytest.mark.parametrize(
    "error", [OperationalError("database or disk is full"), OSError(errno.ENOSPC, "No space left")]
)
@pytest.mark.parametrize("page", ["plan", "export-file", "api-reports"])
def test_a_full_disk_is_said_where_requests_are_counted(
    settings, alice, study, monkeypatch, error, page
):
    settings.DEBUG = False
    client = Client(raise_request_exception=False)
    client.force_login(alice.user)

    def full(self, *whose):
        raise error

    monkeypatch.setattr(Rate, "take", full)
    if page == "api-reports":
        answer = client.post(reverse(page, args=[study.slug]))
    else:
        more = ["labels", "csv"] if page == "export-file" else []
        answer = client.get(reverse(page, args=[study.slug, *more]))
    assert answer.status_code == 503
    assert "disk is full" in answer.text


def test_a_backup_on_a_full_disk_ends_with_a_sentence(monkeypatch, tmp_path):
    def full(file):
        raise OSError(errno.ENOSPC, "No space left on device", str(file))

    monkeypatch.setattr(backups, "back_up", full)
    with pytest.raises(CommandError, match="No space left on device.*Make room"):
        call_command("backup", str(tmp_path / "all.tar"))


def test_a_refusal_names_the_file_and_not_where_a_worker_has_it():
    error = FileNotFoundError(2, "No such file", "/tmp/tmpab12_x/unpacked/images.csv")
    assert reason_of(error) == "It failed: FileNotFoundError: [Errno 2] No such file: 'images.csv'."
    assert without_folders("and/or, https://x.org/a/b, 3/4") == "and/or, https://x.org/a/b, 3/4"
