"""What judges of somebody's own recipes and imported ones are called, as their report tells it."""

from __future__ import annotations

from typing import Any

from judges.names import remember_titles


def remember(body: dict[str, Any]) -> None:
    """For whoever reads a stored report, before its sentences are made."""
    told = body.get("signature", {}).get("judge_facts", {}).values()
    remember_titles((facts["name"], facts.get("title")) for facts in told)
