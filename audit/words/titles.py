"""What judges of somebody's own recipes and imported ones are called, as the report tells it whose words are to be said."""

from __future__ import annotations

from typing import Any

from judges.names import remember_titles


def remember(body: dict[str, Any]) -> None:
    """For whoever reads a stored report, before anything of it is said."""
    told = body.get("signature", {}).get("judge_facts", {}).values()
    remember_titles((facts["name"], facts.get("title")) for facts in told)
