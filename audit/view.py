"""What to show of a report, as the URL says: every filter of the audit's pages stands there."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit.statistic_names import CONSENSUS, MAIN
from jurybox_stats.instrument.following import AGAINST
from jurybox_stats.instrument.stability import OFFSET, POINTS, SHARE

# What slices can be cut by: name in the URL and name on the page.
SLICES = {
    "tag": "skill or tag",
    "atomicity": "atomicity",
    "atom_kind": "kind of atom",
    "variant": "prompt variant",
    "unanimity": "agreement of people",
    "person": "annotator",
    "generator": "generator",
}


# From more judges than these on, a page speaks of the foremost, and folds the others.
MANY = 6
FOREMOST = 3


@dataclass(frozen=True, slots=True)
class View:
    """Unknown values fall back to the default, so that an old link still opens."""

    judges: tuple[str, ...] = ()
    statistic: str = ""
    by: str = ""
    # Of the reports with other options than the usual: the question, from which answer on an image
    # counts as right, and how several people's answers become one.
    question: str = ""
    cut: float | None = None
    consensus: str = "usual"
    # Whether intervals are for a single look, planned before the first label.
    one_look: bool = False

    @classmethod
    def from_query(cls, query: Any) -> View:
        judges = query.getlist("judge") if hasattr(query, "getlist") else query.get("judge", [])
        return cls(
            judges=tuple(judges),
            statistic=_known_value(query, "statistic", MAIN),
            by=_known_value(query, "by", SLICES),
            question=query.get("question", "")[:80],
            cut=_number(query.get("positive_at", "")),
            consensus=_known_value(query, "consensus", CONSENSUS) or "usual",
            one_look=query.get("look", "") == "one",
        )

    def slice_statistic(self, body: dict[str, Any]) -> str:
        """The requested one; else the deviation, or AUROC where scores and answers have no common
        scale."""
        return self.statistic or ("net_deviation" if body.get("in_points", True) else "auroc")

    def judges_of(self, body: dict[str, Any]) -> list[str]:
        """The requested judges, in the order of the report; all of them where none is known."""
        chosen = [name for name in body["judges"] if name in self.judges]
        return chosen or list(body["judges"])

    def judges_drawn(self, body: dict[str, Any]) -> tuple[list[str], list[str]]:
        """The judges of a chart, and those of them that have their colours and names. Where there
        are many, one sees the others behind them, thin and grey."""
        if len(body["judges"]) <= MANY:
            shown = self.judges_of(body)
            return shown, shown
        chosen = [name for name in body["judges"] if name in self.judges]
        return list(body["judges"]), chosen or foremost(body)

    def judge_of(self, body: dict[str, Any]) -> str:
        """The judge of a page that shows one: the first requested, else the first that drifted.
        The report must have a judge."""
        for name in body["judges"]:
            if name in self.judges:
                return name
        return min(body["judges"], key=lambda name: not body["judges"][name]["drift"]["alarm"])


def foremost(body: dict[str, Any]) -> list[str]:
    """The judges that a reader should hear of first."""
    return by_urgency(body["judges"])[:FOREMOST]


def by_urgency(judges: dict[str, dict[str, Any]]) -> list[str]:
    """Those that drift, the furthest of them first; then those that do not follow people, those of which
    one cannot tell, and the others."""
    return sorted(judges, key=lambda name: (*_urgency(judges[name]), name))


def _urgency(judge: dict[str, Any]) -> tuple[int, float]:
    drift = judge["drift"]
    state = drift.get("state", "drifts" if drift["alarm"] else "holds")
    if state != "drifts" and judge.get("follows", {}).get("state") in AGAINST:
        state = "against"
    rank = ("drifts", "against", "cannot be told", "holds").index(state)
    return rank, -_size(drift)


def _size(drift: dict[str, Any]) -> float:
    """In points; as much of the gain as a drift worth seeing weighs like as many points."""
    if "steps" not in drift:  # a report of an earlier version
        claim = drift.get("claims", {}).get(drift.get("by") or "net_deviation", {})
        size = claim.get("size", drift.get("net_deviation_since", {})).get("value", 0.0)
        return abs(size) * (100 if drift.get("by") == "agreement" else 1)
    if not drift.get("moved"):
        return 0.0
    step = drift["steps"][drift["likeliest"]]
    if drift["moved"] == OFFSET:
        return abs(step[OFFSET]["value"])
    return POINTS / SHARE * abs(step["gain_change"]["value"])


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _known_value(query: Mapping[str, str], name: str, values: Mapping[str, Any]) -> str:
    value = query.get(name, "")
    return value if value in values else ""
