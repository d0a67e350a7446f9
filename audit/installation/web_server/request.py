"""A request as it comes in: how much of it is taken before somebody says who sends it."""

from __future__ import annotations

import re
import time

from waitress.parser import HTTPRequestParser, ParsingError
from waitress.utilities import Error

# Forms fit in this; a file for import does not. Anybody may send so much.
SMALL = 64 * 1024
LARGEST_HEAD = 32 * 1024
FOLDED = re.compile(rb"\n[ \t]")
LENGTHS = [
    re.compile(rb"^" + name + rb"[ \t]*:", re.IGNORECASE | re.MULTILINE)
    for name in (b"content-length", b"transfer-encoding")
]


class Refusal(Error):
    """An answer in place of the application's, in one sentence."""

    def __init__(self, code: int, reason: str, sentence: str) -> None:
        self.code, self.reason, self.sentence = code, reason, sentence

    def to_response(self, ident: str | None = None) -> tuple[str, list[tuple[str, str]], bytes]:
        headers = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")]
        if self.code == 503:
            headers.append(("Retry-After", "10"))
        return f"{self.code} {self.reason}", headers, f"{self.sentence}\n".encode()


def too_large(most: int) -> Refusal:
    words = f"Log in before you send more than {SMALL // 1024} kB; nothing was taken in."
    if most > SMALL:
        words = (
            f"You may send {most // 1024**2} MB at once; only people who may import into a study may "
            "send more. Nothing was taken in."
        )
    return Refusal(413, "Content Too Large", words)


class Request(HTTPRequestParser):
    # How much body may come; raised once it is known who sends it.
    most = SMALL
    # Whether its sender has been looked up.
    asked = False
    _beginning = b""

    def __init__(self, adj) -> None:
        super().__init__(adj)
        self.began = time.time()

    def received(self, data: bytes) -> int:
        if len(self._beginning) < 5:
            # Known even when the rest cannot be read: an answer to HEAD has no body, nor has a refusal.
            self._beginning = (self._beginning + data[:64]).lstrip()[:5]
        return super().received(data)

    def parse_header(self, header_plus: bytes) -> None:
        """A body of two lengths means one to a proxy and another here: somebody could slip a second
        request in between (RFC 9112, 5.2, 6.1, 7). An error closes the connection."""
        if FOLDED.search(header_plus):
            raise ParsingError("A header goes on in a second line.")
        if sum(len(name.findall(header_plus)) for name in LENGTHS) > 1:
            raise ParsingError("A request has one Content-Length or one Transfer-Encoding.")
        super().parse_header(header_plus)

    @property
    def is_head(self) -> bool:
        return self._beginning == b"HEAD "

    @property
    def size(self) -> int:
        """What was announced, or what has come so far of a body of unknown length."""
        return max(self.content_length, self.body_bytes_received)

    @property
    def is_more_than_allowed(self) -> bool:
        return self.error is None and self.size > self.most

    def refuse(self, refusal: Error) -> None:
        self.error = refusal
        self.completed = True
