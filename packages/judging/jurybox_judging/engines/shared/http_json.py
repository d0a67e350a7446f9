"""One request to a server: JSON there, JSON back, within a time limit.

Nothing is sent twice here; what may work later is tried again by `jurybox_judging.ask_engine`. No
redirect is followed, no proxy is taken from the environment, no connection is kept open: a request
goes to the server that it was allowed to go to, or nowhere.
"""

from __future__ import annotations

import json
import logging
import math
import re
import ssl
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult

from jurybox_judging.errors import first_line

if TYPE_CHECKING:
    # It takes a quarter of a program's start, and is imported with the first request.
    import httpx

_MAY_WORK_LATER = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_BUSY = {429, 503, 529}
_LONGEST_REPLY = 8 << 20  # bytes
_LONGEST_EXPLANATION = 200  # characters of a server's own words

# A line for each request would fill the log.
logging.getLogger("httpx").setLevel(logging.WARNING)


class Unanswered(Exception):
    """No usable reply. `for_all`: the server is busy or away, so other requests would fail too. `kind`:
    of a reply that never was an answer, as a web page; empty where waiting may help."""

    def __init__(
        self,
        reason: str,
        for_all: bool = False,
        retry_after: float | None = None,
        kind: str = "",
    ) -> None:
        super().__init__(reason)
        self.reason, self.for_all, self.retry_after = reason, for_all, retry_after
        self.kind = kind


class Declined(Exception):
    """The server will not take this request, however often it comes."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.reason, self.status = reason, status
        self.kind = f"status {status}"


class Server:
    """A server that takes calls, within `with`. `timeout` is in seconds."""

    def __init__(self, address: SplitResult, secret: str, timeout: float = 60.0) -> None:
        self._address, self._secret, self._timeout = address, secret, timeout

    def __enter__(self) -> Server:
        import httpx

        headers = {b"Content-Type": b"application/json", b"Accept-Encoding": b"identity"}
        if self._secret:
            headers[b"Authorization"] = f"Bearer {self._secret}".encode()
        self._client = httpx.Client(
            headers=headers,
            timeout=self._timeout,
            limits=httpx.Limits(max_keepalive_connections=0),
            follow_redirects=False,
            trust_env=False,
            verify=_certificates(),
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def name(self) -> str:
        return self._address.netloc

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        import httpx

        try:
            return self._read(*self._send(path, body))
        except httpx.LocalProtocolError:
            # Its words would repeat the secret.
            raise Declined(
                f"The request to {self.name} cannot be sent: OPENAI_API_KEY holds characters "
                "that no header can carry.",
                0,
            ) from None
        except httpx.ConnectError as error:
            raise self._unanswered(error, for_all=True) from error
        except httpx.TransportError as error:
            raise self._unanswered(error) from error

    def _unanswered(self, error: httpx.TransportError, for_all: bool = False) -> Unanswered:
        return Unanswered(f"{self.name} did not answer: {_error_text(error)}.", for_all)

    def _send(self, path: str, body: bytes) -> tuple[int, Mapping[str, str], bytes]:
        import httpx

        deadline = time.monotonic() + self._timeout
        # Made of the parts that were checked: a second parser could see another host in the text.
        url = httpx.URL(
            scheme=self._address.scheme,
            host=self._address.hostname or "",
            port=self._address.port,
            path=self._address.path.rstrip("/") + path,
        )
        with self._client.stream("POST", url, content=body) as reply:
            return reply.status_code, reply.headers, self._body(reply, deadline)

    def _body(self, reply: httpx.Response, deadline: float) -> bytes:
        blocks, length = [], 0
        # The client's own time limit starts anew with every byte that drips in.
        for block in reply.iter_raw():
            blocks.append(block)
            length += len(block)
            if length > _LONGEST_REPLY:
                raise Unanswered(f"The reply of {self.name} is longer than any answer.")
            if time.monotonic() > deadline:
                raise Unanswered(
                    f"{self.name} did not answer: the reply took longer than {self._timeout:g} s."
                )
        return b"".join(blocks)

    def _read(self, status: int, headers: Mapping[str, str], body: bytes) -> dict[str, Any]:
        if status == 200:
            try:
                reply = json.loads(body)
            except ValueError:
                page = _page_title(body)
                words = f"a web page{page}" if _is_page(body) else "no JSON"
                reason = f"The reply of {self.name} is broken: it is {words}."
                raise Unanswered(reason, kind="no JSON") from None
            if not isinstance(reply, dict):
                raise Unanswered(f"The reply of {self.name} is no JSON object.")
            return reply
        if 300 <= status < 400:
            raise Declined(
                f"{self.name} wants to send the request elsewhere (status {status}); "
                "redirects are not followed. Give the final address.",
                status,
            )
        words = f"{self.name} answered with status {status}{self._explanation(body)}"
        if status in _MAY_WORK_LATER:
            raise Unanswered(words, status in _BUSY, retry_after(headers))
        raise Declined(words, status)

    def _explanation(self, body: bytes) -> str:
        try:
            reply = json.loads(body)
            error = reply.get("error", reply)
            words = error if isinstance(error, str) else error["message"]
        except (ValueError, AttributeError, KeyError, TypeError):
            return f": a web page{_page_title(body)}." if _is_page(body) else "."
        words = " ".join(str(words).split())
        if self._secret:
            # Some servers repeat the secret that they did not like.
            words = words.replace(self._secret, "…")
        return f": {words[:_LONGEST_EXPLANATION]}"


def _is_page(body: bytes) -> bool:
    return body.lstrip()[:15].lower().startswith((b"<!doctype html", b"<html"))


def _page_title(body: bytes) -> str:
    found = re.search(rb"<title[^>]*>([^<]*)", body[:20_000], re.IGNORECASE)
    words = " ".join(found[1].decode("utf-8", "replace").split()) if found else ""
    return f" called “{words[:80]}”" if words else ""


@cache
def _certificates() -> ssl.SSLContext:
    """The machine's own, with those that its operator added."""
    return ssl.create_default_context()


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait: the header holds a number of seconds or a date."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        else:
            text = headers.get("retry-after", "").strip()
            seconds = float(text) if _is_number(text) else _until(text)
    except (ValueError, TypeError, OverflowError):
        return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _until(text: str) -> float:
    when = parsedate_to_datetime(text)
    if when.tzinfo is None:
        when = when.replace(tzinfo=UTC)
    return (when - datetime.now(UTC)).total_seconds()


def _error_text(error: httpx.TransportError) -> str:
    import httpx

    if isinstance(error, httpx.TimeoutException):
        return "the time is up"
    if isinstance(error, httpx.RemoteProtocolError):
        return "the reply broke off"
    return first_line(error)
