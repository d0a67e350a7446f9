"""What a machine may lack: a test that needs it is skipped with the reason, and fails where the
environment says that it is required (`JURYBOX_REQUIRE="browser nginx postgres redis"` in CI)."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

POSTGRES_URL = os.environ.get("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres")
REDIS_URL = os.environ.get("TEST_REDIS_URL", "redis://127.0.0.1:6379/9")
RABBITMQ_URL = os.environ.get("TEST_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672//")
# The same engine without windows and their own pages: a third of the processor time of the whole.
BROWSERS = (Path("/usr/bin/chromium-headless-shell"), Path("/usr/bin/chromium"))
CHROMIUM = Path(os.environ.get("TEST_CHROMIUM") or next(filter(Path.exists, BROWSERS), BROWSERS[0]))
SHARED = Path(__file__).resolve().parents[2] / "shared"


def needed(part: str, there: bool, reason: str) -> None:
    if there:
        return
    if part in os.environ.get("JURYBOX_REQUIRE", "").split():
        pytest.fail(f"{reason} It is required here.")
    pytest.skip(reason)


def answers(url: str) -> bool:
    """Whether a server listens at the address of this URL."""
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname, parts.port), timeout=60):
            return True
    except OSError:
        return False


def browser() -> Path:
    needed("browser", CHROMIUM.exists(), f"There is no Chromium at {CHROMIUM}.")
    return CHROMIUM


def nginx() -> str:
    found = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    needed("nginx", found is not None, "There is no nginx here.")
    return found or ""


def pgbouncer() -> str:
    found = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
    needed("pgbouncer", found is not None, "There is no PgBouncer here.")
    return found or ""


def redis() -> str:
    needed("redis", answers(REDIS_URL), f"No Redis answers at {REDIS_URL}.")
    return REDIS_URL


def rabbitmq() -> str:
    needed("rabbitmq", answers(RABBITMQ_URL), "No RabbitMQ answers.")
    return RABBITMQ_URL


def postgres() -> str:
    needed("postgres", answers(POSTGRES_URL), f"No PostgreSQL answers at {POSTGRES_URL}.")
    return POSTGRES_URL


def shared(path: str) -> Path:
    """A file in an official format; they lie beside the project, since their licences differ."""
    found = SHARED / "data" / path
    needed("shared", found.exists(), f"There is no {path} beside the project.")
    return found
