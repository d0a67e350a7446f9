"""What the operator of this installation lets judges name, ask and spend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import SplitResult

from judges import allowed, installed, servers
from jurybox_judging.host import Host
from jurybox_judging.options import Option


class Installation(Host):
    def recipe(self, name: str) -> str | None:
        row = installed.recipe(name)
        return None if row is None else row.text

    def check_option(self, name: str, option: Option, value: str) -> None:
        allowed.check(name, option, value)

    def check_server(self, url: str) -> SplitResult:
        return servers.check_server(url)

    def secret_for(self, parts: SplitResult, model: str) -> str:
        return servers.secret_for(parts, model)

    def check_budget(self, model: str, server: str) -> None:
        servers.check_budget(model, server)

    def count_use(self, server: str, model: str, replies: Sequence[Mapping[str, Any]]) -> None:
        servers.count_use(server, model, replies)
