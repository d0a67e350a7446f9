"""`manage.py worker`: the worker, as `celery --app audit worker` starts it."""

from django.core.management import CommandError

from annotations.management.command import PlainCommand
from audit.celery import app
from audit.installation.processes import ALL_QUEUES, QUEUES, worker_arguments


class Command(PlainCommand):
    help = "Do the work in the background: judges, reports, imports. One is needed beside `serve`."

    def arguments(self, add) -> None:
        add("--queues", "judges alone for a machine with a GPU", default=QUEUES)
        add("--concurrency", "processes at a time", type=int, default=2)

    def handle(self, *, queues, concurrency, **options) -> None:
        if concurrency < 1:
            raise CommandError("Ask for at least one process.")
        if unknown := set(queues.split(",")) - set(ALL_QUEUES.split(",")):
            known = ALL_QUEUES.replace(",", ", ")
            raise CommandError(f"There is no queue “{sorted(unknown)[0]}”; there are {known}.")
        app.worker_main(worker_arguments(queues, concurrency))
