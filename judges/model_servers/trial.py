"""A model server is tried at once: with a drawn picture whose content is known. What that took
is the measure for what a run will take."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from judges.models import ModelServer
from judges.runs.fit import Fit
from judges.servers import tokens_of
from jurybox_judging import catalogue
from jurybox_judging.engines.openai_server import OpenAIServer
from jurybox_judging.errors import JudgeRefused, Passing
from jurybox_judging.recipes.entry import Entry
from jurybox_judging.recipes.names import ENGINES
from jurybox_judging.self_test import what_is_wrong

SERVER = ENGINES["server"].path
KINDS = ("answers", "talk")
PATIENCE = 20.0  # seconds for a reply
AT_A_TIME = 8  # requests of a run


@dataclass(frozen=True, slots=True)
class Estimate:
    """Of a run over the study; `cost` is None where no price is known."""

    requests: int
    seconds: float
    cost: float | None

    @property
    def minutes(self) -> int:
        return max(1, round(self.seconds / 60))


def try_server(*, server: ModelServer) -> ModelServer:
    """`trial`: by kind of question what is wrong, empty where it is right; and what a reply took."""
    replies: list[Mapping[str, Any]] = []
    wrong = {}
    began = time.perf_counter()
    for kind in KINDS:
        engine = OpenAIServer(
            server.model, base_url=server.address, attempts=1, timeout=PATIENCE, pause=0.001
        )
        engine.on_reply = lambda _, reply: replies.append(reply)
        try:
            wrong[kind] = what_is_wrong(kind, engine, lambda: None)
        except Passing as failure:
            wrong[kind] = f"{failure.reason}."
        except JudgeRefused as refusal:
            wrong[kind] = refusal.message
    seconds = time.perf_counter() - began
    tokens = [pair for reply in replies if (pair := tokens_of(reply))]
    server.trial = {
        "at": timezone.now().isoformat(),
        "wrong": wrong,
        "seconds": seconds / max(1, len(replies)),
        "tokens": [max(column) for column in zip(*tokens, strict=True)] if tokens else None,
    }
    server.save(update_fields=["trial"])
    return server


def judges_of(server: ModelServer) -> dict[str, Entry]:
    """The judges that ask a server alone, for what the trial got right."""
    wrong = server.trial.get("wrong", {})
    right = {kind for kind in KINDS if wrong.get(kind) == ""}
    return {
        name: entry
        for name, entry in catalogue.JUDGES.items()
        if all(path == SERVER for path, _ in entry.parts.values()) and set(entry.parts) <= right
    }


def estimate(server: ModelServer, fit: Fit) -> Estimate:
    """By the drawn picture, which is smaller than most."""
    requests = fit.requests
    cost = None
    tokens = server.trial.get("tokens")
    if server.price_in is not None and server.price_out is not None and tokens:
        asked, told = tokens
        cost = requests * (asked * server.price_in + told * server.price_out) / 1_000_000
    return Estimate(requests, requests * server.trial.get("seconds", 0.0) / AT_A_TIME, cost)


def options_of(server: ModelServer, entry: Entry) -> dict[str, str]:
    """The options of a judge that asks this server's model."""
    return {
        f"{kind}.{name}": value
        for kind in entry.parts
        for name, value in (("checkpoint", server.model), ("base_url", server.address))
    }
