"""What can be refused, in words for the person on the screen.

Refused                a sentence to act on; the status says whose turn it is
├── NotYours           they may not see or do this (403)
├── LabelRefused       the answer was not taken, and why (409)
├── FormRefused        the form cannot be used, with a sentence for each thing wrong (422)
├── StudyRefused       a study or its people cannot be changed like this, and why (409)
└── ImportRefused      nothing was imported, and why (422)
"""

import errno
import logging
from collections.abc import Callable

from django.db import DataError, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from rest_framework.response import Response
from rest_framework.views import exception_handler

logger = logging.getLogger(__name__)


class Refused(Exception):
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class NotYours(Refused):
    status = 403


class LabelRefused(Refused):
    status = 409


class FormRefused(Refused):
    status = 422

    def __init__(self, wrong: list[str]) -> None:
        super().__init__(" ".join(wrong))
        self.wrong = wrong


class StudyRefused(Refused):
    status = 409


class ImportRefused(Refused):
    status = 422


class RefusalsAsPages:
    """Turn a refusal into a page in our own clothes, or into the sentence alone for htmx."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if cannot_write(error):
            logger.error("cannot write: %s", error, exc_info=error)
            return HttpResponse(render_to_string("503.html"), status=503)
        error = _in_words(error)
        if not isinstance(error, Refused):
            return None
        template = "error.html#sentence" if request.htmx else "error.html"
        context = {"message": error.message, "status": error.status}
        return render(request, template, context, status=error.status)


def cannot_write(error: Exception) -> bool:
    """The database is away, or there is no room: nobody's mistake, and it passes."""
    if isinstance(error, OSError):
        return error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS}
    return isinstance(error, OperationalError | InterfaceError)


def _in_words(error: Exception) -> Exception:
    """PostgreSQL's own refusal of a character that SQLite takes."""
    if isinstance(error, DataError) and "NUL" in str(error):
        return Refused("What was sent holds a NUL character, which no text may hold.")
    return error


def refusal_as_json(error: Exception, context: dict) -> Response | None:
    error = _in_words(error)
    if cannot_write(error):
        logger.error("cannot write: %s", error, exc_info=error)
        words = "The database does not answer, or the disk is full. Nothing was stored; try again."
        return Response({"message": words}, status=503)
    if isinstance(error, Refused):
        return Response({"message": error.message}, status=error.status)
    return exception_handler(error, context)
