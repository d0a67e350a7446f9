"""One file of golden vectors through the code."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.vectors import causes, contests, labels, people, ranks
from tests.vectors.compare import Compared

# A check yields what a case expects and what the code said, for each value that it compares.
Check = Callable[[dict[str, Any], dict[str, Any]], Iterator[Compared]]
CHECKS: dict[str, Check] = {
    "alt_test": people.alt_test,
    "assisted_active": labels.drawn,
    "assisted_mean": labels.mean,
    "causes": causes.attribution,
    "conditional_logit": people.conditional_severity,
    "dawid_skene": people.dawid_skene,
    "escalation": labels.escalation,
    "goodhart": ranks.goodhart,
    "label_plan": labels.plan,
    "paired_preferences": contests.fits,
    "severity_fixed_effects": people.severity,
    "soft_pairwise": ranks.soft_pairwise,
    "water_filling": labels.water_filling,
}


@dataclass(frozen=True)
class Outcome:
    name: str
    agree: int
    total: int
    miss: str = ""

    @property
    def agrees(self) -> bool:
        return 0 < self.total == self.agree

    def as_line(self) -> str:
        line = f"{self.name}: {self.agree} of {self.total} agree"
        return f"{line}\n  {self.miss}" if self.miss else line


def run(file: Path) -> Outcome:
    check = CHECKS.get(file.stem)
    if check is None:
        known = ", ".join(sorted(CHECKS))
        return Outcome(file.stem, 0, 0, f"no function is known for this name; known: {known}")
    bundle = json.loads(file.read_text(encoding="utf-8"))
    agree, miss = 0, ""
    for number, case in enumerate(bundle["cases"]):
        wrong = next((c for c in check(case, bundle) if not c.agrees), None)
        if wrong is None:
            agree += 1
        elif not miss:
            miss = f"{case.get('id', number)}: {wrong}"
    return Outcome(file.stem, agree, len(bundle["cases"]), miss)
