"""How often something may happen: an allowance that fills up again while time passes.

The counts are in the database, so all web processes count together. One statement looks and takes,
so of many requests at once no more get through than one after the other. Whoever is over the
allowance waits; trying in between costs nothing and gains nothing.

    NEW_ACCOUNTS = Rate("new account", free=20, every=timedelta(minutes=3))
    NEW_ACCOUNTS.take_or_refuse(network(request))

Keys are hashes: nobody reads a name or an address in the table.
"""

from __future__ import annotations

import ipaddress
import math
from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from annotations.database.prepared import ask, execute
from annotations.errors import TooOften
from annotations.models import RateCount

# A count that ends later than it ever could was made by a wrong clock, and begins anew.
TAKE = """
INSERT INTO annotations_ratecount (key, used_until) VALUES (%s, %s)
ON CONFLICT (key) DO UPDATE SET used_until = %s + CASE
    WHEN annotations_ratecount.used_until BETWEEN %s AND %s
    THEN annotations_ratecount.used_until ELSE %s END
WHERE annotations_ratecount.used_until <= %s OR annotations_ratecount.used_until > %s
RETURNING used_until
"""
GIVE_BACK = "UPDATE annotations_ratecount SET used_until = used_until - %s WHERE key = %s"


@dataclass(frozen=True, slots=True)
class Rate:
    """`free` times at once, and one more after each `every`."""

    kind: str
    free: int
    every: timedelta

    def take(self, *whose: str) -> bool:
        """Count once; False, and nothing counted, when the allowance is used up."""
        now, every = _now(), self.every.total_seconds()
        last = now + (self.free - 1) * every
        wrong = now + 2 * self.free * every
        values = [self._key(whose), now + every, every, now, wrong, now, last, wrong]
        return bool(ask(TAKE, values))

    def take_or_refuse(self, *whose: str) -> None:
        if not self.take(*whose):
            raise TooOften(self.seconds_left(*whose))

    def give_back(self, *whose: str) -> None:
        """What was taken last did not count."""
        execute(GIVE_BACK, self.every.total_seconds(), self._key(whose))

    def share_used(self, *whose: str) -> float:
        """How much of the allowance is used up now: 0 to `free`."""
        row = RateCount.objects.filter(pk=self._key(whose)).first()
        return max(0.0, (row.used_until - _now()) / self.every.total_seconds()) if row else 0.0

    def seconds_left(self, *whose: str) -> int:
        """Until the next time is allowed."""
        return max(
            1, math.ceil((self.share_used(*whose) - self.free + 1) * self.every.total_seconds())
        )

    def _key(self, whose: tuple[str, ...]) -> str:
        text = "\0".join((self.kind, *whose))
        return salted_hmac("rates", text, algorithm="sha256").hexdigest()


def network(request: HttpRequest) -> str:
    """Whom one address stands for: an IPv4 address, or the /64 that one line has of IPv6."""
    return network_of(request.META.get("REMOTE_ADDR", ""))


def network_of(address: str) -> str:
    try:
        known = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv6Address):
        if known.ipv4_mapped is not None:
            return str(known.ipv4_mapped)
        return str(ipaddress.ip_network((int(known), 64), strict=False))
    return str(known)


def delete_old() -> int:
    """Counts whose allowance is all there again say nothing any more."""
    return RateCount.objects.filter(used_until__lt=_now()).delete()[0]


def _now() -> float:
    return timezone.now().timestamp()
