"""Who decides what judges may name, whom they may ask and what that may cost: the host.

In a notebook whoever builds a judge is the operator, and all that they name is allowed. An installation
that other people use brings a host of its own, with `use`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any
from urllib.parse import SplitResult, urlsplit

from jurybox_judging.errors import EngineRefused
from jurybox_judging.options import Option


class Host:
    def recipe(self, name: str) -> str | None:
        """The text of a judge that is not of the catalogue; None where there is none."""
        return None

    def check_option(self, name: str, option: Option, value: str) -> None:
        """Refuses a folder, a file, weights or an address that this option may not name."""

    def check_server(self, url: str) -> SplitResult:
        """The parts of the address, if judges may ask there."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise EngineRefused(f"“{url}” is no address of a server: it begins with http or https.")
        return parts

    def secret_for(self, parts: SplitResult, model: str) -> str:
        return os.environ.get("OPENAI_API_KEY", "")

    def check_budget(self, model: str, server: str) -> None:
        """Refuses where today's money is spent. `server`: its name as it is counted."""

    def count_use(self, server: str, model: str, replies: Sequence[Mapping[str, Any]]) -> None:
        """Counts the tokens and the cost of these replies."""


_make: Callable[[], Host] = Host


def use(make: Callable[[], Host]) -> None:
    """Made when somebody first asks: a command that runs no judge imports nothing for it."""
    global _make
    _make = make
    current.cache_clear()


@cache
def current() -> Host:
    return _make()
