"""The row of plain selects above a page; their values are in its address."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from audit.narrative import title


def select(
    name: str, heading: str, choices: Iterable[tuple[str, str]], value: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "title": heading,
        "value": "" if value is None else str(value),
        "choices": [{"value": key, "title": words} for key, words in choices],
    }


def judge_select(body: dict[str, Any], value: str | None, *, every: bool) -> dict[str, Any]:
    found = [(name, title(name)) for name in body["judges"]]
    return select("judge", "judge", [("", "all judges"), *found] if every else found, value or "")
