"""Who asks, and over which scheme, when a proxy stands in front.

A web server sees only whoever connects to it: behind a proxy that is the proxy, over plain HTTP. What
the visitor's address and scheme were, the proxy says in X-Forwarded-For and X-Forwarded-Proto – and
so can anybody who writes these words himself. They are believed from the addresses of
TRUSTED_PROXIES, and taken out of every request, so that nothing behind this file ever reads them.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

Networks = Sequence[IPv4Network | IPv6Network]
SAID_BY_PROXIES = (
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PORT",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_REAL_IP",
)
# In request.META: whether the visitor sits at this machine.
FROM_HERE = "jurybox.from_here"
# In request.META: the answer in place of a redirect to https, as nothing shows how it came.
MISSING = "jurybox.missing"
UNNAMED = (
    "Jurybox is reached over https only. This request came over plain HTTP from an address that is not "
    "in TRUSTED_PROXIES: an administrator names there the proxy that ends TLS."
)
SILENT = (
    "Jurybox is reached over https only, and its proxy does not say how this request came to it. "
    "An administrator lets the proxy set X-Forwarded-Proto to http or https."
)
# Probes on this machine and in its network ask by address and over plain HTTP.
PROBES = frozenset({"/healthz", "/readyz", "/metrics"})


@dataclass(frozen=True, slots=True)
class Visitor:
    address: str
    scheme: str  # "http", "https", or "" where no believed proxy names it
    through_proxy: bool


def visitor(peer: str, said: Mapping[str, str], proxies: Networks) -> Visitor:
    """Who stands behind the proxies that are named; without one, whoever connects."""
    if not is_named(peer, proxies):
        return Visitor(peer, "", False)
    return Visitor(
        _first_unnamed(peer, said.get("HTTP_X_FORWARDED_FOR", ""), proxies),
        _scheme(said.get("HTTP_X_FORWARDED_PROTO", "")),
        True,
    )


def _first_unnamed(peer: str, forwarded: str, proxies: Networks) -> str:
    """Each proxy adds on the right whom it saw; what stands further left than a stranger is his word."""
    client = peer
    for word in reversed(forwarded.split(",")):
        address = _address(word)
        if address is None:
            break
        client = str(address)
        if not _is_in(address, proxies):
            break
    return client


def _scheme(said: str) -> str:
    nearest = said.rpartition(",")[2].strip().lower()
    return nearest if nearest in {"http", "https"} else ""


def _address(word: str) -> IPv4Address | IPv6Address | None:
    """Also with a port, as some proxies write it: 192.0.2.7:443, [2001:db8::1]:443."""
    word = word.strip()
    if word.startswith("["):
        word = word[1:].partition("]")[0]
    elif word.count(":") == 1:
        word = word.partition(":")[0]
    try:
        address = ip_address(word)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def _is_in(address: IPv4Address | IPv6Address, networks: Networks) -> bool:
    return any(address in network for network in networks)


def is_named(peer: str, proxies: Networks) -> bool:
    return bool(proxies) and _is_one_of(peer, tuple(proxies))


@lru_cache(maxsize=1024)
def _is_one_of(peer: str, proxies: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    address = _address(peer)
    return address is not None and _is_in(address, proxies)


def is_from_this_machine(request: HttpRequest) -> bool:
    """False for whatever a proxy on this machine hands on, named or not: then it is the proxy that
    sits here."""
    return request.META.get(FROM_HERE) is True


def _comes_from_here(meta: Mapping[str, str], through_proxy: bool) -> bool:
    address = _address(meta.get("REMOTE_ADDR", ""))
    # nginx without a word about it speaks HTTP/1.0 to what is behind it, which no browser does.
    forwarded = (
        through_proxy
        or meta.get("SERVER_PROTOCOL") == "HTTP/1.0"
        or any(name in meta for name in (*SAID_BY_PROXIES, "HTTP_VIA"))
    )
    return address is not None and address.is_loopback and not forwarded


class BelievesNamedProxies:
    """Middleware: REMOTE_ADDR and the scheme are the visitor's; it stands before all others."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        meta = request.META
        seen = visitor(meta.get("REMOTE_ADDR", ""), meta, settings.TRUSTED_PROXIES)
        meta[FROM_HERE] = _comes_from_here(meta, seen.through_proxy)
        for name in SAID_BY_PROXIES:
            meta.pop(name, None)
        meta["REMOTE_ADDR"] = seen.address
        if seen.scheme:
            meta["wsgi.url_scheme"] = seen.scheme
        elif settings.IN_PRODUCTION:
            meta[MISSING] = SILENT if seen.through_proxy else UNNAMED
        if meta.get("PATH_INFO") in PROBES:
            # Probes call a machine by its address; their answer is the same under any name.
            meta["HTTP_HOST"] = "localhost"
        return self.get_response(request)


class SaysWhatIsMissing:
    """Middleware: a request over plain HTTP that a redirect to https would only bring back here gets
    the sentence that says what is missing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        words = request.META.get(MISSING)
        if not words or request.is_secure() or request.path in PROBES:
            return self.get_response(request)
        _note(words, request.META.get("REMOTE_ADDR", ""))
        return HttpResponse(words + "\n", status=503, content_type="text/plain; charset=utf-8")


@lru_cache(maxsize=100)
def _note(words: str, address: str) -> None:
    """Once for each address: a proxy that is not named asks often."""
    logger.error("%s (asked from %s)", words, address)
