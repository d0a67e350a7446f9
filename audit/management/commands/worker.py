"""`manage.py worker`: the worker, as `celery --app audit worker` starts it."""

from __future__ import annotations

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from audit.celery import app


class Command(BaseCommand):
    help = "Do the work in the background: judges, reports, imports. One is needed beside `serve`."

    def add_arguments(self, parser) -> None:
        queues = f"{settings.CELERY_TASK_DEFAULT_QUEUE},judges"
        parser.add_argument(
            "--queues", default=queues, help="judges alone for a machine with a GPU"
        )
        parser.add_argument("--concurrency", type=int, default=2, help="processes at a time")

    def handle(self, *, queues, concurrency, **options) -> None:
        if concurrency < 1:
            raise CommandError("Ask for at least one process.")
        if unknown := set(queues.split(",")) - {settings.CELERY_TASK_DEFAULT_QUEUE, "judges"}:
            known = f"{settings.CELERY_TASK_DEFAULT_QUEUE} and judges"
            raise CommandError(f"There is no queue “{sorted(unknown)[0]}”; there are {known}.")
        app.worker_main(
            [
                *("--quiet", "worker", "--queues", queues, "--concurrency", str(concurrency)),
                *("--loglevel", "WARNING", "--without-gossip", "--without-mingle"),
            ]
        )
