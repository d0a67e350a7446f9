"""An answer of the API that a program has already is not sent again (`ETag`, `If-None-Match`)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response


class SendsNothingTwice:
    """Middleware. What is computed for an answer is computed anyway: this saves the way."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if (
            request.method not in {"GET", "HEAD"}
            or not request.path.startswith("/api/")
            or response.status_code != 200
            or response.streaming
            or response.has_header("ETag")
        ):
            return response
        # Weak: the same JSON may come compressed or not.
        etag = f'W/"{hashlib.sha256(response.content).hexdigest()[:32]}"'
        response.headers["ETag"] = etag
        answer = get_conditional_response(request, etag=etag, response=response)
        assert isinstance(answer, HttpResponse)
        return answer
