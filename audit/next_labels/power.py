"""How many prompts and people it takes until a drift of a judge would be found, from the newest report."""

from __future__ import annotations

from typing import Any

from annotations.models import Study
from audit.models import Report


def power_of(study: Study, judges: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """Of each judge, or of those named, whose report says it; one query."""
    bodies = Report.objects.filter(study=study, options={}).values_list("body", flat=True)
    known = (bodies.first() or {}).get("judges", {})
    return [
        {"judge": name, **judge["drift"]["power"]}
        for name, judge in known.items()
        if "power" in judge.get("drift", {}) and (not judges or name in judges)
    ]
