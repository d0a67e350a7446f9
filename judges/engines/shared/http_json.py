"""One question to a server: JSON there, JSON back, by a deadline, and again where that may help.

No redirect is followed, no proxy is taken from the environment, nothing is kept open: a request
goes to the server that it was allowed to go to, or nowhere.
"""

from __future__ import annotations

import http.client
import json
import math
import random
import ssl
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import SplitResult

_MAY_WORK_LATER = {408, 409, 425, 429, 500, 502, 503, 504, 529}
_LONGEST_REPLY = 8 << 20  # bytes
_LONGEST_WORDS = 200  # of a server's own explanation
_BLOCK = 1 << 16


class Unanswered(Exception):
    """No usable reply after all attempts. `busy`: the server asks everyone to come later."""

    def __init__(self, reason: str, busy: bool = False, retry_after: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.busy, self.retry_after = reason, busy, retry_after


class Declined(Exception):
    """The server will not take this request, however often it comes."""

    def __init__(self, reason: str, status: int) -> None:
        super().__init__(reason)
        self.reason, self.status = reason, status


@dataclass(frozen=True, slots=True)
class Server:
    """Times are seconds. `pause` doubles from attempt to attempt; who is told to wait longer than
    `longest_pause` gives up and says until when."""

    address: SplitResult
    secret: str = field(default="", repr=False)
    timeout: float = 60.0
    attempts: int = 4
    pause: float = 1.0
    longest_pause: float = 30.0

    @property
    def name(self) -> str:
        return self.address.netloc

    def post(self, path: str, body: bytes) -> dict[str, Any]:
        for attempt in range(self.attempts):
            try:
                return self._read(*self._send(path, body))
            except Unanswered as failure:
                last = failure
            except (OSError, http.client.HTTPException) as error:
                last = Unanswered(f"{self.name} did not answer: {_words(error)}.")
            # Many askers who failed together must not come back together.
            doubled = self.pause * 2**attempt * random.uniform(0.5, 1)
            pause = max(min(doubled, self.longest_pause), last.retry_after or 0)
            if attempt + 1 == self.attempts or pause > self.longest_pause:
                break
            time.sleep(pause)
        raise last

    def _send(self, path: str, body: bytes) -> tuple[int, http.client.HTTPMessage, bytes]:
        deadline = time.monotonic() + self.timeout
        connection = self._connection()
        try:
            headers = {"Content-Type": "application/json", "Connection": "close"}
            if self.secret:
                headers["Authorization"] = f"Bearer {self.secret}"
            connection.request("POST", self.address.path.rstrip("/") + path, body, headers)
            # The reply holds the socket, and outlives the connection unless it is closed itself.
            with connection.getresponse() as reply:
                return reply.status, reply.headers, self._body(reply, deadline)
        finally:
            connection.close()

    def _body(self, reply: http.client.HTTPResponse, deadline: float) -> bytes:
        blocks, length = [], 0
        # The socket's own time limit starts anew with every byte that drips in.
        while block := reply.read1(_BLOCK):
            blocks.append(block)
            length += len(block)
            if length > _LONGEST_REPLY:
                raise Unanswered(f"The reply of {self.name} is longer than any answer.")
            if time.monotonic() > deadline:
                raise TimeoutError(f"the reply took longer than {self.timeout:g} s")
        if reply.length:
            raise http.client.IncompleteRead(b"", reply.length)
        return b"".join(blocks)

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self.address.hostname, self.address.port
        if self.address.scheme == "https":
            context = ssl.create_default_context()
            return http.client.HTTPSConnection(host, port, timeout=self.timeout, context=context)
        return http.client.HTTPConnection(host, port, timeout=self.timeout)

    def _read(self, status: int, headers: http.client.HTTPMessage, body: bytes) -> dict[str, Any]:
        if status == 200:
            try:
                told = json.loads(body)
            except ValueError:
                raise Unanswered(f"The reply of {self.name} is broken: it is no JSON.") from None
            if not isinstance(told, dict):
                raise Unanswered(f"The reply of {self.name} is no JSON object.")
            return told
        if 300 <= status < 400:
            raise Declined(
                f"{self.name} wants to send the request elsewhere (status {status}); "
                "redirects are not followed. Give the final address.",
                status,
            )
        words = f"{self.name} answered with status {status}{self._explanation(body)}"
        if status in _MAY_WORK_LATER:
            raise Unanswered(words, status in (429, 503, 529), retry_after(headers))
        raise Declined(words, status)

    def _explanation(self, body: bytes) -> str:
        try:
            told = json.loads(body)
            told = told.get("error", told)
            words = told if isinstance(told, str) else told["message"]
        except (ValueError, AttributeError, KeyError, TypeError):
            return "."
        words = " ".join(str(words).split())
        if self.secret:
            # Some servers repeat the secret that they did not like.
            words = words.replace(self.secret, "…")
        return f": {words[:_LONGEST_WORDS]}"


def retry_after(headers: http.client.HTTPMessage) -> float | None:
    """Seconds to wait: the header holds a number of seconds or a date."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        else:
            text = (headers.get("retry-after") or "").strip()
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


def _words(error: BaseException) -> str:
    if isinstance(error, TimeoutError) and not str(error).startswith("the reply"):
        return "the time is up"
    if isinstance(error, http.client.IncompleteRead):
        return "the reply broke off"
    return (str(error).strip() or type(error).__name__).splitlines()[0]
