"""Which servers a judge may ask, with which secret, at what cost. Only the operator decides.

The options of a judge can be written in a browser. If they decided where requests go, they could
reach any address behind the firewall and send the secret to any host. Costs are counted in the
database, since the workers of several machines share one budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.db.models import F, Sum
from django.utils import timezone

from judges.errors import EngineRefused
from judges.models import ServerUse

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
    if not url.isascii() or not url.isprintable() or " " in url:
        raise EngineRefused(f"“{url}” is no address of a server.")
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
    """The secret, but only for a server that the operator named: any program can listen on a
    loopback port, so the word “loopback” in the list is not enough."""
    return settings.OPENAI_API_KEY if _origin(parts) in _named() else ""


def check_budget(model: str) -> None:
    if settings.JUDGE_BUDGET is None:
        return
    if model not in settings.JUDGE_PRICES:
        raise EngineRefused(
            f"There is a budget (JUDGE_BUDGET), but no price for “{model}”: add it to JUDGE_PRICES."
        )
    spent = ServerUse.objects.filter(day=timezone.now().date()).aggregate(spent=Sum("cost"))
    if (spent["spent"] or 0) >= settings.JUDGE_BUDGET:
        raise EngineRefused(
            f"Today's budget for asking servers ({settings.JUDGE_BUDGET:g}, JUDGE_BUDGET) is used "
            "up. What has been scored is kept; take the run up again tomorrow."
        )


def count_use(server: str, model: str, replies: Sequence[Mapping[str, Any]]) -> None:
    """Add the tokens and cost of these replies to today's count."""
    if not replies:
        return
    tokens = [_tokens(reply) for reply in replies]
    if None in tokens and settings.JUDGE_BUDGET is not None:
        raise EngineRefused(
            f"{server} does not say how many tokens it used, so the budget cannot be kept."
        )
    asked, answered = (sum(part) for part in zip(*(pair or (0, 0) for pair in tokens), strict=True))
    price_in, price_out = settings.JUDGE_PRICES.get(model, (0.0, 0.0))
    row, _ = ServerUse.objects.get_or_create(day=timezone.now().date(), server=server, model=model)
    # Added by the database: other workers count at the same time.
    ServerUse.objects.filter(pk=row.pk).update(
        requests=F("requests") + len(replies),
        tokens_in=F("tokens_in") + asked,
        tokens_out=F("tokens_out") + answered,
        cost=F("cost") + (asked * price_in + answered * price_out) / 1_000_000,
    )


def _tokens(reply: Mapping[str, Any]) -> tuple[int, int] | None:
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        return None
    asked, answered = usage.get("prompt_tokens"), usage.get("completion_tokens", 0)
    if not isinstance(asked, int) or not isinstance(answered, int):
        return None
    return (asked, answered) if max(asked, answered) < 10**9 and min(asked, answered) >= 0 else None


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def _named() -> set[tuple[str, str, int | None]]:
    addresses = (entry for entry in settings.JUDGE_SERVERS if not entry.startswith(LOOPBACK))
    return {_origin(urlsplit(entry)) for entry in addresses}


def _is_open_loopback(parts: SplitResult) -> bool:
    """Any port of this machine, or one that is named: `loopback:8001`."""
    port = f"{LOOPBACK}:{parts.port or _PORTS[parts.scheme]}"
    is_open = LOOPBACK in settings.JUDGE_SERVERS or port in settings.JUDGE_SERVERS
    return is_open and parts.hostname in _LOOPBACK_HOSTS
