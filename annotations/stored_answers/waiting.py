"""Who counts new answers, as far as it is known: nobody says that a worker counts while none does."""

from __future__ import annotations

from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone

from annotations.models import StoredAnswer

# A running worker looks round every 15 seconds.
PATIENCE = timedelta(minutes=2)


def who_counts(answer: StoredAnswer | None) -> str:
    now, job = timezone.now(), answer and answer.job
    if job and job.state == job.State.WORKING and (job.leased_until or now) > now:
        return "A worker is counting them."
    if job and job.state == job.State.WAITING and now - job.created_at > PATIENCE:
        since = job.created_at.strftime("%Y-%m-%d %H:%M")
        return f"They wait since {since} UTC, and no worker has taken them up: perhaps none is running."
    return "A worker will count them soon."


def waiting_for_first(answer: StoredAnswer) -> str:
    """The same of figures that nobody has counted yet; empty once somebody has."""
    return "" if answer.content else who_counts(answer)


def has_seen(request: HttpRequest, waiting: str) -> bool:
    """Whether a page asks that says these words already (`templates/counting.html`): nothing would change on
    it, and what somebody types there stays."""
    return bool(waiting) and request.headers.get("X-Seen") == waiting


def waiting_words(answer: StoredAnswer) -> str:
    """Why there is no newer answer; empty where none is under way."""
    return answer.reason or (who_counts(answer) if answer.is_in_hand else "")
