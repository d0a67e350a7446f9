"""What a visitor meets at the address of this installation: the proxy, its certificate, Jurybox."""

from __future__ import annotations

import os
import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from django.conf import settings

if TYPE_CHECKING:
    import httpx

SECONDS = 10
PAGE = "/login/"
# No visitor's own word may count: with it, a page over https would look like one over http.
FORGED = {"X-Forwarded-Proto": "http"}


@dataclass(frozen=True, slots=True)
class SeenAddress:
    well: bool
    words: str


def default() -> str:
    """https:// and the first host that others can reach; empty where there is none."""
    for host in settings.ALLOWED_HOSTS if settings.IN_PRODUCTION else ():
        if host not in settings.LOOPBACK:
            return f"https://{host.removeprefix('.')}"
    return ""


def ask(address: str) -> SeenAddress:
    """Ask for the log-in page as a browser would, once plainly and once with a forged header."""
    import httpx

    try:
        page = urljoin(address, PAGE)
    except ValueError as error:
        return SeenAddress(False, f"{address} is no address ({error}).")
    # The certificates that this machine trusts, as they are set up for all its programs.
    trusted = ssl.create_default_context()
    try:
        with httpx.Client(verify=trusted, timeout=SECONDS, trust_env=False) as client:
            answer = client.get(page)
            if trouble := _trouble(page, answer):
                return SeenAddress(False, trouble)
            if client.get(page, headers=FORGED).status_code != 200:
                return SeenAddress(
                    False,
                    f"{page} answers, but the proxy hands on X-Forwarded-Proto as visitors send it; "
                    "let it set the header itself.",
                )
    except httpx.InvalidURL as error:
        return SeenAddress(False, f"{page} is no address ({error}).")
    except httpx.HTTPError as error:
        return SeenAddress(False, _why_not(page, error))
    return SeenAddress(True, f"{page} answers.")


def _trouble(page: str, answer: httpx.Response) -> str:
    status = answer.status_code
    target = urljoin(page, answer.headers.get("Location", ""))
    if answer.is_redirect and target == page:
        return (
            f"{page} redirects to itself for ever: the proxy does not say that the visitor came over "
            "https, or its address is not in TRUSTED_PROXIES."
        )
    if answer.is_redirect:
        return f"{page} redirects to {target}; that is no page of this Jurybox."
    if status in {502, 504}:
        return (
            f"The proxy at {page} answers {status}: it does not reach `serve`. Is it running, and at "
            "the port that the proxy asks?"
        )
    if status == 503 and answer.headers.get("Content-Type", "").startswith("text/plain"):
        return f"{page} answers: {answer.text.strip()[:300]}"
    if status == 400:
        return (
            f"{page} answers 400: the proxy does not hand on the name that was asked for. Let it set "
            "Host, and name that host in ALLOWED_HOSTS."
        )
    if status != 200 or 'name="csrfmiddlewaretoken"' not in answer.text:
        return f"{page} answers {status}, but not with Jurybox's log-in page."
    return ""


def _why_not(page: str, error: httpx.HTTPError) -> str:
    import httpx

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"{page}: browsers refuse the certificate ({cause.verify_message})."
        if isinstance(cause, ssl.SSLError):
            return f"{page} does not speak TLS ({cause.reason})."
        if isinstance(cause, ConnectionRefusedError):
            return f"{page}: the connection is refused. Is the proxy running?"
        if isinstance(cause, OSError) and cause.errno:
            return f"{page} cannot be reached ({os.strerror(cause.errno)})."
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.TimeoutException):
        return f"{page} did not answer within {SECONDS} seconds."
    return f"{page} cannot be reached ({error})."
