"""`manage.py server_use`: the requests of judges to servers, and their cost."""

from __future__ import annotations

from django.conf import settings
from django.core.management import BaseCommand

from judges.models import ServerUse


class Command(BaseCommand):
    help = "Requests, tokens and cost of the judges that ask a server, day by day."

    def handle(self, **options) -> None:
        rows = ServerUse.objects.all()
        if not rows:
            self.stdout.write("No judge has asked a server yet.")
        for row in rows:
            priced = row.cost or row.model in settings.JUDGE_PRICES
            cost = f"{row.cost:.4f}" if priced else "no price known"
            self.stdout.write(
                f"{row.day}  {row.server}  {row.model}: {row.requests} requests, "
                f"{row.tokens_in} tokens in, {row.tokens_out} out, cost {cost}"
            )
