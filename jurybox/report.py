"""A report's body as tables and charts. The body is that of `jurybox report STUDY --json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jurybox.rows import Rows

SLICES = ("generator", "tag", "atomicity", "variant", "atom_kind")


class Report:
    """`report.net_deviation`, `report.auroc` …: each statistic as a table by judge and generator.

    Where a number is undefined, `value` is empty and `undefined` says why.
    """

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body

    @classmethod
    def read(cls, path: str | Path) -> Report:
        """What `jurybox audit … --out report.json` wrote."""
        return cls(json.loads(Path(path).read_text()))

    @property
    def judges(self) -> list[str]:
        return list(self.body["judges"])

    @property
    def generators(self) -> Rows:
        return Rows(
            {
                "generator": row["name"],
                "release_date": row["release_date"],
                "images": row["images"],
                **_flat(row["human_score"]),
            }
            for row in self.body["generators"]
        )

    @property
    def statistics(self) -> list[str]:
        """All that `overall`, `by` and the report's own attributes know."""
        named = (judge["overall"] for judge in self.body["judges"].values())
        return sorted({key for stats in named for key, told in stats.items() if _is_number(told)})

    @property
    def drift(self) -> Rows:
        """Each judge: whether it follows people; holds, drifts, or cannot be told; and why."""
        return Rows(
            {
                "judge": name,
                "follows": judge.get("follows", {}).get("state"),
                "state": judge["drift"]["state"],
                "reason": judge["drift"]["reason"],
            }
            for name, judge in self.body["judges"].items()
        )

    def overall(self, statistic: str) -> Rows:
        self._expect(statistic)
        return Rows(
            {"judge": name, **_flat(judge["overall"][statistic])}
            for name, judge in self.body["judges"].items()
            if statistic in judge["overall"]
        )

    def by(self, cut: str, statistic: str) -> Rows:
        """By `generator`, `tag`, `atomicity`, `variant` or `atom_kind`."""
        if cut not in SLICES:
            raise ValueError(f"A report is cut by {', '.join(SLICES)}; not by “{cut}”.")
        self._expect(statistic)
        dates = {row["name"]: row["release_date"] for row in self.body["generators"]}
        rows = Rows()
        for judge, told in self.body["judges"].items():
            for name, stats in told[f"by_{cut}"].items():
                if statistic in stats:
                    released = {"release_date": dates.get(name)} if cut == "generator" else {}
                    rows.append({"judge": judge, cut: name, **released, **_flat(stats[statistic])})
        return rows

    def chart(self, statistic: str = "net_deviation") -> Any:
        """An Altair chart of a statistic over the release dates of the generators."""
        from jurybox.charts import over_time

        return over_time(self.by("generator", statistic), statistic)

    def __getattr__(self, name: str) -> Rows:
        if name.startswith("_") or name == "body" or name not in self.statistics:
            raise AttributeError(name)
        return self.by("generator", name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.statistics})

    def _repr_html_(self) -> str:
        return self.drift._repr_html_()

    def _expect(self, statistic: str) -> None:
        if statistic not in self.statistics:
            raise ValueError(
                f"No “{statistic}” in this report; it has {', '.join(self.statistics)}."
            )


def _is_number(told: Any) -> bool:
    return isinstance(told, dict) and ("value" in told or "undefined" in told)


def _flat(told: dict[str, Any]) -> dict[str, Any]:
    return {name: told.get(name) for name in ("value", "low", "high", "n", "undefined")}
