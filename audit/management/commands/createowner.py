"""`manage.py createowner NAME`: the first account of an installation, which owns what is imported."""

from __future__ import annotations

import getpass
import sys

from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.management import BaseCommand, CommandError
from django.db import IntegrityError, transaction


class Command(BaseCommand):
    help = "Make an account that runs this installation; studies imported here belong to it."

    def add_arguments(self, parser) -> None:
        parser.add_argument("name", help="what this person types to log in")
        parser.add_argument(
            "--password-stdin",
            action="store_true",
            help="read the password from standard input, for scripts",
        )

    def handle(self, *, name, password_stdin, **options) -> None:
        user = User(username=name, is_staff=True, is_superuser=True)
        password = sys.stdin.readline().rstrip("\n") if password_stdin else _asked()
        try:
            user.clean_fields(exclude=["password"])
            validate_password(password, user)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        user.set_password(password)
        try:
            with transaction.atomic():
                user.save()
        except IntegrityError:
            raise CommandError(f"There is an account “{name}” already.") from None
        self.stdout.write(f"“{name}” can log in now. Import a study: manage.py import_study …")


def _asked() -> str:
    password = getpass.getpass("Password: ")
    if getpass.getpass("The same again: ") != password:
        raise CommandError("The two passwords differ; nothing was made.")
    return password
