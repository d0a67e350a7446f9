"""A stored picture as the answer to a request."""

from __future__ import annotations

import io
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from annotations.pictures.store import CONTENT_TYPES, names_content


def send_picture(file: str, *, otherwise: str = "") -> HttpResponseBase:
    """`otherwise` names the file to send when this one is missing."""
    try:
        path = Path(default_storage.path(file))
    except NotImplementedError:
        return _from_the_bucket(file) if names_content(file) else _at_the_bucket(file)
    if otherwise and not path.exists():
        path = Path(default_storage.path(otherwise))
    try:
        stored = path.open("rb")
    except FileNotFoundError:
        raise Http404 from None
    if not is_whole(stored, path.suffix):
        # A browser would show the half that is there, and people would judge it.
        stored.close()
        return HttpResponse("The file of this picture is damaged.\n", "text/plain", status=410)
    response = FileResponse(stored, content_type=CONTENT_TYPES[path.suffix])
    return _armoured(response, path.suffix)


def is_whole(stored: BinaryIO, suffix: str) -> bool:
    """Whether a picture ends as stored pictures do: a copy or a disk may have cut it off since."""
    head = stored.read(8)
    length = stored.seek(0, io.SEEK_END)
    stored.seek(max(0, length - 12))
    tail = stored.read()
    stored.seek(0)
    if suffix == ".png":
        return tail[-8:-4] == b"IEND"
    if suffix == ".jpg":
        return tail.endswith(b"\xff\xd9")
    return length == 8 + int.from_bytes(head[4:8], "little")


def _armoured(response: FileResponse, suffix: str) -> FileResponse:
    # The name that a download would get says as little as the address.
    response["Content-Disposition"] = f'inline; filename="image{suffix}"'
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


def _from_the_bucket(file: str) -> FileResponse:
    """Through this process: the address at the bucket would tell the name."""
    suffix = PurePosixPath(file).suffix
    try:
        stored = default_storage.open(file)
    except FileNotFoundError:
        raise Http404 from None
    return _armoured(FileResponse(stored, content_type=CONTENT_TYPES[suffix]), suffix)


def _at_the_bucket(file: str) -> HttpResponse:
    """The browser fetches it there itself, at an address that is signed for a few minutes."""
    response = redirect(default_storage.url(file))
    # Shorter than the address is valid, long enough for an image that was loaded ahead.
    response["Cache-Control"] = f"private, max-age={settings.ADDRESS_SECONDS // 2}"
    return response
