"""The workers of `manage.py worker`: copies of one process that has imported everything, so that what is
loaded is shared by all of them."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import connections

from audit.installation.processes import end_all

REPORTS = settings.CELERY_TASK_DEFAULT_QUEUE
# Each kind of work has a worker of its own, so that none waits for another.
ALL_QUEUES = (REPORTS, "imports", "judges", "mail")
# Celery's warning to those who run a worker as root; what runs here ends with its terminal.
AS_ROOT = "You're running the worker with superuser"


@dataclass(frozen=True, slots=True)
class Work:
    name: str
    queues: tuple[str, ...]
    processes: int
    pool: str


def work_of(queue: str, *, concurrency: int = 1) -> Work:
    """`concurrency`: processes for reports, and for judges. One import at a time; mail is short."""
    # Named beside reports, mail keeps this worker from hearing all other queues (`audit.celery`).
    queues = (queue, "mail") if queue == REPORTS else (queue,)
    processes = concurrency if queue in {REPORTS, "judges"} else 1
    return Work(queue, queues, processes, "solo" if queue == "mail" else "prefork")


class Worker:
    """A worker of Celery, forked from this process."""

    def __init__(self, work: Work) -> None:
        fork = multiprocessing.get_context("fork")
        self._process = fork.Process(target=_run, args=(work,))
        self._process.start()

    @property
    def pid(self) -> int:
        return self._process.pid or 0

    def poll(self) -> int | None:
        return self._process.exitcode

    def terminate(self) -> None:
        self._process.terminate()

    def wait(self, timeout: float | None = None) -> None:
        self._process.join(timeout)
        if timeout is not None and self._process.exitcode is None:
            raise subprocess.TimeoutExpired("worker", timeout)


@contextmanager
def running_workers(works: Sequence[Work], *, seconds_to_end: float) -> Iterator[list[Worker]]:
    _import_everything()
    connections.close_all()
    # The collector's marks would copy the pages that are shared.
    gc.collect()
    gc.freeze()
    workers: list[Worker] = []
    try:
        workers += map(Worker, works)
        yield workers
    finally:
        end_all(workers, seconds_to_end)


def _import_everything() -> None:
    from celery.concurrency import get_implementation

    from audit.celery import app

    app.loader.import_default_modules()
    _ = app.Worker, app.connection_for_read().transport_cls
    for pool in ("prefork", "solo"):
        get_implementation(pool)
    import celery.worker.components
    import celery.worker.consumer
    import celery.worker.loops  # noqa: F401


def _run(work: Work) -> None:
    """Celery's own command would load a prompt and a shell with it, in each worker."""
    from audit.celery import app

    # A session of its own: Ctrl-C comes to the parent alone, which ends its workers in order.
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    warnings.filterwarnings("ignore", AS_ROOT)
    worker = app.Worker(
        hostname=f"{work.name}@%h",
        queues=work.queues,
        concurrency=work.processes,
        pool_cls=work.pool,
        loglevel="WARNING",
        quiet=True,
        without_gossip=True,
        without_mingle=True,
    )
    worker.start()
    sys.exit(worker.exitcode)
