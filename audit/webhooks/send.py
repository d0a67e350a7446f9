"""Messages on their way: signed, sent once at a time, tried again ever later, and given up.

`Jurybox-Signature: t=1764000000,v1=…`, where v1 is the hexadecimal HMAC-SHA256 of `t`, a full stop and
the body, with the webhook's secret. Whoever receives it compares both, and the time with their clock.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import time
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotations import event_log
from annotations.database.leases import TRIES
from annotations.errors import Refused
from annotations.jobs import JobKind, LeaseLost, Progress, TryLater
from audit.models import Webhook, WebhookMessage
from audit.webhooks import address
from audit.webhooks.address import Target
from audit.webhooks.messages import EXPIRED, FAILED

Body = dict[str, Any]


State = WebhookMessage.State
# After each try in vain.
RESTS = (60, 300, 1_800, 7_200, 7_200)
SECONDS = 10.0
# Of what was sent or given up; older ones are in the event log.
KEPT = timedelta(days=30)

# Its line for each request would hold the path, which may be a secret.
logging.getLogger("httpx").setLevel(logging.WARNING)


def secret_of(hook: Webhook) -> str:
    """Made of SECRET_KEY and the row's salt, so that neither of them alone gives it away."""
    words = f"webhook {hook.pk} {hook.salt}".encode()
    return "whsec_" + hmac.new(settings.SECRET_KEY.encode(), words, hashlib.sha256).hexdigest()


def signature(secret: str, body: bytes, at: int) -> str:
    signed = f"{at}.".encode() + body
    return f"t={at},v1={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}"


def forget_old() -> None:
    over = WebhookMessage.objects.filter(state__in=[State.DONE, State.GIVEN_UP])
    # Those of runs and of cards stay: they say what was sent.
    old = over.filter(created_at__lt=timezone.now() - KEPT)
    old.exclude(payload__event__in=[FAILED, EXPIRED]).delete()


def _send(message: WebhookMessage, progress: Progress) -> dict[str, Any]:
    # It takes a quarter of a program's start; most programs send nothing.
    import httpx

    hook = Webhook.objects.filter(study=message.study).first()
    if hook is None:
        raise LeaseLost  # It was removed meanwhile, and its messages with it.
    try:
        target = address.resolved(hook.address)
        return {"to": target.name, "status": _post(hook, target, message)}
    except (Refused, httpx.HTTPError, OSError) as error:
        reason = error.message if isinstance(error, Refused) else _error_text(error, hook.address)
        raise TryLater(reason) from error


def _note(message: WebhookMessage) -> None:
    words, found = message.event.replace("_", " "), message.outcome
    note = f"gave up the webhook “{words}”, tried {TRIES} times: {message.reason}"
    if message.state == State.DONE:
        note = f"sent “{words}” to {found['to']}: {found['status']}"
    event_log.note(message.study, "webhook", note)


KIND = JobKind(
    WebhookMessage,
    _send,
    "they were sending this message",
    queue="mail",
    lease_length=timedelta(seconds=60),
    rests=RESTS,
    limit=60,
    ended=_note,
)


def _post(hook: Webhook, target: Target, message: WebhookMessage) -> int:
    """The status, which was one of success. No redirect is followed: it could lead behind the firewall."""
    import httpx

    shaped = shape_for(target.host, {"id": message.pk, **message.body})
    body = json.dumps(shaped, ensure_ascii=False).encode()
    at = int(time.time())
    url = httpx.URL(
        scheme=target.parts.scheme,
        host=target.ip,
        port=target.port,
        raw_path=(
            (target.parts.path or "/") + (f"?{target.parts.query}" if target.parts.query else "")
        ).encode(),
    )
    headers = {
        "Host": target.parts.netloc,
        "Content-Type": "application/json",
        "User-Agent": "Jurybox",
        "Jurybox-Event": message.event,
        "Jurybox-Delivery": str(message.pk),
        "Jurybox-Signature": signature(secret_of(hook), body, at),
    }
    with (
        httpx.Client(timeout=SECONDS, follow_redirects=False, trust_env=False) as client,
        client.stream(
            "POST", url, content=body, headers=headers, extensions={"sni_hostname": target.host}
        ) as reply,
    ):
        # Nobody reads the reply's body: it could be endless.
        if not reply.is_success:
            raise Refused(f"{target.name} answered {reply.status_code}.")
        return reply.status_code


def _error_text(error: Exception, where: str) -> str:
    host = address.check_form(where).netloc
    return f"{host} could not be reached: {type(error).__name__}."


def shape_for(host: str, body: Body) -> Body:
    """By the host alone: Slack and Teams have addresses of their own for this."""
    if host == "hooks.slack.com" or host.endswith(".hooks.slack.com"):
        return {"text": _slack_text(sentence(body))}
    if host.endswith((".webhook.office.com", ".logic.azure.com", ".api.powerplatform.com")):
        return _teams_card(sentence(body))
    return body


def sentence(body: Body) -> str:
    study, judge = body["title"], body.get("judge", "")
    match body["event"]:
        case "report_ready":
            return f"{study}: a report is ready. {body['report']['sentence']}"
        case "alarm_rung":
            return f"{study}: {judge} has drifted. {body['report']['sentence']}"
        case "verdict_changed":
            return f"{study}: {judge}: {body['now']}; before: {body['before']}{_newcomers(body)}."
        case "certificate_expired":
            return (
                f"{study}: the card of {judge} holds no more: {body['reason']}. Measure it again."
            )
        case "run_failed":
            return f"{study}: the run of {judge} has stopped. {body['reason']}"
        case _:
            return f"{study}: a test of this webhook."


def _newcomers(body: Body) -> str:
    count = body["new_generators"]
    return f" ({count} new generator{'' if count == 1 else 's'})" if count else ""


def _slack_text(words: str) -> str:
    """Its three letters, so that no name becomes a link or calls a channel."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _teams_card(words: str) -> Body:
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        # Not "markdown": a text block shows links that a title may hold.
        "body": [{"type": "RichTextBlock", "inlines": [{"type": "TextRun", "text": words}]}],
    }
    content = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [content]}
