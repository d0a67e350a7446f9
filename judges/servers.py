"""Which servers a judge may ask, and with which secret: the operator's word, not a study owner's.

The options of a judge can be written in a browser. If they alone decided where requests go, they
could knock at any door behind the firewall and carry the secret to any host.
"""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from judges.errors import EngineRefused

LOOPBACK = "loopback"
_LOOPBACK_HOSTS = {"127.0.0.1", "localhost", "::1"}
_PORTS = {"http": 80, "https": 443}


def check_server(url: str) -> SplitResult:
    """The parts of the address, if the operator lets judges ask there."""
    try:
        parts = urlsplit(url)
        origin = _origin(parts)
    except ValueError:
        raise EngineRefused(f"“{url}” is no address of a server.") from None
    if parts.scheme not in _PORTS or not parts.hostname:
        raise EngineRefused(f"“{url}” is no address of a server: it begins with http or https.")
    if parts.username is not None or parts.query or parts.fragment:
        raise EngineRefused(
            "The address of a server is written without a name, a password, “?” and “#”; "
            "the secret comes from OPENAI_API_KEY alone."
        )
    if origin not in _named() and not _is_open_loopback(parts):
        raise EngineRefused(
            f"Judges may not ask {parts.scheme}://{parts.netloc}. Who runs this installation "
            "can allow it: add the address to JUDGE_SERVERS."
        )
    return parts


def secret_for(parts: SplitResult) -> str:
    """The secret, for a server that the operator named; any program can listen on a loopback port,
    so the word “loopback” in the list is not enough."""
    return settings.OPENAI_API_KEY if _origin(parts) in _named() else ""


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def _named() -> set[tuple[str, str, int | None]]:
    return {_origin(urlsplit(entry)) for entry in settings.JUDGE_SERVERS if entry != LOOPBACK}


def _is_open_loopback(parts: SplitResult) -> bool:
    return LOOPBACK in settings.JUDGE_SERVERS and parts.hostname in _LOOPBACK_HOSTS
