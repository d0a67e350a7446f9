"""Which servers a judge may ask, with which secret, at what cost. Only the operator decides: by the
settings, or as an administrator on the page of model servers.

The options of a judge can be written in a browser. If they decided where requests go, they could
reach any address behind the firewall and send the secret to any host. Costs are counted in the
database, since the workers of several machines share one budget.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult, urlsplit

from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings
from django.db.models import F, Sum
from django.utils import timezone

from annotations.database.encrypted import box_for
from judges.models import ModelServer, ServerUse
from jurybox_judging.errors import EngineRefused

PURPOSE = "model servers"
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
    if origin not in _named_servers() and not _is_open_loopback(parts) and not _is_added(origin):
        raise EngineRefused(
            f"Judges may not ask {parts.scheme}://{parts.netloc}. Who runs this installation "
            "can allow it: add the address to JUDGE_SERVERS."
        )
    return parts


def is_sound(url: str) -> bool:
    """Whether it is an address at all, as `check_server` reads it."""
    try:
        parts = urlsplit(url)
        _origin(parts)
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and " " not in url
    return plain and parts.username is None and not parts.query and not parts.fragment


def secret_for(parts: SplitResult, model: str = "") -> str:
    """The key that an administrator has given for this model there. Else the one of the settings, but
    only for a server that the operator named: any program can listen on a loopback port, so the word
    “loopback” in the list is not enough."""
    added = _added(_origin(parts), model)
    if added is not None and added.locked_key:
        return open_key(added)
    return settings.OPENAI_API_KEY if _origin(parts) in _named_servers() else ""


def lock_key(key: str) -> str:
    """A copy of the database alone asks no server."""
    return _box().encrypt(key.encode()).decode() if key else ""


def open_key(server: ModelServer) -> str:
    try:
        return _box().decrypt(server.locked_key).decode()
    except InvalidToken:
        raise EngineRefused(
            f"The key of {server} cannot be read: MODEL_SERVER_KEY or SECRET_KEY has changed. An administrator can give it "
            "again on the page of model servers."
        ) from None


def check_budget(model: str, server: str = "") -> None:
    """`server`: its name as it is counted."""
    added = _added_under(server, model)
    if added is not None and added.daily_budget is not None:
        _check_own_budget(added, server)
    if settings.JUDGE_BUDGET is None:
        return
    if _prices(model, added) is None:
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
    tokens = [tokens_of(reply) for reply in replies]
    added = _added_under(server, model)
    has_budget = added is not None and added.daily_budget is not None
    if None in tokens and (has_budget or settings.JUDGE_BUDGET is not None):
        raise EngineRefused(
            f"{server} does not say how many tokens it used, so the budget cannot be kept."
        )
    asked, answered = (sum(part) for part in zip(*(pair or (0, 0) for pair in tokens), strict=True))
    price_in, price_out = _prices(model, added) or (0.0, 0.0)
    row, _ = ServerUse.objects.get_or_create(day=timezone.now().date(), server=server, model=model)
    # Added by the database: other workers count at the same time.
    ServerUse.objects.filter(pk=row.pk).update(
        requests=F("requests") + len(replies),
        tokens_in=F("tokens_in") + asked,
        tokens_out=F("tokens_out") + answered,
        cost=F("cost") + (asked * price_in + answered * price_out) / 1_000_000,
    )


def tokens_of(reply: Mapping[str, Any]) -> tuple[int, int] | None:
    usage = reply.get("usage")
    if not isinstance(usage, dict):
        return None
    asked, answered = usage.get("prompt_tokens"), usage.get("completion_tokens", 0)
    if not isinstance(asked, int) or not isinstance(answered, int):
        return None
    return (asked, answered) if max(asked, answered) < 10**9 and min(asked, answered) >= 0 else None


def _box() -> MultiFernet:
    return box_for(PURPOSE, settings.MODEL_SERVER_KEY)


def _origin(parts: SplitResult) -> tuple[str, str, int | None]:
    return parts.scheme, parts.hostname or "", parts.port or _PORTS.get(parts.scheme)


def _check_own_budget(added: ModelServer, server: str) -> None:
    if _prices(added.model, added) is None:
        raise EngineRefused(f"{added} has a budget, but no price: give one on its page.")
    today = ServerUse.objects.filter(day=timezone.now().date(), server=server, model=added.model)
    spent = today.aggregate(spent=Sum("cost"))["spent"] or 0
    if added.daily_budget is not None and spent >= added.daily_budget:
        raise EngineRefused(
            f"Today's budget for {added} ({added.daily_budget:g}) is used up. What has been scored is "
            "kept; take the run up again tomorrow."
        )


def _prices(model: str, added: ModelServer | None) -> tuple[float, float] | None:
    """In and out, for a million tokens each; what the page of the server says comes first."""
    if added is not None and added.price_in is not None and added.price_out is not None:
        return added.price_in, added.price_out
    return settings.JUDGE_PRICES.get(model)


def _added(origin: tuple[str, str, int | None], model: str) -> ModelServer | None:
    rows = ModelServer.objects.filter(model=model) if model else ()
    return next((row for row in rows if _origin(urlsplit(row.address)) == origin), None)


def _added_under(server: str, model: str) -> ModelServer | None:
    rows = ModelServer.objects.filter(model=model)
    return next((row for row in rows if urlsplit(row.address).netloc == server), None)


def _is_added(origin: tuple[str, str, int | None]) -> bool:
    """Only with TLS: the certificate tells that a name still means the host that was looked up when it
    was added, and not one behind the firewall."""
    if origin[0] != "https":
        return False
    addresses = ModelServer.objects.values_list("address", flat=True)
    return any(_origin(urlsplit(address)) == origin for address in addresses)


def _named_servers() -> set[tuple[str, str, int | None]]:
    addresses = (entry for entry in settings.JUDGE_SERVERS if not entry.startswith(LOOPBACK))
    return {_origin(urlsplit(entry)) for entry in addresses}


def _is_open_loopback(parts: SplitResult) -> bool:
    """Any port of this machine, or one that is named: `loopback:8001`."""
    port = f"{LOOPBACK}:{parts.port or _PORTS[parts.scheme]}"
    is_open = LOOPBACK in settings.JUDGE_SERVERS or port in settings.JUDGE_SERVERS
    return is_open and parts.hostname in _LOOPBACK_HOSTS
