"""What an address asks to see of a report: every filter of the audit's pages is in their URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit.words.report import STATISTICS

# What slices can be cut by, and how the page calls it.
SLICES = {
    "tag": "skill or tag",
    "atomicity": "atomicity",
    "atom_kind": "kind of atom",
    "variant": "prompt variant",
    "unanimity": "agreement of people",
    "person": "annotator",
    "generator": "generator",
}


@dataclass(frozen=True, slots=True)
class View:
    """Unknown values fall back to the default: an old link still opens."""

    judges: tuple[str, ...] = ()
    statistic: str = ""
    by: str = ""

    @classmethod
    def asked(cls, query: Any) -> View:
        """From the query string of an address."""
        judges = query.getlist("judge") if hasattr(query, "getlist") else query.get("judge", [])
        return cls(
            judges=tuple(judges),
            statistic=_known(query, "statistic", STATISTICS),
            by=_known(query, "by", SLICES),
        )

    def judges_of(self, body: dict[str, Any]) -> list[str]:
        """The judges asked for, in the order of the report; all of them where none is known."""
        chosen = [name for name in body["judges"] if name in self.judges]
        return chosen or list(body["judges"])

    def judge_of(self, body: dict[str, Any]) -> str | None:
        """The one judge of a page that shows one; drifted ones first."""
        chosen = [name for name in body["judges"] if name in self.judges]
        if chosen:
            return chosen[0]
        by_alarm = sorted(
            body["judges"], key=lambda name: not body["judges"][name]["drift"]["alarm"]
        )
        return by_alarm[0] if by_alarm else None


def _known(query: Mapping[str, str], name: str, values: Mapping[str, Any]) -> str:
    value = query.get(name, "")
    return value if value in values else ""
