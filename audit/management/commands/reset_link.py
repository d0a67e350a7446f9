"""`manage.py reset_link NAME`: a link with which this person sets a new password."""

from django.conf import settings

from annotations.management.command import PlainCommand
from annotations.studies import personal_data
from audit.accounts import reset_links
from audit.installation import own_address


class Command(PlainCommand):
    help = "Print a link that sets a new password; it works once, for a day."

    def arguments(self, add) -> None:
        add("name", "of the account")
        add("--address", "of this installation: https://…", default="")

    def handle(self, *, name, address, **options) -> str:
        address = address or own_address.default() or f"http://127.0.0.1:{settings.PORT}"
        path = reset_links.make(user=personal_data.account(name))
        return address.rstrip("/") + path
