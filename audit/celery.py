"""The worker: `celery -A audit worker` with every broker.

Messages only wake it. What has to be done, and who holds it until when, are rows in the database;
so each worker looks round for forgotten work from time to time. That clock is part of the worker
itself: a clock that is a process of its own can die alone, and nobody would notice.
"""

import os
from pathlib import Path

from billiard import current_process
from celery import Celery, bootsteps
from celery.signals import worker_process_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
app = Celery("jurybox")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Seconds between two looks. Several workers look more often; it costs a query when all is well.
LOOK_ROUND = {"judges.tasks.reap_task": 15, "audit.tasks.refresh_reports_task": 20}


class LookRound(bootsteps.StartStopStep):
    """Started again with every new connection to the broker, which forgets all timers."""

    requires = frozenset({"celery.worker.consumer.tasks:Tasks"})

    def start(self, consumer) -> None:
        self.timers = [
            consumer.timer.call_repeatedly(seconds, _call, (name,), priority=10)
            for name, seconds in LOOK_ROUND.items()
        ]

    def stop(self, consumer) -> None:
        for timer in getattr(self, "timers", ()):
            timer.cancel()


app.steps["consumer"].add(LookRound)


def _call(name: str) -> None:
    from judges.runs.wake import send

    send(app.tasks[name])


@worker_process_init.connect
def take_one_gpu(**kwargs) -> None:
    """The processes of a worker take turns at the machine's GPUs, before anything looks for one."""
    cards = gpus(os.environ.get("CUDA_VISIBLE_DEVICES"), Path("/proc/driver/nvidia/gpus"))
    if len(cards) > 1:
        turn = getattr(current_process(), "index", 0)
        os.environ["CUDA_VISIBLE_DEVICES"] = cards[turn % len(cards)]


def gpus(chosen: str | None, there: Path) -> list[str]:
    """Those that were chosen for this worker, or else all that the driver tells of."""
    if chosen is not None:
        return [card.strip() for card in chosen.split(",") if card.strip()]
    return [str(number) for number, _ in enumerate(there.iterdir())] if there.is_dir() else []
