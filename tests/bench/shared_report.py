"""A large report by one worker process and by several:
`python -m tests.bench.shared_report IMAGES PROMPTS WORKERS [WORKERS …]` prints one line for each number.

Real workers, messages as files, SQLite as everybody has it. Measured is the wall time from asking for the
report of five judges until it is stored; every report must have the digits of the one that this process
computes alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tests.bench.whole_report import build

PATIENCE = 1800  # seconds
FOR_EACH = 4  # messages that make each process load what reports need


def main() -> None:
    images, prompts, *workers = map(int, sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="jurybox-bench-") as folder:
        os.environ |= {
            "JURYBOX_VAR": folder,
            "DATABASE_URL": f"sqlite:///{folder}/bench.sqlite3",
            "CELERY_BROKER_URL": "filesystem://",
            "DJANGO_SETTINGS_MODULE": "audit.settings",
        }
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        for found in measure(images, prompts, workers):
            print(json.dumps(found), flush=True)


def measure(images: int, prompts: int, workers: list[int]) -> Iterator[dict[str, Any]]:
    from audit.models import Report, ReportPart
    from audit.reports import make as reports

    study = build(images, prompts)
    # While there is one, no worker makes another by itself.
    alone = reports.make_report(study=study).body
    first = None
    for processes in workers:
        with worker_processes(processes):
            wall = asked_for(study)
        parts = ReportPart.objects.filter(study=study)
        found = {
            "images": images,
            "prompts": prompts,
            "workers": processes,
            "wall": wall,
            "parts": parts.count(),
            "same digits": Report.objects.get().body == alone,
        }
        first = first or wall
        yield found | {"times as quick": first / wall}


def asked_for(study: Any) -> float:
    """Seconds until the report is there."""
    from annotations.models import StoredAnswer
    from audit.models import Report, ReportPart
    from audit.questions.report.question import request_report

    Report.objects.all().delete()
    ReportPart.objects.all().delete()
    StoredAnswer.objects.all().delete()
    began = time.perf_counter()
    request_report(study, {})
    while not StoredAnswer.objects.filter(
        study=study, question="report", job__state="done"
    ).exists():
        assert time.perf_counter() - began < PATIENCE
        time.sleep(0.02)
    wall = time.perf_counter() - began
    assert Report.objects.filter(study=study).exists()
    return wall


@contextmanager
def worker_processes(count: int) -> Iterator[None]:
    """Which have loaded everything already."""
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "celery",
        "--app",
        "audit",
        "--quiet",
        "worker",
    ]
    command += ["--queues", "jurybox", "--concurrency", str(count)]
    command += ["--without-gossip", "--without-mingle", "--loglevel", "ERROR"]
    worker = subprocess.Popen(command, start_new_session=True)
    try:
        load_everything(FOR_EACH * count)
        yield
    finally:
        # The whole group: its children would live on.
        with suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()


def load_everything(messages: int) -> None:
    from annotations.models import StoredAnswer
    from annotations.stored_answers.question import NoParameters
    from annotations.stored_answers.store import request_answer
    from audit import tasks
    from audit.questions.agreement.question import AGREEMENT
    from tests import making

    for _ in range(messages):
        tasks.help_with_report_task.delay(0)
    # Messages are taken in their order: once this is made, they are done.
    small = making.study(f"small-{time.monotonic_ns()}", files=False)
    row = request_answer(AGREEMENT, small, NoParameters())
    while not StoredAnswer.objects.filter(pk=row.pk, job__state="done"):
        time.sleep(0.05)
    small.delete()


if __name__ == "__main__":
    main()
