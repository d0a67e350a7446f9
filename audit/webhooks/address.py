"""Where a webhook may go: public addresses, and the networks that the operator allows.

A name is resolved once, every address that it has is checked, and the connection goes to an address that
was checked. Looked up twice, a name could mean a public address first and one behind the firewall then.
"""

from __future__ import annotations

import socket
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from django.conf import settings

from annotations.errors import Refused
from judges.model_servers.public_addresses import Address, is_public, unwrap

LONGEST = 500
PORTS = {"http": 80, "https": 443}


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
    """Refused where one of the name's addresses may not be reached."""
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
    plain = unwrap(address)
    if any(plain in net for net in settings.WEBHOOK_NETWORKS if net.version == plain.version):
        return
    if not is_public(plain):
        raise Refused(
            f"{host} is {plain}, which is no public address. Who runs this installation can allow its "
            "network: WEBHOOK_NETWORKS."
        )
    if scheme != "https":
        raise Refused("A public address begins with https://.")
