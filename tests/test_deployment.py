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
SECRETS = (
    *("SECRET_KEY", "JUDGE_SECRET_KEY", "MODEL_SERVER_KEY"),
    *("POSTGRES_PASSWORD", "REDIS_PASSWORD"),
)
GIVEN = {"ALLOWED_HOSTS": "jury.example", **dict.fromkeys(SECRETS, KEY)}


@pytest.fixture(scope="module")
def compose() -> dict:
    return yaml.safe_load((ROOT / "compose.yaml").read_text())


def test_all_that_the_image_copies_exists():
    words = re.findall(r"^COPY (.+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    sources = [source for line in words for source in line.split()[:-1]]
    assert sources
    assert [source for source in sources if not (ROOT / source).exists()] == []


def test_the_image_finds_every_package():
    text = (ROOT / "Dockerfile").read_text()
    places = {f"/jurybox/packages/{path.parent.name}" for path in ROOT.glob("packages/*/README.md")}
    assert set(re.search(r"PYTHONPATH=(\S+)", text)[1].split(":")) == places
    assert "COPY packages packages" in text


def test_web_workers_and_judges_are_services_of_their_own(compose):
    commands = {name: service.get("command", []) for name, service in compose["services"].items()}
    assert {"web", "worker", "judge", "database", "broker", "tables"} == set(commands)
    queues = {name: words[-1] for name, words in commands.items() if "--queues" in words[-2:]}
    assert queues == {"worker": "jurybox,imports,mail"}
    assert commands["judge"][commands["judge"].index("--queues") + 1] == "judges"


def test_every_variable_of_the_recipe_is_one_that_the_settings_or_the_s3_client_read(compose):
    read = (ROOT / "audit" / "settings.py").read_text()
    names = {*compose["x-jurybox"]["environment"], *compose["services"]["judge"]["environment"]}
    assert len(names) > 10
    for name in names - {"<<"}:
        assert f'"{name}"' in read or name.startswith("AWS_"), name


def test_the_service_of_judges_is_another_user_with_limits_who_cannot_write_the_data(compose):
    judge = compose["services"]["judge"]
    added = re.findall(r"useradd .*--uid (\d+)", (ROOT / "Dockerfile").read_text())
    assert added == ["10001", "10002"]
    assert judge["user"] == "10002:10001"
    assert judge["mem_limit"] and judge["cpus"]
    assert "media:/data:ro" in judge["volumes"]


def test_only_the_service_of_judges_knows_the_key_of_the_servers_that_they_ask(compose):
    knows = [
        name
        for name, service in compose["services"].items()
        if "OPENAI_API_KEY" in service.get("environment", {})
    ]
    assert knows == ["judge"]


def test_no_container_of_ours_can_become_root_or_write_beside_the_data(compose):
    for name, service in compose["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service.get("read_only") is True or name == "database", name


def test_every_service_that_stays_has_a_limit_of_memory_and_a_probe_that_fits_it(compose):
    for name, service in compose["services"].items():
        assert service.get("mem_limit") or name == "tables", name
        # The image's probe asks the web server.
        assert "healthcheck" in service or name == "web", name


def test_the_service_that_reads_foreign_pictures_never_knows_the_key_of_sessions(compose):
    judge = compose["services"]["judge"]["environment"]
    assert judge["SECRET_KEY"].startswith("${JUDGE_SECRET_KEY:?")
    assert "${SECRET_KEY" not in str(judge)


def test_every_image_can_be_named_by_digest(compose):
    asked = (ROOT / "Makefile").read_text()
    for variable, image in re.findall(r"\$\{([A-Z]+_IMAGE):-([a-z0-9:.-]+)\}", str(compose)):
        assert variable == "JURYBOX_IMAGE" or f"{variable}={image}" in asked, variable
    assert "ARG PYTHON_IMAGE=python:3.11-slim-bookworm" in (ROOT / "Dockerfile").read_text()


def test_make_digests_prints_lines_for_the_env_file(tmp_path):
    docker = tmp_path / "docker"
    docker.write_text(
        '#!/bin/sh\n[ "$1 $2 $3" = "buildx imagetools inspect" ] && echo sha256:0a1b\n'
    )
    docker.chmod(0o755)
    done = subprocess.run(
        ["make", "--no-print-directory", "digests"],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == [
        "PYTHON_IMAGE=python:3.11-slim-bookworm@sha256:0a1b",
        "POSTGRES_IMAGE=postgres:15@sha256:0a1b",
        "REDIS_IMAGE=redis:7@sha256:0a1b",
    ]


def test_only_this_machine_reaches_the_port(compose):
    assert compose["services"]["web"]["ports"] == ["127.0.0.1:8000:8000"]


def test_no_secret_has_a_default(compose):
    text = (ROOT / "compose.yaml").read_text()
    for name in SECRETS:
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
        " for h in ('127.0.0.1', 'jury.example')))"
    )
    ended = start(tmp_path, code, ALLOWED_HOSTS="jury.example", SECRET_KEY=KEY)
    assert ended.stdout.split() == ["200", "200"], ended.stderr
