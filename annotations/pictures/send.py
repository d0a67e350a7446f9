"""A stored picture as the answer to a request."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from annotations.pictures.store import names_content

# Lengths are given in steps of so many bytes.
STEP = 16 * 1024


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
    return _armoured(stored)


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


def _armoured(stored: Any) -> FileResponse:
    """The headers of all pictures are the same: somebody who compares two shall not tell by the kind
    or the size of the files whose they are. Browsers look at the content, whatever kind is declared."""
    padded = _Padded(stored)
    response = FileResponse(padded, content_type="image/png")
    response["Content-Length"] = str(padded.length)
    # The name that a download would get says as little as the address.
    response["Content-Disposition"] = 'inline; filename="image"'
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response


class _Padded:
    """A file up to the next step in length; no kind of picture minds zeros behind its end."""

    def __init__(self, stored: Any) -> None:
        self.stored = stored
        size = stored.seek(0, io.SEEK_END)
        stored.seek(0)
        self.length = -(-size // STEP) * STEP
        self.left = self.length - size

    def read(self, size: int = -1) -> bytes:
        content: bytes = self.stored.read(size)
        if content and size >= 0:
            return content
        missing = self.left if size < 0 else min(self.left, size)
        self.left -= missing
        return content + bytes(missing)

    def close(self) -> None:
        self.stored.close()


def _from_the_bucket(file: str) -> FileResponse:
    """Through this process: the address at the bucket would tell the name."""
    try:
        stored = default_storage.open(file)
    except FileNotFoundError:
        raise Http404 from None
    return _armoured(stored)


def _at_the_bucket(file: str) -> HttpResponse:
    """The browser fetches it there itself, at an address that is signed for a few minutes."""
    response = redirect(default_storage.url(file))
    # Shorter than the address is valid, long enough for an image that was loaded ahead.
    response["Cache-Control"] = f"private, max-age={settings.ADDRESS_SECONDS // 2}"
    return response
