"""One-time codes from a shared secret and the time: TOTP, RFC 6238, six digits every 30 seconds."""

from __future__ import annotations

import base64
import hmac
import secrets
import time
from collections.abc import Iterator
from urllib.parse import quote, urlencode

SECONDS, DIGITS = 30, 6


def new_secret() -> bytes:
    return secrets.token_bytes(20)


def code_at(secret: bytes, step: int, digits: int = DIGITS) -> str:
    """HOTP of RFC 4226: 31 bits of the HMAC, from where its last four bits point to."""
    digest = hmac.digest(secret, step.to_bytes(8, "big"), "sha1")
    start = digest[-1] & 15
    number = int.from_bytes(digest[start : start + 4], "big") & 0x7FFFFFFF
    return str(number % 10**digits).zfill(digits)


def steps_around(moment: float | None = None) -> Iterator[int]:
    """This half minute and its neighbours: phones' clocks differ, and people type slowly."""
    now = int(time.time() if moment is None else moment) // SECONDS
    yield from (now, now - 1, now + 1)


def address(secret: bytes, account: str, issuer: str) -> str:
    """What a phone reads from the QR code."""
    query = urlencode({"secret": in_letters(secret), "issuer": issuer}, quote_via=quote)
    return f"otpauth://totp/{quote(issuer)}:{quote(account)}?{query}"


def in_letters(secret: bytes) -> str:
    return base64.b32encode(secret).decode().rstrip("=")
