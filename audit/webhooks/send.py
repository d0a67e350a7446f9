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

import httpx
from django.conf import settings
from django.utils import timezone

from annotations import event_log
from annotations.database.leases import TRIES, WorkerLease
from annotations.errors import Refused
from audit.models import Webhook, WebhookMessage
from audit.webhooks import address
from audit.webhooks.address import Target
from audit.webhooks.messages import FAILED

State = WebhookMessage.State
LEASE = WorkerLease(
    WebhookMessage,
    State.WAITING,
    State.SENDING,
    State.GIVEN_UP,
    timedelta(seconds=60),
    "they were sending this message",
)
# After each try in vain.
WAITS = (60, 300, 1_800, 7_200, 7_200)
SECONDS = 10.0
# So many messages in one round: others wait for the next.
ROUND = 20
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


def send_due() -> int:
    """How many arrived."""
    LEASE.take_back()
    now = timezone.now()
    over = WebhookMessage.objects.filter(state__in=[State.SENT, State.GIVEN_UP])
    # Those of runs stay: they say which failures were told.
    over.filter(created_at__lt=now - KEPT).exclude(event=FAILED).delete()
    due = WebhookMessage.objects.filter(state=State.WAITING, due_at__lte=now)
    rows = due.order_by("due_at", "pk").values_list("pk", flat=True)[:ROUND]
    return sum(send(pk) for pk in list(rows))


def send(pk: int) -> bool:
    holder = LEASE.claim(pk)
    if not holder:
        return False
    message = WebhookMessage.objects.select_related("hook__study").get(pk=pk)
    hook, words = message.hook, message.event.replace("_", " ")
    with LEASE.held_by(pk, holder):
        try:
            target = address.resolved(hook.address)
            status = _post(target, message)
        except (Refused, httpx.HTTPError, OSError) as error:
            reason = error.message if isinstance(error, Refused) else _said(error, hook.address)
            later = timezone.now() + timedelta(seconds=WAITS[min(message.tries, TRIES) - 1])
            if LEASE.failed(pk, holder, reason, due_at=later):
                event_log.note(
                    hook.study,
                    "webhook",
                    f"gave up the webhook “{words}”, tried {TRIES} times: {reason}",
                )
            return False
    if LEASE.end(pk, holder, state=State.SENT, reason=""):
        event_log.note(hook.study, "webhook", f"sent “{words}” to {target.name}: {status}")
    return True


def _post(target: Target, message: WebhookMessage) -> int:
    """The status, which was one of success. No redirect is followed: it could lead behind the firewall."""
    body = json.dumps({"id": message.pk, **message.body}, ensure_ascii=False).encode()
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
        "Jurybox-Signature": signature(secret_of(message.hook), body, at),
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


def _said(error: Exception, where: str) -> str:
    host = address.check_form(where).netloc
    return f"{host} could not be reached: {type(error).__name__}."
