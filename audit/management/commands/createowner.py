"""`manage.py createowner NAME`: the first account of an installation, which owns what is imported."""

from __future__ import annotations

import getpass
import sys

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from audit.accounts import first_account


class Command(BaseCommand):
    help = "Make an account that runs this installation; studies imported here belong to it."

    def add_arguments(self, parser) -> None:
        parser.add_argument("name", nargs="?", help="what this person types to log in")
        parser.add_argument("--email", default="", help="for resets of the password")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password from standard input, for scripts",
        )
        parser.add_argument(
            "--code",
            action="store_true",
            help="print the code that the page of the first account asks for, and make nothing",
        )

    def handle(self, *, name, email, password_stdin, code, **options) -> None:
        if code:
            if not first_account.none_yet():
                raise CommandError("There is an account already; no code makes another one.")
            self.stdout.write(first_account.code())
            return
        if not name:
            raise CommandError("Give a name: manage.py createowner NAME")
        password = sys.stdin.readline().rstrip("\n") if password_stdin else _asked()
        try:
            first_account.make(name=name, password=password, email=email)
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(f"“{name}” can log in now. Import a study: manage.py import_study …")


def _asked() -> str:
    password = getpass.getpass("Password: ")
    if getpass.getpass("The same again: ") != password:
        raise CommandError("The two passwords differ; nothing was made.")
    return password
