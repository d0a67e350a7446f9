"""Where a webhook may go: public addresses, and the networks that the operator allows.

A name is resolved once, every address that it has is checked, and the connection goes to an address that
was checked. Asked twice, a name could mean a public address first and one behind the firewall then.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from annotations.errors import Refused

LONGEST = 500
PORTS = {"http": 80, "https": 443}
# IPv6 addresses that carry one of IPv4, which may be any.
CARRIERS = [
    ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")
]
# ISATAP: whatever the network, the last half says which address of IPv4 is meant (RFC 5214).
ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})
# Registered for other purposes (RFC 6890 and later); `is_global` does not know all of them.
NOT_PUBLIC = [
    ip_network(net) for net in ("fec0::/10", "192.0.0.0/24", "192.88.99.0/24", "3fff::/20")
]
# Of 192.0.0.0/24, which is not public, these two are: PCP and TURN anycast (RFC 7723, RFC 8155).
ANYCAST = frozenset({IPv4Address("192.0.0.9"), IPv4Address("192.0.0.10")})
Address = IPv4Address | IPv6Address


@dataclass(frozen=True)
class Target:
    """What was checked: the parts of the address, and where to connect."""

    parts: SplitResult
    host: str
    port: int
    ip: str

    @property
    def name(self) -> str:
        """Without the path, which may hold a secret."""
        return f"{self.parts.scheme}://{self.parts.netloc}"


def check_form(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise Refused(
            "This is no address; write one like https://hooks.example.org/jurybox."
        ) from None
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > LONGEST:
        raise Refused(f"An address has plain characters, at most {LONGEST}.")
    if parts.scheme not in PORTS or not parts.hostname or port == 0:
        raise Refused("An address begins with https:// and names a host.")
    if parts.username is not None or parts.fragment:
        raise Refused("The address is written without a name, a password and “#”.")
    return parts


def resolved(url: str) -> Target:
    """Refused where one of the name's addresses may not be asked."""
    parts = check_form(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Refused(f"{host} has no address.") from None
    addresses = [ip_address(str(info[4][0]).partition("%")[0]) for info in found]
    for address in addresses:
        _check(address, host, parts.scheme)
    if not addresses:
        raise Refused(f"{host} has no address.")
    return Target(parts, host, port, str(addresses[0]))


def _check(address: Address, host: str, scheme: str) -> None:
    inside = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    plain: Address = inside or address
    if any(plain in net for net in settings.WEBHOOK_NETWORKS if net.version == plain.version):
        return
    closed = any(plain in net for net in (*CARRIERS, *NOT_PUBLIC) if net.version == plain.version)
    closed |= plain.version == 6 and (int(plain) >> 32) & 0xFFFF_FFFF in ISATAP
    public = plain.is_global and not (plain.is_multicast or plain.is_reserved or closed)
    if not public and plain not in ANYCAST:
        raise Refused(
            f"{host} is {plain}, which is no public address. Who runs this installation can allow its "
            "network: WEBHOOK_NETWORKS."
        )
    if scheme != "https":
        raise Refused("A public address begins with https://.")
