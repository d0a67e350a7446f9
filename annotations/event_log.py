"""The event log: who changed, removed, exported or decided something in a study, and what happened
to accounts of the installation: log-ins, passwords, tokens, what administrators did.

Functions that write an event do not pass the person: it is the user of the current request, the
person a worker acts for (`on_behalf_of`), or else the server's command line.

Words stay for ever, so they quote nothing that somebody has typed: no title, no name of a group, a person or
a file. They hold its key (`#group-3`), and `put_names` looks up what it is called now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from annotations.database.read_only import may_write
from annotations.models import Event, Group, Membership, Selection, Study

NAMED: dict[str, Any] = {"group": Group, "selection": Selection}
KEYS = re.compile(rf"#({'|'.join(NAMED)})-(\d+)\b")
current_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)
_asked_by: ContextVar[Any] = ContextVar("asked_by", default=None)


@contextmanager
def on_behalf_of(user: Any) -> Iterator[None]:
    """Events inside are by this user: a worker acts for them."""
    token = _asked_by.set(user)
    try:
        yield
    finally:
        _asked_by.reset(token)


def note(
    study: Study | int | None,
    did: str,
    words: str,
    *,
    about: Membership | None = None,
    by: Any = None,
) -> None:
    """Write an event. Call it in the transaction of the change, so that both happen or neither.

    Without a study it is an event of the installation, and stays whatever is deleted. `by`: only
    for somebody whom the request does not know yet.
    """
    if not may_write():
        return
    user, by_command = (by, False) if by is not None else _current_actor()
    Event.objects.create(
        study_id=study.pk if isinstance(study, Study) else study,
        by=user,
        by_command=by_command,
        did=did,
        words=words[:500],
        about=about,
    )


def note_account(did: str, words: str, *, account: Any = None, by: Any = None) -> None:
    """Write an event of the installation, about an account. `by` where the request does not say."""
    if not may_write():
        return
    user, by_command = _current_actor()
    Event.objects.create(
        by=by or user,
        by_command=by_command and by is None,
        did=did,
        words=words[:500],
        account=account,
    )


def installation_events() -> QuerySet[Event]:
    rows = Event.objects.filter(study=None).select_related("by", "about", "account")
    return rows.order_by("-pk")


def events(study: Study) -> QuerySet[Event]:
    rows = Event.objects.filter(study=study).select_related("by", "about", "account")
    return rows.order_by("-pk")


def key_of(row: Group | Selection) -> str:
    """For the words of an event."""
    return f"#{row._meta.model_name}-{row.pk}"


def put_names(*events: Event) -> None:
    """What groups and selections are called by now, where they still are, into the words that are shown."""
    wanted: dict[str, set[str]] = {}
    for event in events:
        for kind, key in KEYS.findall(event.words):
            wanted.setdefault(kind, set()).add(key)
    called = {
        f"#{kind}-{row.pk}": f"“{row.name}”"
        for kind, keys in wanted.items()
        for row in NAMED[kind].objects.filter(pk__in=keys).only("name")
    }
    for event in events:
        event.words = KEYS.sub(lambda key: called.get(key[0], key[0]), event.words)


def search_events(rows: QuerySet[Event], words: str) -> QuerySet[Event]:
    """Each word stands in what was done, in the name of who did it, or in the day (2026-11)."""
    for word in words.split():
        rows = rows.filter(
            Q(words__icontains=word)
            | Q(did__icontains=word)
            | Q(by__username__icontains=word)
            | Q(account__username__icontains=word)
            | Q(about__name__icontains=word)
            | Q(at__startswith=word)
        )
    return rows


def _current_actor() -> tuple[Any, bool]:
    request = current_request.get()
    if request is not None:
        # The REST framework sets the request's user for token requests, too.
        return (request.user if request.user.is_authenticated else None), False
    user = _asked_by.get()
    return user, user is None
