"""Name a server's model, with its key, on a page: only administrators do."""

from __future__ import annotations

import math
import socket
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from django.db import transaction
from django.utils.translation import gettext_noop

from annotations import event_log
from annotations.errors import NotYours
from judges import servers
from judges.model_servers.public_addresses import is_public
from judges.models import ModelServer
from jurybox_judging.errors import EngineRefused, JudgeRefused
from jurybox_judging.options import is_clean

LONGEST = 200
LONGEST_KEY = 500
MOST = 50


def expect_administrator(user: Any) -> None:
    if not user.is_superuser:
        raise NotYours("Only administrators of this installation name model servers.")


@transaction.atomic
def add_server(
    *,
    address: str,
    model: str,
    key: str = "",
    prices: tuple[float | None, float | None] = (None, None),
    daily_budget: float | None = None,
    by: Any = None,
) -> ModelServer:
    """The same address and model again is the same server; an empty key keeps the one it has."""
    address, model, key = address.strip().rstrip("/"), model.strip(), key.strip()
    _check_texts(address, model, key)
    _check_address(address)
    if daily_budget is not None and None in prices:
        raise JudgeRefused("A budget needs both prices, to know what has been spent.")
    if ModelServer.objects.exclude(address=address, model=model).count() >= MOST:
        raise JudgeRefused(f"There are {MOST} model servers already. Remove one first.")
    given: dict[str, Any] = {
        "price_in": prices[0],
        "price_out": prices[1],
        "daily_budget": daily_budget,
        "added_by": by,
        "trial": {},
    }
    if key:
        given["locked_key"] = servers.lock_key(key)
    server, _ = ModelServer.objects.update_or_create(address=address, model=model, defaults=given)
    event_log.note(None, "model server", f"named the model server {server}")
    return server


@transaction.atomic
def remove_server(*, server: ModelServer) -> None:
    """Its key is gone with it. Scores stay; a run that needs it stops with a sentence."""
    event_log.note(None, "model server removed", f"removed the model server {server}")
    server.delete()


def amount(name: str, text: str) -> float | None:
    """A price or a budget as a person types it; None where the field is empty."""
    if not text.strip():
        return None
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1e6:
        raise JudgeRefused(f"{name} is a number from 0 to a million, not “{text[:40]}”.")
    return value


def _check_texts(address: str, model: str, key: str) -> None:
    for name, text, longest in (
        (gettext_noop("The address"), address, LONGEST),
        (gettext_noop("The model’s name"), model, LONGEST),
        (gettext_noop("The key"), key, LONGEST_KEY),
    ):
        if len(text) > longest or not is_clean(text):
            raise JudgeRefused(f"{name} has at most {longest} characters.")
    if not address or not model:
        raise JudgeRefused("Give the server’s address and the name of its model.")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise JudgeRefused("The key holds characters that no key has. Copy it again.")


def _check_address(address: str) -> None:
    """What the operator's settings allow; else a public address with TLS."""
    try:
        servers.check_server(address)
        return
    except EngineRefused as refusal:
        parts = urlsplit(address)
        if parts.scheme != "https" or not parts.hostname or not servers.is_sound(address):
            raise JudgeRefused(refusal.message) from None
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 443, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise JudgeRefused(f"{parts.hostname} has no address. Check the spelling.") from None
    for info in found:
        plain = ip_address(str(info[4][0]).partition("%")[0])
        if not is_public(plain):
            raise JudgeRefused(
                f"{parts.hostname} is {plain}, which is no public address. Who runs this installation "
                "can allow it: add the address to JUDGE_SERVERS."
            )
