"""Who counts new answers, as far as it is known: nobody says that a worker counts while none does."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from annotations.models import StoredAnswer

# A running worker looks round every 15 seconds.
PATIENCE = timedelta(minutes=2)


def who_counts(answer: StoredAnswer | None) -> str:
    now, state = timezone.now(), answer and answer.state
    if answer and state == StoredAnswer.State.WORKING and (answer.leased_until or now) > now:
        return "A worker is counting them."
    if answer and state == StoredAnswer.State.WAITING and now - answer.requested_at > PATIENCE:
        since = answer.requested_at.strftime("%Y-%m-%d %H:%M")
        return f"They wait since {since} UTC, and no worker has taken them up: perhaps none is running."
    return "A worker will count them soon."


def waiting_words(answer: StoredAnswer) -> str:
    """Why there is no newer answer; empty where none is under way."""
    return answer.reason or (who_counts(answer) if answer.is_in_hand else "")
