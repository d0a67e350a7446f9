"""`manage.py server_use`: the requests of judges to servers, and their cost."""

from django.conf import settings

from annotations.management.command import PlainCommand
from judges.models import ServerUse


class Command(PlainCommand):
    help = "Requests, tokens and cost of the judges that ask a server, day by day."

    def handle(self, **options) -> str:
        return "\n".join(map(_line, ServerUse.objects.all())) or "No judge has asked a server yet."


def _line(row: ServerUse) -> str:
    priced = row.cost or row.model in settings.JUDGE_PRICES
    cost = f"{row.cost:.4f}" if priced else "no price known"
    return (
        f"{row.day}  {row.server}  {row.model}: {row.requests} requests, "
        f"{row.tokens_in} tokens in, {row.tokens_out} out, cost {cost}"
    )
