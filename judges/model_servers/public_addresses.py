"""Whether an address of the network is everybody's, and not one behind a firewall.

`is_global` does not know every block that is registered for other purposes, nor that some addresses of IPv6
carry one of IPv4, which may be any.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_network

Address = IPv4Address | IPv6Address

# IPv6 addresses that carry one of IPv4.
CARRIERS = [
    ip_network(net) for net in ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96")
]
# ISATAP: whatever the network, the last half says which address of IPv4 is meant (RFC 5214).
ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})
# Registered for other purposes (RFC 6890 and later).
NOT_PUBLIC = [
    ip_network(net) for net in ("fec0::/10", "192.0.0.0/24", "192.88.99.0/24", "3fff::/20")
]
# Of 192.0.0.0/24, which is not public, these two are: PCP and TURN anycast (RFC 7723, RFC 8155).
ANYCAST = frozenset({IPv4Address("192.0.0.9"), IPv4Address("192.0.0.10")})


def unwrap(address: Address) -> Address:
    """The address of IPv4 that one of IPv6 stands for."""
    inside = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return inside or address


def is_public(address: Address) -> bool:
    plain = unwrap(address)
    if plain in ANYCAST:
        return True
    closed = any(plain in net for net in (*CARRIERS, *NOT_PUBLIC) if net.version == plain.version)
    closed |= plain.version == 6 and (int(plain) >> 32) & 0xFFFF_FFFF in ISATAP
    return plain.is_global and not (plain.is_multicast or plain.is_reserved or closed)
