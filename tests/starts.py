"""Starts of the project with an environment of their own, at a third of their price.

Most of a start is loading other people's packages. One process loads those, none of the project's own
and no settings, and then divides itself for each start: the child gets this environment and nothing
else, and all of the project is loaded in it.
"""

from __future__ import annotations

import atexit
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
# What a start loads of others, as far as it needs no settings.
PACKAGES = """
    celery.app.base celery.canvas cryptography.fernet dateutil.parser dj_database_url
    django.contrib.messages django.core.management django.db.models django.forms django.http
    django.template django.utils.autoreload django.views.generic httpx numpy PIL.Image PIL.ImageFont
    rich.console segno sqlparse yaml
"""
OWN = {
    *("annotations", "audit", "judges", "jurybox", "jurybox_formats", "jurybox_judging"),
    "jurybox_stats",
}


def run_program(program: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """As `python -c PROGRAM` from the project's folder. Several may run at once."""
    with tempfile.TemporaryDirectory() as folder:
        output, errors, code = (Path(folder) / name for name in ("out", "err", "code"))
        os.mkfifo(code)
        request = json.dumps([program, environment, *map(str, (output, errors, code))])
        stream = _server().stdin
        assert stream is not None
        stream.write(f"{request}\n")
        stream.flush()
        ended = int(code.read_text())
        return subprocess.CompletedProcess(program, ended, output.read_text(), errors.read_text())


@cache
def _server() -> subprocess.Popen[str]:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.starts"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    # It ends with the other end of its pipe.
    atexit.register(server.communicate)
    assert server.stdout is not None
    assert server.stdout.readline() == "ready\n"
    return server


def serve() -> None:
    for name in PACKAGES.split():
        importlib.import_module(name)
    assert not OWN & sys.modules.keys()
    # Nobody waits here for those that wait for a program.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    for line in sys.stdin:
        if not os.fork():
            _start_and_wait(*json.loads(line))
            return


def _start_and_wait(
    program: str, environment: dict[str, str], output: str, errors: str, code: str
) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if not (child := os.fork()):
        _run(program, environment, output, errors)
        return
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    Path(code).write_text(str(ended))
    os._exit(0)


def _run(program: str, environment: dict[str, str], output: str, errors: str) -> None:
    for path, descriptor in ((os.devnull, 0), (output, 1), (errors, 2)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), descriptor)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["-c"]
    sys.modules["__main__"] = main = ModuleType("__main__")
    exec(compile(program, "<string>", "exec"), main.__dict__)  # noqa: S102


if __name__ == "__main__":
    serve()
