"""`manage.py webhook STUDY set|show|test|try-again|remove`: an address that is told what happens."""

from __future__ import annotations

from django.core.management import BaseCommand, CommandError

from annotations.errors import Refused
from annotations.models import Study
from audit.models import WebhookMessage
from audit.webhooks import address, messages, send, set_up
from judges.management.imports import study_or_error

SHOWN = 20


class Command(BaseCommand):
    help = "Tell an address when a report is ready, an alarm has rung or a run has failed."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study")
        verbs = parser.add_subparsers(dest="verb", required=True)
        put = verbs.add_parser("set", help="set the address; prints the secret, this once")
        put.add_argument("address")
        verbs.add_parser("show", help="print the address and the newest messages")
        verbs.add_parser("test", help="send a message now")
        verbs.add_parser("try-again", help="messages that were given up wait again")
        verbs.add_parser("remove", help="tell nobody any more")

    def handle(self, *, study, verb, **given) -> None:
        place = study_or_error(study)
        try:
            self.stdout.write(getattr(self, f"_{verb.replace('-', '_')}")(place, given))
        except Refused as refusal:
            raise CommandError(refusal.message) from None

    def _set(self, study: Study, given: dict) -> str:
        secret = set_up.set_webhook(study=study, url=given["address"])
        return f"Set. Messages are signed with this secret, which is not shown again:\n{secret}"

    def _show(self, study: Study, given: dict) -> str:
        hook = set_up.hook_of(study)
        rows = [
            f"{m.created_at:%Y-%m-%d %H:%M} {m.event}: {m.state}{f' ({m.reason})' if m.reason else ''}"
            for m in hook.messages.all()[:SHOWN]
        ]
        parts = address.check_form(hook.address)
        return "\n".join([f"{parts.scheme}://{parts.netloc}", *(rows or ["Nothing was told yet."])])

    def _test(self, study: Study, given: dict) -> str:
        message = messages.test(set_up.hook_of(study))
        if send.send(message.pk):
            return "It arrived."
        message.refresh_from_db()
        # Nobody waits for a test.
        WebhookMessage.objects.filter(pk=message.pk).delete()
        raise Refused(f"It did not arrive. {message.reason}")

    def _try_again(self, study: Study, given: dict) -> str:
        return f"{set_up.try_again(study=study)} messages wait again."

    def _remove(self, study: Study, given: dict) -> str:
        set_up.remove_webhook(study=study)
        return "Removed."
