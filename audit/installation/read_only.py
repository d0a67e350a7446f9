"""An installation to look at: pages answer, nothing is taken, and nothing is written by looking. So it
also stands on a database that refuses every write."""

from __future__ import annotations

import re
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotations.api.problems import refusal_response
from annotations.database.read_only import SENTENCE, writes_refused

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# Who looks may say who they are.
OPEN = re.compile(r"^/(login|logout)/$")


class ReadOnly:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.READ_ONLY:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if OPEN.match(request.path):
            return self.get_response(request)
        if request.method in SAFE:
            with writes_refused():
                return self.get_response(request)
        if request.path.startswith("/api/"):
            return refusal_response(SENTENCE, 403)
        template = "error.html#sentence" if "HX-Request" in request.headers else "error.html"
        return render(request, template, {"message": SENTENCE, "status": 403}, status=403)
