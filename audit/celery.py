"""The worker: `celery -A audit worker` with every broker.

Messages only wake it: the work itself, and who has leased it until when, are rows in the database.
So each worker looks for forgotten work from time to time. The timer runs inside the worker: a
timer in a process of its own could die without anybody noticing.
"""

import gc
import os
import uuid
from pathlib import Path
from typing import Any

from billiard import current_process
from celery import Celery, bootsteps
from celery.signals import (
    before_task_publish,
    celeryd_after_setup,
    task_postrun,
    task_prerun,
    worker_init,
    worker_process_init,
)
from kombu.transport import TRANSPORT_ALIASES

from audit.log_context import HEADER, request_id, task_name

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "audit.settings")
# Django's own checks import every page, and a worker shows none; `manage.py check` makes them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")
# Messages as files, without kombu's weakness for broken ones.
TRANSPORT_ALIASES["filesystem"] = "audit.installation.message_files:Transport"
app = Celery("jurybox")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

# Seconds between two looks for forgotten work; it costs one query when there is none.
PERIODIC = {
    "judges.tasks.reap_task": 15,
    "audit.tasks.refresh_reports_task": 20,
    "audit.tasks.webhooks_task": 20,
    "audit.tasks.delete_expired_task": 900,
    "audit.tasks.retention_task": 600,
}


class PeriodicTasks(bootsteps.StartStopStep):
    """Starts the timers; again after each new connection to the broker, which drops them."""

    requires = frozenset({"celery.worker.consumer.tasks:Tasks"})

    def start(self, consumer) -> None:
        self.timers = [
            consumer.timer.call_repeatedly(seconds, _call, (name,), priority=10)
            for name, seconds in PERIODIC.items()
        ]

    def stop(self, consumer) -> None:
        for timer in getattr(self, "timers", ()):
            timer.cancel()


app.steps["consumer"].add(PeriodicTasks)


def _call(name: str) -> None:
    from judges.runs.wake import send

    send(app.tasks[name])


@celeryd_after_setup.connect
def hear_short_work_and_imports(instance, **kwargs) -> None:
    """A worker for reports and the rest hears mail and imports as well, unless one of them was named:
    then another worker hears the others."""
    queues = instance.app.amqp.queues
    named = set(queues.consume_from)
    if app.conf.task_default_queue in named and not named & {"mail", "imports"}:
        queues.select_add("mail")
        queues.select_add("imports")


@worker_init.connect
def share_cores(sender, **kwargs) -> None:
    """The threads of torch in each process that this worker will start, before torch is imported there:
    processes that each take a thread for every core keep one another from working. OMP_NUM_THREADS, where
    somebody has set it, stays as it is."""
    from annotations.pictures.decode_process import cores

    # Celery also knows the word “auto”: a process for each core.
    processes = sender.concurrency if isinstance(sender.concurrency, int) else cores()
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores() // processes)))


@worker_init.connect
def share_memory(**kwargs: Any) -> None:
    """What is loaded now stays as it is in all processes: the collector's marks would copy its pages."""
    gc.collect()
    gc.freeze()


@worker_process_init.connect
def take_one_gpu(**kwargs) -> None:
    """Spread the processes of a worker over the GPUs, before any library looks for one."""
    cards = gpus(os.environ.get("CUDA_VISIBLE_DEVICES"), Path("/proc/driver/nvidia/gpus"))
    if len(cards) > 1:
        turn = getattr(current_process(), "index", 0)
        os.environ["CUDA_VISIBLE_DEVICES"] = cards[turn % len(cards)]


def gpus(chosen: str | None, there: Path) -> list[str]:
    """The GPUs chosen for this worker, or else all that the driver lists."""
    if chosen is not None:
        return [card.strip() for card in chosen.split(",") if card.strip()]
    return [str(number) for number, _ in enumerate(there.iterdir())] if there.is_dir() else []


@before_task_publish.connect
def name_request(headers: dict[str, Any], **kwargs: Any) -> None:
    headers[HEADER] = request_id.get()


@task_prerun.connect
def begin_log(task_id: str = "", task: Any = None, args: Any = (), **kwargs: Any) -> None:
    """A task is named by what it works on: `judges.tasks.score_chunk_task(17)`."""
    request_id.set(task.request.get(HEADER) or uuid.uuid4().hex)
    task_name.set(f"{task.name}({', '.join(map(str, args))})#{task_id[:8]}")


@task_postrun.connect
def end_log(**kwargs: Any) -> None:
    request_id.set("")
    task_name.set("")
