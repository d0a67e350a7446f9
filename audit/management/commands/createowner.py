"""`manage.py createowner NAME`: the first account of an installation, which owns what is imported."""

import getpass
import sys

from django.core.management import CommandError

from annotations.management.command import PlainCommand
from audit.accounts import first_account


class Command(PlainCommand):
    help = "Make an account that runs this installation; studies imported here belong to it."

    def arguments(self, add) -> None:
        add("name", "what this person types to log in", nargs="?")
        add("--email", "for resets of the password", default="")
        add.flag("--password-stdin", "read the password from standard input, for scripts")
        code = "print the code that the page of the first account asks for, and make nothing"
        add.flag("--code", code)

    def handle(self, *, name, email, password_stdin, code, **options) -> str:
        if code:
            if not first_account.none_yet():
                raise CommandError("There is an account already; no code makes another one.")
            return first_account.code()
        if not name:
            raise CommandError("Give a name: manage.py createowner NAME")
        password = sys.stdin.readline().rstrip("\n") if password_stdin else _ask_password()
        first_account.make(name=name, password=password, email=email)
        return f"“{name}” can log in now. Import a study: manage.py import_study …"


def _ask_password() -> str:
    password = getpass.getpass("Password: ")
    if getpass.getpass("The same again: ") != password:
        raise CommandError("The two passwords differ; nothing was made.")
    return password
