"""`manage.py reset_link NAME`: a link with which this person sets a new password."""

from __future__ import annotations

from django.conf import settings
from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.studies import personal_data
from audit.accounts import reset_links
from audit.installation import own_address


class Command(BaseCommand):
    help = "Print a link that sets a new password; it works once, for a day."

    def add_arguments(self, parser) -> None:
        parser.add_argument("name", help="of the account")
        parser.add_argument("--address", default="", help="of this installation: https://…")

    def handle(self, *, name, address, **options) -> None:
        address = address or own_address.default() or f"http://127.0.0.1:{settings.PORT}"
        try:
            path = reset_links.make(user=personal_data.account(name))
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(address.rstrip("/") + path)
