"""Reports with numbers that are drawn at random, for tests of what is said about them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from audit.reports.drift import _beyond
from audit.reports.states import settle
from audit.words.drift_state import AUROC, PAIRS, STOPPED

JUDGES = ("geneval", "vqascore", "clipscore", "some-judge")
GENERATORS = ("A", "B", "C", "D")
SLICES = ("colour", "count", "shape")


class MadeUp:
    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def estimate(
        self, low: float, high: float, *, undefined: float = 0.1, bounded: float = 0.95
    ) -> dict[str, Any]:
        """Anywhere between the two, with a wide or a narrow interval, or none; near 0 now and then."""
        n = int(self.rng.choice([4, 29, 30, 60, 1000]))
        if self.chance(undefined):
            return {"undefined": "people gave one answer only", "n": n}
        span = high - low
        value = self.rng.uniform(low, high)
        if low < 0 < high and self.chance(0.4):
            value = self.rng.choice([-1, 1]) * span * 10.0 ** self.rng.uniform(-6, -2)
        below, above = span * 10.0 ** self.rng.uniform(-6, 0, 2)
        ends = (max(low, value - below), min(high, value + above))
        if not self.chance(bounded):
            # As old reports have them.
            ends = (value, value) if self.chance(0.5) else (None, None)
        return {"value": value, "low": ends[0], "high": ends[1], "n": n}

    def share(self, **more: float) -> dict[str, Any]:
        return self.estimate(0, 1, **more)

    def points(self, **more: float) -> dict[str, Any]:
        return self.estimate(-40, 40, **more)

    def stats(self) -> dict[str, Any]:
        return {
            "n": int(self.rng.choice([4, 29, 30, 1000])),
            "auroc": self.share(),
            "percent_agreement": self.share(),
            "net_deviation": self.points(),
            "human_score": self.estimate(0, 100),
            "judge_score": self.estimate(0, 100),
        }

    def claim(self, name: str) -> dict[str, Any]:
        """`beyond` as a report decides it."""
        within = (-1.0, 1.0) if name == "agreement" else (-40.0, 40.0)
        size, change = (self.estimate(*within, undefined=0, bounded=1) for _ in range(2))
        if name == "agreement":
            change = size
        moved = SimpleNamespace(moved=SimpleNamespace(value=change["value"]))
        return {
            "evidence": float(10.0 ** self.rng.uniform(-3, 6)),
            "since": "2024-10-01",
            "change": change,
            "later": self.estimate(*within, undefined=0, bounded=1),
            "size": size,
            "newest": "D",
            "generators": list(GENERATORS[2:]),
            "before": 0.9,
            "after": 0.9 + size["value"] if name == "agreement" else None,
            "would_show": float(self.rng.choice([0.05, 5.0, 20.0])),
            "images_for_that": 4000,
            "beyond": _beyond(name, moved, size),
        }

    def drift(self) -> dict[str, Any]:
        kind = str(self.rng.choice(["verdicts", "scores"]))
        told = {
            "kind": kind,
            "order": AUROC if self.chance(0.5) else PAIRS,
            "slope_points_per_year": self.points(),
        }
        if self.chance(0.2):
            return {**told, "untold": f"{STOPPED}The key was refused."}
        names = ["net_deviation"] if kind == "verdicts" else ["net_deviation", "agreement"]
        return {
            **told,
            "reference": {
                "rule": "the oldest third of the generators",
                "generators": ["A", "B"],
                "calibration": "none",
            },
            "by_generator": {
                name: {"net_deviation": self.points(), "agreement": self.share()}
                for name in GENERATORS
            },
            "claims": {name: self.claim(name) for name in names if self.chance(0.9)},
            "prevalence": {
                "from": float(self.rng.uniform(0, 60)),
                "to": float(self.rng.uniform(40, 100)),
                "explains": None if self.chance(0.1) else float(self.rng.normal(0, 1)),
            },
        }

    def judge(self) -> dict[str, Any]:
        bins = [
            {"score": float(self.rng.uniform(0, 100)), "people": self.estimate(0, 100, bounded=1)}
            for _ in range(3)
        ]
        return {
            "overall": self.stats(),
            "by_generator": {name: self.stats() for name in GENERATORS},
            "by_tag": {name: self.stats() for name in SLICES},
            "drift": self.drift(),
            "curves": {"reliability": bins},
        }

    def difference(self) -> dict[str, Any]:
        """With the p of its interval, or the p of another test, as old reports have it."""
        found = self.estimate(-0.5, 0.5)
        if "undefined" in found:
            return found
        if self.chance(0.1):
            return {**found, "no_p": "too few resamples"}
        return {**found, "p_holm": float(self.rng.choice([0.0001, 0.03, 0.2, 1.0]))}

    def report(self) -> dict[str, Any]:
        names = JUDGES[: int(self.rng.integers(0, 5))]
        judges = {name: self.judge() for name in names}
        settle(judges)
        best = names[0] if names and self.chance(0.9) else None
        if best:
            judges[best]["overall"]["auroc"] = self.share(undefined=0)
        scale = "yes/no" if self.chance(0.5) else "rating"
        return {
            "study": "shapes",
            "question": "aligned",
            "scale": scale,
            "positive_at": None if scale == "yes/no" else 4,
            "signature": {"data": str(self.rng.integers(10**9))},
            "people": {
                "annotations": 0 if self.chance(0.1) else 60,
                "images": 60,
                "ceiling": {"percent_agreement": self.share()},
            },
            "judges": judges,
            "comparison": {
                "best": best,
                "judges": {name: {"auroc": self.difference()} for name in names if name != best},
            },
        }

    def question(self) -> dict[str, Any]:
        """Of the page of people."""
        return {
            "percent": self.share(),
            "ceiling": self.share(),
            "change": self.estimate(-1, 1, bounded=1),
            "alpha": {"nominal": self.estimate(-1, 1)},
        }
