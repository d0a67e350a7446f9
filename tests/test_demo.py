"""The demo as its user starts it: processes of its own, a port, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.waiting import PATIENCE, reserve_port, wait_until

ROOT = Path(__file__).resolve().parent.parent


def status(port: int, path: str) -> int | None:
    with closing(HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return None


def left_behind(folder: Path) -> list[str]:
    """Processes that were started for this folder and still run, the demo's children too."""
    mark = f"JURYBOX_VAR={folder}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark in (process / "environ").read_bytes().split(b"\0"):
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


@pytest.mark.nightly(
    "the demo as its user starts it; test_commands.py makes the same without serving"
)
def test_the_demo_serves_judges_in_the_worker_and_stops_cleanly(tmp_path):
    port = reserve_port()
    environment = {
        **{k: v for k, v in os.environ.items() if k not in {"DATABASE_URL"}},
        "JURYBOX_VAR": str(tmp_path),
        "PORT": str(port),
        "DJANGO_SETTINGS_MODULE": "audit.settings",
    }
    environment.pop("CELERY_BROKER_URL", None)
    environment.pop("MEDIA_ROOT", None)
    command = [
        sys.executable,
        *("manage.py", "demo", "--prompts", "12", "--size", "128", "--signs", "2", "--edits"),
        "2",
    ]
    out = (tmp_path / "out").open("w+")
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=out, stderr=out, start_new_session=True
    )
    try:
        wait_until(lambda: status(port, "/healthz") == 200, "the first answer")
        assert status(port, "/login/") == 200
        assert status(port, "/studies/demo/audit/judge/") == 302
        second = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert second.returncode == 1
        assert f"Port {port} is taken" in second.stderr

        def states() -> list[str]:
            code = (
                "from judges.models import Run; import json;"
                "print(json.dumps(list(Run.objects.values_list('state', flat=True))))"
            )
            shell = [sys.executable, "manage.py", "shell", "-v0", "-c", code]
            found = subprocess.run(
                shell, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
            )
            return json.loads(found.stdout)

        wait_until(lambda: states() == ["finished"] * 8, "the end of all runs")
        # As a terminal does: Ctrl-C reaches every process of the group.
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=PATIENCE) == 0
        assert left_behind(tmp_path) == []
        out.seek(0)
        words = out.read()
        assert f"http://127.0.0.1:{port}/studies/demo/audit/" in words
        assert "log in as annotator" in words
        assert "the data is kept" in words
        started = words.partition("\nStopping")[0].splitlines()
        assert len(started) == 6, "nothing but our six lines, and no warning of a library"
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait()
        out.close()
