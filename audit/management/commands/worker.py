"""`manage.py worker`: the worker, as `celery --app audit worker` starts it."""

from django.conf import settings
from django.core.management import CommandError

from annotations.management.command import PlainCommand
from audit.celery import app


class Command(PlainCommand):
    help = "Do the work in the background: judges, reports, imports. One is needed beside `serve`."

    def arguments(self, add) -> None:
        queues = f"{settings.CELERY_TASK_DEFAULT_QUEUE},judges"
        add("--queues", "judges alone for a machine with a GPU", default=queues)
        add("--concurrency", "processes at a time", type=int, default=2)

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
