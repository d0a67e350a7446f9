"""What judges of somebody's own recipes and imported ones are called, as their report tells it, and the names that its
sentences hold."""

from __future__ import annotations

from itertools import chain
from typing import Any

from annotations.language.stored_words import keep_names
from judges.names import remember_titles, title


def remember(body: dict[str, Any]) -> None:
    """For whoever reads a stored report, before its sentences are made."""
    told = body.get("signature", {}).get("judge_facts", {}).values()
    remember_titles((facts["name"], facts.get("title")) for facts in told)
    judges = body.get("judges", {})
    slices = (
        cut for judge in judges.values() for key, cut in judge.items() if key.startswith("by_")
    )
    keep_names(map(title, judges))
    keep_names(generator["name"] for generator in body.get("generators", ()))
    keep_names({*chain.from_iterable(slices), body.get("question", "")})


def remember_summary(summary: dict[str, Any]) -> None:
    """The few facts of a report that lists show."""
    keep_names(judge["title"] for judge in summary.get("judges", {}).values())
