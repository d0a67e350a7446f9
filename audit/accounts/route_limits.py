"""How often one person, or one network without an account, may ask for what is expensive.

One row of the table for a route; every other route costs nothing here, labelling above all. Log-ins
have limits of their own: `audit.accounts.lockout`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from annotations.api.problems import refusal_response
from annotations.errors import TooOften
from annotations.rates import Rate, network

EXPORTS = Rate("exports", free=60, every=timedelta(seconds=10))
IMPORTS = Rate("imports", free=120, every=timedelta(seconds=10))
RUNS = Rate("runs", free=120, every=timedelta(seconds=10))
REPORTS = Rate("reports", free=60, every=timedelta(seconds=20))
COPIES = Rate("copies", free=20, every=timedelta(minutes=2))
DOORS = Rate("doors", free=60, every=timedelta(seconds=20))

LIMITS: dict[tuple[str, str], Rate] = {
    ("GET", "api-export"): EXPORTS,
    ("GET", "api-records"): EXPORTS,
    ("GET", "export-file"): EXPORTS,
    ("GET", "export-records"): EXPORTS,
    ("GET", "report-file"): EXPORTS,
    ("POST", "imports"): IMPORTS,
    ("POST", "import-files"): IMPORTS,
    ("POST", "study-new"): IMPORTS,
    ("POST", "study-new-files"): IMPORTS,
    ("POST", "api-imports"): IMPORTS,
    ("POST", "study-copy"): COPIES,
    ("POST", "anchors-ask"): COPIES,
    ("POST", "test-judge"): REPORTS,
    ("POST", "api-test-judge"): REPORTS,
    ("POST", "run-start"): RUNS,
    ("POST", "api-runs"): RUNS,
    ("POST", "prompt-parts-draft"): RUNS,
    ("POST", "prompt-parts-freeze"): RUNS,
    ("POST", "self-check-ask"): RUNS,
    ("POST", "run-card-measure"): RUNS,
    ("POST", "api-run-card"): RUNS,
    ("POST", "anchors-make"): RUNS,
    ("POST", "anchors-score"): RUNS,
    ("GET", "plan"): REPORTS,
    ("POST", "report-make"): REPORTS,
    ("POST", "api-reports"): REPORTS,
    ("GET", "single-sign-on-back"): DOORS,
    ("POST", "join"): DOORS,
    ("POST", "crowd"): DOORS,
}


class RouteLimits:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if settings.READ_ONLY:
            raise MiddlewareNotUsed  # It counts in the database.
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        match = request.resolver_match
        rate = LIMITS.get((request.method or "", match.url_name or "")) if match else None
        if rate is None:
            return None
        who = _client_key(request)
        if rate.take(who):
            return None
        return _refusal(request, TooOften(rate.seconds_left(who)))


def _client_key(request: HttpRequest) -> str:
    if request.user.is_authenticated:
        return f"user {request.user.pk}"
    # A token that is none gets in nowhere, so it does not matter that anybody can invent some.
    token = request.headers.get("Authorization", "")
    if token:
        return f"token {hashlib.sha256(token.encode()).hexdigest()}"
    return f"network {network(request)}"


def _refusal(request: HttpRequest, refusal: TooOften) -> HttpResponse:
    response: HttpResponse
    if request.path.startswith("/api/"):
        response = refusal_response(refusal.message, refusal.status)
    else:
        htmx = getattr(request, "htmx", False)
        template = "error.html#sentence" if htmx else "error.html"
        context = {"message": refusal.message, "status": refusal.status}
        response = render(request, template, context, status=refusal.status)
    response.headers["Retry-After"] = str(refusal.seconds)
    return response
