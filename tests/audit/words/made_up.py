"""Reports with numbers that are drawn at random, for tests of what is said about them."""

from __future__ import annotations

from typing import Any

import numpy as np

from audit.reports.states import settle
from audit.words.drift_state import AS_THEY_ARE, AUROC, PAIRS
from jurybox_stats.instrument.verdict import STOPPED

JUDGES = ("geneval", "vqascore", "clipscore", "some-judge")
GENERATORS = ("A", "B", "C", "D")
SLICES = ("colour", "count", "shape")


def _beyond(step: dict[str, Any]) -> list[str]:
    """As a report decides it."""
    offset, gain = step["offset"], step["gain_change"]
    off = (offset["low"] > 0 or offset["high"] < 0) and max(-offset["low"], offset["high"]) > 3
    less = gain["high"] < 0 and gain["low"] < -0.1
    return ["offset"] * bool(off) + ["gain"] * bool(less)


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

    def slice(self) -> dict[str, Any]:
        """Compared with the judge's own average, where there are images enough."""
        found = self.stats()
        for name in ("net_deviation", "auroc"):
            if "value" in found[name] and self.chance(0.8):
                apart = self.estimate(-40, 40, undefined=0, bounded=1)
                sure = not apart["low"] <= 0 <= apart["high"]
                found[name] |= {"from_average": apart, "p_bh": 0.001 if sure else 0.3}
        return found

    def step(self) -> dict[str, Any]:
        return {
            "since": "2024-10-01",
            "generators": list(GENERATORS[2:]),
            "offset": self.estimate(-40, 40, undefined=0, bounded=1),
            "gain_change": self.estimate(-1, 1, undefined=0, bounded=1),
        }

    def drift(self) -> dict[str, Any]:
        told = {
            "kind": str(self.rng.choice(["verdicts", "scores"])),
            "slope_points_per_year": self.points(),
        }
        if self.chance(0.2):
            return {**told, "untold": f"{STOPPED}The key was refused."}
        step = self.step()
        return {
            **told,
            "read": AS_THEY_ARE,
            "reference": {
                "rule": "the oldest third of the generators",
                "generators": ["A", "B"],
            },
            **({"assumed": 40} if self.chance(0.1) else {}),
            "steps": [step] * int(self.rng.choice([1, 3])),
            "likeliest": 0,
            "p": float(self.rng.choice([0.0001, 0.03, 0.6])),
            "beyond": _beyond(step),
            "inside": self.chance(0.5),
            "images_for_that": 4000,
            "prompts": 120,
            "prompts_for_that": 500,
            "apart": {"generator": "B", **self.step()} if self.chance(0.1) else None,
            "same_people": None if self.chance(0.1) else float(self.rng.uniform(0, 1)),
            "by_generator": {
                name: {"net_deviation": self.points(), "offset": self.points()}
                for name in GENERATORS
            },
            "gap": self.gap(),
        }

    def gap(self) -> dict[str, Any]:
        if self.chance(0.2):
            return {"undefined": "no points", "n": 60}
        before, now = self.rng.uniform(-40, 40, 2).tolist()
        return {
            "newest": ["D"],
            "before": before,
            "now": now,
            "gain": float(self.rng.uniform(0.1, 1.5)),
            "generators": self.points(undefined=0, bounded=1),
            "judge": self.points(undefined=0, bounded=1),
            **(
                {"without_slips": {"share": 0.06, "now": now - 4, "before": before}}
                if self.chance(0.3)
                else {}
            ),
        }

    def judge(self) -> dict[str, Any]:
        bins = [
            {"score": float(self.rng.uniform(0, 100)), "people": self.estimate(0, 100, bounded=1)}
            for _ in range(3)
        ]
        return {
            "overall": self.stats(),
            "by_generator": {name: self.stats() for name in GENERATORS},
            "by_tag": {name: self.slice() for name in SLICES},
            "drift": self.drift(),
            "follows": {
                "what": AUROC if self.chance(0.5) else PAIRS,
                "constant": False,
                "newest": {"generators": ["D"], **self.share()},
            },
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
