"""Setting, changing and removing a study's webhook."""

from __future__ import annotations

import secrets

from django.db import transaction
from django.utils import timezone

from annotations import event_log
from annotations.errors import Refused
from annotations.models import Study
from audit.models import Report, Webhook, WebhookMessage
from audit.webhooks import address
from audit.webhooks.send import KIND, secret_of


@transaction.atomic
def set_webhook(*, study: Study, url: str) -> str:
    """The secret, which is shown this once. Another address has another secret, and what waited for
    the old one is not sent to it."""
    target = address.resolved(url)
    WebhookMessage.objects.filter(study=study).delete()
    Webhook.objects.filter(study=study).delete()
    newest = Report.objects.filter(study=study).order_by("-pk").values_list("pk", flat=True).first()
    hook = Webhook.objects.create(
        study=study,
        address=url,
        salt=secrets.token_hex(16),
        since=timezone.now(),
        last_report=newest or 0,
    )
    event_log.note(study, "webhook", f"set a webhook to {target.name}")
    return secret_of(hook)


@transaction.atomic
def remove_webhook(*, study: Study) -> None:
    hook = hook_of(study)
    hook.messages.delete()
    hook.delete()
    event_log.note(study, "webhook", "removed the webhook")


def try_again(*, study: Study) -> int:
    """Messages that were given up wait again; how many."""
    given_up = hook_of(study).messages.filter(state=WebhookMessage.State.GIVEN_UP)
    return sum(KIND.try_again(message.pk) for message in given_up)


def hook_of(study: Study) -> Webhook:
    hook = Webhook.objects.filter(study=study).first()
    if hook is None:
        raise Refused(f"“{study.slug}” has no webhook.")
    return hook
