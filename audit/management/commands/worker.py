"""`manage.py worker`: the workers, one for each kind of work."""

import signal
import time

from django.core.management import CommandError

from annotations.management.command import PlainCommand
from audit.installation import processes

# What is in hand may end; what then still runs is taken back by the next worker.
SECONDS_TO_END = 50


class Command(PlainCommand):
    help = (
        "Do the work in the background: judges, reports, imports, mail, each by a worker of its own. "
        "Needed beside `serve`."
    )

    def arguments(self, add) -> None:
        add("--queues", "judges alone for a machine with a GPU", default="")
        add("--concurrency", "processes for judges, and as many for reports", type=int, default=1)

    def handle(self, *, queues, concurrency, **options) -> None:
        if concurrency < 1:
            raise CommandError("Ask for at least one process.")
        chosen = [name for name in queues.split(",") if name] or processes.ALL_QUEUES
        if unknown := set(chosen) - set(processes.ALL_QUEUES):
            known = ", ".join(processes.ALL_QUEUES)
            raise CommandError(f"There is no queue “{sorted(unknown)[0]}”; there are {known}.")
        # SIGTERM ends them like Ctrl-C does.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        commands = processes.worker_commands(chosen, concurrency=concurrency)
        try:
            with processes.running(*commands, seconds_to_end=SECONDS_TO_END) as children:
                while all(child.poll() is None for child in children):
                    time.sleep(0.5)
                raise CommandError("A worker ended by itself; see above.")
        except KeyboardInterrupt:
            self.stdout.write("Stopped.")
