"""What is wrong with an installation is said part by part; what people need decides /readyz."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.utils import timezone

from audit.installation import health
from judges.models import Run
from judges.runs import lifecycle

pytestmark = pytest.mark.django_db


def finding(part: str) -> health.Finding:
    (found,) = [f for f in health.everything() if f.part == part]
    return found


def test_a_sound_installation_is_ready(client):
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.text == "database: well\nmigrations: well\nimages: well\n"


def test_without_its_database_it_is_alive_but_not_ready(client, monkeypatch):
    def gone():
        raise DatabaseError("could not connect to server at 10.1.2.3")

    gone.__name__ = "database"
    monkeypatch.setattr(health, "database", gone)
    assert client.get("/healthz").status_code == 200
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert "database: broken" in answer.text
    assert "10.1.2.3" not in answer.text  # a stranger learns nothing of the inside


def test_images_that_cannot_be_written_are_found(settings, tmp_path):
    (tmp_path / "file").write_text("no folder")
    settings.MEDIA_ROOT = tmp_path / "file"
    found = finding("images")
    assert found.state == "broken"
    assert "none can be imported" in found.words


def test_a_bucket_that_does_not_answer_is_found(settings, monkeypatch):
    def unreachable(name, content):
        raise OSError("no route to the bucket")

    settings.MEDIA_BUCKET = {"bucket_name": "pictures"}
    monkeypatch.setattr(health.default_storage, "save", unreachable)
    found = finding("images")
    assert found.state == "broken"
    assert "no route to the bucket" in found.words


def test_a_nearly_full_disk_is_named_before_it_is_full(monkeypatch):
    monkeypatch.setattr(health.shutil, "disk_usage", lambda path: _Usage(1024**3))
    found = health.disk()
    assert (found.state, found.words[:17]) == ("look", "Only 1.0 GiB free")


class _Usage:
    def __init__(self, free: int) -> None:
        self.free = free


def test_a_broker_that_is_away_is_a_sentence(settings, monkeypatch):
    from audit.celery import app

    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    monkeypatch.setattr(
        app, "connection_for_write", lambda: _connection("redis://127.0.0.1:1/0"), raising=True
    )
    found = finding("broker")
    assert found.state == "broken"


def _connection(url: str):
    from kombu import Connection

    return Connection(url)


def test_work_that_nobody_takes_is_named_with_the_command_that_helps(study):
    run = lifecycle.start_run(study=study, name="geneval-builtin")
    assert finding("workers").state == "well"  # started just now
    Run.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(minutes=3))
    found = finding("workers")
    assert found.state == "broken"
    assert "celery --app audit worker" in found.words


def test_a_time_zone_with_summer_is_named(settings):
    settings.TIME_ZONE = "Europe/Berlin"
    assert health.clock().state == "look"


def test_the_doctor_prints_one_line_a_part(capsys):
    call_command("doctor")
    lines = capsys.readouterr().out.splitlines()
    # Below a part stand the requests that broke.
    assert sum(not line.startswith("    ") for line in lines) == len(health.everything())
    assert lines[0].startswith("· database")


def test_the_doctor_fails_when_a_part_is_broken(settings, tmp_path, capsys):
    (tmp_path / "file").write_text("no folder")
    settings.MEDIA_ROOT = tmp_path / "file"
    with pytest.raises(CommandError, match="Broken: images"):
        call_command("doctor", "--json")
    told = json.loads(capsys.readouterr().out)
    assert [f["state"] for f in told if f["part"] == "images"] == ["broken"]
