"""Around every request: refusals become pages, and the event log knows the user. Those of the API:
`annotations.api.problems`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.db import DataError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string

from annotations.access import HtmxRequest
from annotations.database.read_only import SENTENCE, NothingStored, cannot_write
from annotations.errors import Refused
from annotations.event_log import current_request
from annotations.language.stored_words import translate_stored

logger = logging.getLogger(__name__)
CANNOT_WRITE = "The database does not answer, or the disk is full. Nothing was stored; try again."


class LoginRequired(LoginRequiredMiddleware):
    """Every page is for people who have logged in, unless its view is `login_not_required`."""

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], *given: Any
    ) -> HttpResponseBase | None:
        # The others answer without a look at the session: what they send is the same for all.
        if getattr(view, "login_required", True):
            return super().process_view(request, view, *given)
        return None


class RefusalsAsPages:
    """Show a refusal as an error page, or as its sentence alone for htmx."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HtmxRequest, error: Exception) -> HttpResponse | None:
        if cannot_write(error) and not settings.READ_ONLY:
            logger.error("cannot write: %s", error, exc_info=error)
            return HttpResponse(render_to_string("503.html"), status=503)
        error = in_words(error)
        if not isinstance(error, Refused):
            return None
        template = "error.html#sentence" if request.htmx else "error.html"
        message = translate_stored(error.message) or error.message
        context = {"message": message, "status": error.status, "kind": error.code}
        return render(request, template, context, status=error.status)


def in_words(error: Exception) -> Exception:
    """PostgreSQL refuses a character that SQLite accepts: turn its error into a sentence."""
    if settings.READ_ONLY and cannot_write(error):
        return NothingStored(SENTENCE)
    if isinstance(error, DataError) and "NUL" in str(error):
        return Refused("The text contains a NUL character, which cannot be stored.")
    return error


class KnowsWhoAsks:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        token = current_request.set(request)
        try:
            return self.get_response(request)
        finally:
            current_request.reset(token)
