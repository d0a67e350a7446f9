"""A stored picture as the answer to a request."""

from __future__ import annotations

from pathlib import Path

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from annotations.pictures.store import CONTENT_TYPES


def send_picture(file: str, *, otherwise: str = "") -> HttpResponseBase:
    """`otherwise` names the file to send when this one is missing."""
    try:
        path = Path(default_storage.path(file))
    except NotImplementedError:
        return _at_the_bucket(file)
    if otherwise and not path.exists():
        path = Path(default_storage.path(otherwise))
    try:
        response = FileResponse(path.open("rb"), content_type=CONTENT_TYPES[path.suffix])
    except FileNotFoundError:
        raise Http404 from None
    # The name that a download would get says as little as the address.
    response["Content-Disposition"] = f'inline; filename="image{path.suffix}"'
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def _at_the_bucket(file: str) -> HttpResponse:
    """The browser fetches it there itself, at an address that is signed for a few minutes."""
    response = redirect(default_storage.url(file))
    # Shorter than the address is valid, long enough for an image that was loaded ahead.
    response["Cache-Control"] = f"private, max-age={settings.ADDRESS_SECONDS // 2}"
    return response
