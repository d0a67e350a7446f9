"""`manage.py webhook STUDY set|show|test|try-again|remove`: an address that hears what happens."""

from annotations.errors import Refused
from annotations.jobs import run
from annotations.management.command import StudyCommand
from audit.models import WebhookMessage
from audit.webhooks import address, messages, set_up

SHOWN = 20
STATES = {"working": "sending", "done": "sent"}


class Command(StudyCommand):
    help = "Tell an address when a report is ready, an alarm has rung or a run has failed."

    def arguments(self, add) -> None:
        add.verb("set", "set the address; prints the secret, this once")("address")
        add.verb("show", "print the address and the newest messages")
        add.verb("test", "send a message now")
        add.verb("try-again", "messages that were given up wait again")
        add.verb("remove", "tell nobody any more")

    def _set(self, study, given: dict) -> str:
        secret = set_up.set_webhook(study=study, url=given["address"])
        return f"Set. Messages are signed with this secret, which is not shown again:\n{secret}"

    def _show(self, study, given: dict) -> str:
        hook = set_up.hook_of(study)
        rows = [
            f"{m.created_at:%Y-%m-%d %H:%M} {m.event}: {STATES.get(m.state, m.state)}{f' ({m.reason})' if m.reason else ''}"
            for m in hook.messages.all()[:SHOWN]
        ]
        parts = address.check_form(hook.address)
        return "\n".join([f"{parts.scheme}://{parts.netloc}", *(rows or ["Nothing was told yet."])])

    def _test(self, study, given: dict) -> str:
        message = messages.test(set_up.hook_of(study))
        if run(message.pk):
            return "It arrived."
        message.refresh_from_db()
        # Nobody waits for a test.
        WebhookMessage.objects.filter(pk=message.pk).delete()
        raise Refused(f"It did not arrive. {message.reason}")

    def _try_again(self, study, given: dict) -> str:
        return f"{set_up.try_again(study=study)} messages wait again."

    def _remove(self, study, given: dict) -> str:
        set_up.remove_webhook(study=study)
        return "Removed."
