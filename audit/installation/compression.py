"""Pages and JSON go out compressed. Why that tells nobody a secret: docs/decisions/0010."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

KINDS = ("text/html", "application/json")


class Compresses(GZipMiddleware):
    """Only what was requested by GET: an answer to a form may show a secret, once. Files that are
    streamed and pictures go out as they are."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        asked = request.method in ("GET", "HEAD")
        if (
            not asked
            or response.streaming
            or not response.get("Content-Type", "").startswith(KINDS)
        ):
            return response
        compressed: HttpResponseBase = super().process_response(request, response)
        return compressed
