"""Protects every page: a header against injected code, no copies, and no secrets on error pages."""

import re
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.debug import SafeExceptionReporterFilter

POLICY = "; ".join(
    [
        "default-src 'none'",
        # No eval: Vega runs the expressions of our charts in its own interpreter.
        "script-src 'self'",
        "style-src 'self'",
        # Images in a bucket are loaded from there.
        " ".join(("img-src 'self' data: blob:", *settings.MEDIA_ORIGINS)),
        "connect-src 'self'",
        "font-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ]
)


class ContentSecurityPolicy:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response


class KeptNowhere:
    """Neither a proxy nor a browser keeps a page: at a shared computer, the next person's way back would
    lead to it. What says itself how long it may be kept (pictures, scripts) is not touched."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class SettingsWithoutSecrets(SafeExceptionReporterFilter):
    """Also hides server addresses, which can contain passwords."""

    hidden_settings = re.compile(
        f"{SafeExceptionReporterFilter.hidden_settings.pattern}|_URL|DATABASES", re.IGNORECASE
    )
