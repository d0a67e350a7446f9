"""Whatever an operation raises becomes a problem.

Until 0.3 the members that answers had before stand beside the new ones: `message`, and each wrong
field by its name.
"""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions, serializers
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotations.api.problems import CODES, MEDIA_TYPE, problem
from annotations.database.read_only import cannot_write
from annotations.errors import Refused
from annotations.middleware import CANNOT_WRITE, in_words

logger = logging.getLogger(__name__)
OF_EXCEPTIONS: tuple[tuple[type[Exception], str], ...] = (
    (exceptions.ParseError, "no-json"),
    (exceptions.NotAuthenticated, "not-logged-in"),
    (exceptions.AuthenticationFailed, "not-logged-in"),
    (exceptions.PermissionDenied, "not-yours"),
    (exceptions.NotFound, "not-found"),
    (exceptions.MethodNotAllowed, "no-such-method"),
    (exceptions.NotAcceptable, "no-such-format"),
    (exceptions.UnsupportedMediaType, "no-such-media-type"),
    (exceptions.Throttled, "too-often"),
)
MEMBERS = {"type", "title", "status", "code", "detail", "errors"}


class ProblemSerializer(serializers.Serializer):
    """Why something was refused (RFC 9457)."""

    type = serializers.CharField(help_text="The address of the code's line.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.ChoiceField(choices=list(CODES))
    detail = serializers.CharField(help_text="A sentence for the person who reads it.")
    # Also the name of a property of serializers, which this field hides: the standard calls it so.
    errors = serializers.JSONField(  # type: ignore[assignment]
        required=False, help_text="Of wrong values: by name."
    )
    making = serializers.BooleanField(
        required=False, help_text="Of `no-report-yet`: whether a worker is making it."
    )
    message = serializers.CharField(required=False, help_text="As `detail`; until 0.3.")


class UnknownParameter(exceptions.ValidationError):
    pass


def problem_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """The framework's own handler knows status and headers; the body is ours."""
    error = in_words(error)
    if cannot_write(error):
        logger.error("cannot write: %s", error, exc_info=error)
        body = problem("cannot-write", 503, CANNOT_WRITE, message=CANNOT_WRITE)
        return _response(body, context)
    if isinstance(error, Refused):
        more = getattr(error, "members", {})
        body = problem(error.code, error.status, error.message, message=error.message, **more)
        seconds = getattr(error, "seconds", None)
        headers = {"Retry-After": str(seconds)} if seconds is not None else {}
        return _response(body, context, headers)
    answer = exception_handler(error, context)
    if answer is None:
        return None
    code = _code_of(error)
    if isinstance(error, exceptions.ValidationError):
        body = _invalid(code, answer.status_code, answer.data)
    else:
        detail = str(answer.data.get("detail", ""))
        body = problem(code, answer.status_code, detail, message=detail)
    headers = {
        name: answer.headers[name]
        for name in ("WWW-Authenticate", "Retry-After")
        if name in answer.headers
    }
    return _response(body, context, headers)


def _response(
    body: dict[str, Any], context: dict[str, Any], headers: dict[str, str] | None = None
) -> Response:
    renderer = getattr(context.get("request"), "accepted_renderer", None)
    in_a_browser = renderer is not None and renderer.format == "api"
    kind = None if in_a_browser else MEDIA_TYPE
    return Response(body, status=body["status"], headers=headers, content_type=kind)


def _invalid(code: str, status: int, errors: Any) -> dict[str, Any]:
    """`errors` by field; of a list of bodies, by its place in the list."""
    as_before = errors if isinstance(errors, dict) else {}
    old = {str(name): words for name, words in as_before.items() if name not in MEMBERS}
    return problem(code, status, _in_one_sentence(errors), **old, errors=errors)


def _in_one_sentence(errors: Any, place: str = "") -> str:
    if isinstance(errors, dict):
        found = [
            _in_one_sentence(words, _joined(place, str(name))) for name, words in errors.items()
        ]
    elif isinstance(errors, list) and any(isinstance(one, dict | list) for one in errors):
        found = [
            _in_one_sentence(one, _joined(place, str(number)))
            for number, one in enumerate(errors, start=1)
            if one
        ]
    else:
        words = " ".join(map(str, errors)) if isinstance(errors, list) else str(errors)
        return words if place in {"", "detail", "non_field_errors"} else f"{place}: {words}"
    return " ".join(found)


def _joined(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name


def _code_of(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        if isinstance(error, UnknownParameter):
            return "unknown-parameter"
        return "unknown-field" if _names_unknown_field(error) else "invalid"
    if isinstance(error, Http404):
        return "not-found"
    if isinstance(error, PermissionDenied):
        return "not-yours"
    return next((code for kind, code in OF_EXCEPTIONS if isinstance(error, kind)), "refused")


def _names_unknown_field(error: exceptions.ValidationError) -> bool:
    """Only where nothing else is wrong."""
    codes = error.get_codes()
    while isinstance(codes, list | dict) and codes:
        values = list(codes.values()) if isinstance(codes, dict) else codes
        codes = next((value for value in values if value), None)
    return bool(codes == "unknown")
