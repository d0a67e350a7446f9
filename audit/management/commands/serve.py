"""`manage.py serve`: the web server, for one machine or one container."""

import os

from django.conf import settings
from django.core.management import CommandError
from django.db import DatabaseError, connections

from annotations.management.command import PlainCommand
from audit.accounts import first_account
from audit.installation import lasting_disk, web_server


class Command(PlainCommand):
    help = "Answer requests. Reachable from this machine only, unless --host says otherwise."

    def arguments(self, add) -> None:
        add("--host", default="127.0.0.1")
        add("--port", type=int, default=settings.PORT)
        add("--processes", "about one for each core", type=int, default=2)
        add("--threads", "in each process", type=int, default=4)

    def handle(self, *, host, port, processes, threads, **options) -> None:
        if processes < 1 or threads < 1:
            raise CommandError("Ask for at least one process and one thread.")
        if refusal := lasting_disk.refusal():
            raise CommandError(refusal)
        self._tell_of_the_first_account(host, port)
        try:
            web_server.serve(host=host, port=port, processes=processes, threads=threads)
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise CommandError(f"Port {port} cannot be used: {reason}.") from error

    def _tell_of_the_first_account(self, host: str, port: int) -> None:
        try:
            none_yet = first_account.none_yet()
        except DatabaseError:
            return  # `doctor` says what is wrong with it
        finally:
            connections.close_all()
        if none_yet:
            self.stdout.write(
                f"Nobody has an account here yet. Make the first one at http://{host}:{port}/ – from "
                f"another machine, the page asks for this code: {first_account.code()}"
            )
            self.stdout.flush()
