"""Starts of the project with an environment of their own, at a fifth of their price.

Most of a start is loading other people's packages. One process loads those, none of the project's own
and no settings, and then divides itself for each start: the child gets this environment and nothing
else, and all of the project is loaded in it.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What a start loads of others, as far as it needs no settings.
PACKAGES = """
    celery.app.base celery.canvas cryptography.fernet dateutil.parser dj_database_url
    django.contrib.messages django.core.management django.db.models django.forms django.http
    django.template django.utils.autoreload django.views.generic httpx numpy PIL.Image PIL.ImageFont
    rich.console segno sqlparse yaml
"""
OWN = {"annotations", "audit", "judges", "jurybox"}


class Starter:
    """Runs programs, each as in a fresh process, from the project's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._runs = folder, 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.starts"],
            cwd=ROOT,
            env={"PATH": os.environ["PATH"]},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, program: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        self._runs += 1
        output, errors = (self._folder / f"{self._runs}.{name}" for name in ("out", "err"))
        assert self._process.stdin and self._process.stdout
        print(
            json.dumps([program, environment, str(output), str(errors)]),
            file=self._process.stdin,
            flush=True,
        )
        code = int(self._process.stdout.readline())
        return subprocess.CompletedProcess(program, code, output.read_text(), errors.read_text())

    def close(self) -> None:
        self._process.communicate()


def serve_starts() -> None:
    for name in PACKAGES.split():
        importlib.import_module(name)
    assert not OWN & sys.modules.keys()
    for line in sys.stdin:
        program, environment, output, errors = json.loads(line)
        child = os.fork()
        if not child:
            _run(program, environment, output, errors)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def _run(program: str, environment: dict[str, str], output: str, errors: str) -> None:
    """Ends the process."""
    for path, descriptor in ((os.devnull, 0), (output, 1), (errors, 2)):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, descriptor)
    os.environ.clear()
    os.environ.update(environment)
    code = 0
    try:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else bool(end.code)
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    serve_starts()
