"""One request to a running Jurybox at a time. No Django here, and no library but the standard one."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

HERE = "http://127.0.0.1:8000"
# What may have gone well at the server although no answer came.
GATEWAYS, TRIES = {502, 503, 504}, 3
LOOPBACK = {"127.0.0.1", "localhost", "::1"}


class JuryboxError(Exception):
    """The server's own reason, or why it could not be reached."""


class Problem(JuryboxError):
    """A refusal as the server words it: `code` stays the same, `errors` names each wrong value, `making` says
    of `no-report-yet` whether a worker is making it."""

    def __init__(
        self, status: int, code: str, detail: str, errors: Any = None, making: bool = False
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.errors, self.making = status, code, errors, making


class NoAnswer(JuryboxError):
    """The server did not answer."""


class NoRedirects(HTTPRedirectHandler):
    """A token goes nowhere but where it was meant to go."""

    def redirect_request(self, *given: Any, **more: Any) -> None:
        return None


class Connection:
    """`address` and `token` may stand in JURYBOX_ADDRESS and JURYBOX_TOKEN. A token is made on the
    account page; one that may only read is enough to read."""

    def __init__(
        self, *, address: str = "", token: str = "", timeout: float = 60, pause: float = 1
    ):
        self.address = (address or os.environ.get("JURYBOX_ADDRESS", "") or HERE).rstrip("/")
        self.timeout = timeout
        # Seconds before what creates something is sent again, where no answer came.
        self.pause = pause
        self.token = token or os.environ.get("JURYBOX_TOKEN", "")
        self._opener = build_opener(NoRedirects)
        parts = urlsplit(self.address)
        if not self.token:
            raise JuryboxError(
                "A token is needed: make one on the account page, and give it as token=… or in "
                "JURYBOX_TOKEN."
            )
        if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
            raise JuryboxError(
                f"{self.address}: a token is only sent by https, or to this machine."
            )

    def open(
        self,
        method: str,
        path: str,
        query: dict[str, Any] | None = None,
        *,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
    ) -> HTTPResponse:
        """`path` below `/api/v1/`, its parts quoted."""
        given = {name: _text(value) for name, value in (query or {}).items() if value is not None}
        address = f"{self.address}/api/v1/{path}"
        request = Request(  # noqa: S310 (checked in __init__)
            f"{address}?{urlencode(given)}" if given else address,
            data=body,
            headers=headers or {},
            method=method,
        )
        return self._send(request)

    def _send(self, request: Request) -> HTTPResponse:
        request.add_header("Authorization", f"Token {self.token}")
        try:
            return self._opener.open(request, timeout=self.timeout)
        except HTTPError as error:
            with error:
                raise _problem(error, self.address) from error
        except (URLError, TimeoutError, OSError) as error:
            reason = getattr(error, "reason", error)
            raise NoAnswer(f"{self.address} does not answer: {reason}.") from error

    def call(
        self,
        method: str,
        path: str,
        query: dict[str, Any] | None = None,
        *,
        body: Any = None,
        file: tuple[str, bytes] | None = None,
        once: bool = False,
    ) -> Any:
        """The answer's JSON; None where it has no body. With a file, the body's fields go as a form. `once`: has
        a key, so that it is sent again where no answer came and still creates nothing twice."""
        headers: dict[str, str] = {}
        sent: bytes | None = None
        if file is not None:
            sent, headers["Content-Type"] = _form(body or {}, file)
        elif body is not None:
            sent, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        if once:
            headers["Idempotency-Key"] = secrets.token_hex(16)
        left = TRIES if once else 1
        while True:
            left -= 1
            try:
                with self.open(method, path, query, body=sent, headers=headers) as answer:
                    text = answer.read()
                return json.loads(text) if text else None
            except (NoAnswer, Problem) as error:
                if not left or isinstance(error, Problem) and error.status not in GATEWAYS:
                    raise
                time.sleep(self.pause)

    def read_picture(self, address: str, *, most: int) -> tuple[bytes, str]:
        """The picture at an `address` that the API gave, and its kind: jpeg, png, webp …"""
        if not address.startswith("/") or address.startswith("//"):
            raise JuryboxError(f"{address} is no address of a picture.")
        with self._send(Request(f"{self.address}{address}?small")) as answer:  # noqa: S310
            content = answer.read(most + 1)
            kind = answer.headers.get_content_subtype()
        if len(content) > most:
            raise JuryboxError(f"The picture has more than {most:,} bytes.")
        return content, kind

    def pages(self, path: str, query: dict[str, Any]) -> Iterator[Any]:
        """The rows of a list, page after page."""
        query = {"page_size": 1000, **query}
        while True:
            page = self.call("GET", path, query)
            yield from page["results"]
            if not page["next"]:
                return
            query["cursor"] = _cursor(page["next"])


def part(value: Any) -> str:
    """Of an address."""
    return quote(str(value), safe="")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _cursor(address: str) -> str:
    return parse_qs(urlsplit(address).query)["cursor"][0]


def _form(fields: dict[str, Any], file: tuple[str, bytes]) -> tuple[bytes, str]:
    """multipart/form-data, as a browser's form sends it."""
    boundary = secrets.token_hex(16)
    name, content = file
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{_text(value)}\r\n'
        for key, value in fields.items()
        if value is not None
    ]
    safe = name.replace('"', "'").replace("\r", " ").replace("\n", " ")
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{safe}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n"
    )
    body = "".join(parts).encode() + content + f"\r\n--{boundary}--\r\n".encode()
    return body, f"multipart/form-data; boundary={boundary}"


def _problem(error: HTTPError, address: str) -> JuryboxError:
    try:
        told = json.loads(error.read(100_000))
    except ValueError:
        told = None
    if not isinstance(told, dict) or "detail" not in told:
        return Problem(error.code, "", f"{address} answered {error.code} {error.reason}.")
    return Problem(
        error.code,
        told.get("code", ""),
        str(told["detail"]),
        told.get("errors"),
        told.get("making", False),
    )
