"""`manage.py person tell|erase NAME`: one account's data as JSON, or the account taken out."""

from __future__ import annotations

import json

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.studies import personal_data


class Command(BaseCommand):
    help = "Tell all that is kept about an account, or erase who it was; the answers stay."

    def add_arguments(self, parser) -> None:
        parser.add_argument("verb", choices=["tell", "erase"])
        parser.add_argument("name", help="the account's name")

    def handle(self, *, verb, name, **options) -> None:
        try:
            user = personal_data.account(name)
            if verb == "tell":
                words = json.dumps(
                    personal_data.everything_kept(user), ensure_ascii=False, indent=2
                )
            else:
                kept = personal_data.erase(user)
                words = f"“{name}” is erased."
                if kept:
                    words += f" Their answers stay under {', '.join(kept)}."
        except Refused as refusal:
            raise CommandError(refusal.message) from None
        self.stdout.write(words)
