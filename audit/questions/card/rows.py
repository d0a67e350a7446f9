"""Rows of a card: what was measured, the number with its interval, or why there is none."""

from __future__ import annotations

from typing import Any

from jurybox_stats.estimate import Result, Undefined

AGREEMENT, POSITION, FAMILY, COST = "agreement with people", "position", "family", "cost"
SHARE, SCORE, POINTS = "share", "score", "points"


def row(part: str, what: str, unit: str, found: Result, **more: Any) -> dict[str, Any]:
    return {"part": part, "what": what, "unit": unit, "number": found.as_dict(), **more}


def not_measured(part: str, why: str, what: str = "") -> dict[str, Any]:
    return row(part, what, "", Undefined(why))
