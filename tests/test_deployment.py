"""The recipe for several machines names what exists and what the settings read."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.audit.test_settings import KEY, start

ROOT = Path(__file__).resolve().parent.parent
GIVEN = {"SECRET_KEY": KEY, "ALLOWED_HOSTS": "jury.example", "POSTGRES_PASSWORD": "quiet-river"}


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_all_that_the_image_copies_exists():
    words = re.findall(r"^COPY (.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    sources = [source for line in words for source in line.split()[:-1]]
    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_web_workers_and_judges_are_services_of_their_own(compose):
    commands = {name: service.get("command", []) for name, service in compose["services"].items()}
    assert {"web", "worker", "judge", "database", "broker", "tables"} == set(commands)
    queues = {name: words[-1] for name, words in commands.items() if "--queues" in words[-2:]}
    assert queues == {"worker": "jurybox"}
    assert commands["judge"][commands["judge"].index("--queues") + 1] == "judges"


def test_every_variable_of_the_recipe_is_one_that_the_settings_read(compose):
    read = (ROOT / "audit" / "settings.py").read_text()
    for name in compose["x-jurybox"]["environment"]:
        assert f'"{name}"' in read, name


def test_only_this_machine_reaches_the_port(compose):
    assert compose["services"]["web"]["ports"] == ["127.0.0.1:8000:8000"]


def test_no_secret_has_a_default(compose):
    text = (ROOT / "compose.yaml").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD"):
        assert re.findall(rf"\$\{{{name}(..)", text) == [":?"] * text.count(f"${{{name}"), name


@pytest.mark.skipif(shutil.which("docker-compose") is None, reason="docker-compose is not here")
def test_compose_itself_finds_nothing_wrong():
    command = ["docker-compose", "-f", "compose.yaml", "config", "--quiet"]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **GIVEN}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_probes_of_the_machine_itself_are_answered_in_production(tmp_path):
    code = (
        "from django.test import Client; c = Client();"
        "print(*(c.get('/healthz', headers={'host': h}).status_code"
        " for h in ('127.0.0.1', 'jury.example', 'evil.example')))"
    )
    ended = start(tmp_path, code, ALLOWED_HOSTS="jury.example", SECRET_KEY=KEY)
    assert ended.stdout.split() == ["200", "200", "400"], ended.stderr
