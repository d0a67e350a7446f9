"""`manage.py worker`: the workers, one for each kind of work."""

import signal
import time

from django.core.management import CommandError

from annotations.management.command import PlainCommand
from audit.installation.processes import workers


class Command(PlainCommand):
    help = (
        "Do the work in the background: judges, reports, imports, mail, each by a worker of its own. "
        "Needed beside `serve`."
    )

    def arguments(self, add) -> None:
        add("--queues", "judges alone for a machine with a GPU", default="")
        add("--concurrency", "processes for judges, and as many for reports", type=int, default=1)
        add(
            "--seconds-to-end",
            "for what is in hand when it is stopped; the next worker takes back the rest",
            type=float,
            default=50,
        )

    def handle(self, *, queues, concurrency, seconds_to_end, **options) -> None:
        if concurrency < 1:
            raise CommandError("Ask for at least one process.")
        chosen = [name for name in queues.split(",") if name] or workers.ALL_QUEUES
        if unknown := set(chosen) - set(workers.ALL_QUEUES):
            known = ", ".join(workers.ALL_QUEUES)
            raise CommandError(f"There is no queue “{sorted(unknown)[0]}”; there are {known}.")
        # SIGTERM ends them like Ctrl-C does.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        works = [workers.work_of(queue, concurrency=concurrency) for queue in chosen]
        try:
            with workers.running_workers(works, seconds_to_end=seconds_to_end) as started:
                while all(worker.poll() is None for worker in started):
                    time.sleep(0.5)
                raise CommandError("A worker ended by itself; see above.")
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
