"""The audit trail: every verb that changes, removes, exports or decides leaves an event.

Verbs need not be told who calls them: the request at hand knows, and without one it was the
server's own command line, or a worker for the person who asked it to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.http import HttpRequest, HttpResponse

from annotations.models import Event, Membership, Study

_request: ContextVar[HttpRequest | None] = ContextVar("request", default=None)
_asked_by: ContextVar[Any] = ContextVar("asked_by", default=None)


class KnowsWhoAsks:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = _request.set(request)
        try:
            return self.get_response(request)
        finally:
            _request.reset(token)


@contextmanager
def on_behalf_of(user: Any) -> Iterator[None]:
    """A worker does what this person asked for."""
    token = _asked_by.set(user)
    try:
        yield
    finally:
        _asked_by.reset(token)


def note(study: Study | int, did: str, words: str, *, about: Membership | None = None) -> None:
    """Call it in the transaction of the deed: both happen, or neither."""
    user, by_command = _who()
    Event.objects.create(
        study_id=study if isinstance(study, int) else study.pk,
        by=user,
        by_command=by_command,
        did=did,
        words=words[:500],
        about=about,
    )


def events(study: Study):
    return Event.objects.filter(study=study).select_related("by", "about").order_by("-pk")


def _who() -> tuple[Any, bool]:
    request = _request.get()
    if request is not None:
        # With a token, the REST framework puts its user on the request, too.
        return (request.user if request.user.is_authenticated else None), False
    user = _asked_by.get()
    return user, user is None
