"""What a training set is made by: the judge, the rule, and what is left out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from annotations.errors import Refused
from jurybox_judging.methods.gors import THRESHOLDS

RULES = {
    "paper": "above the paper’s threshold",
    "calibrated": "above the score from which people surely say yes",
    "people": "by the share of people who said yes",
}
MOST, PRECISION = 9, 0.9


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    judge: str
    rule: str
    question: str = ""
    most: int = MOST  # of a prompt
    precision: float = PRECISION
    category: str = ""  # of GORS, where the prompts do not say theirs
    evaluation: tuple[str, ...] = ()  # studies whose prompts must not be trained on

    def refuse_unfit(self) -> None:
        if self.rule not in RULES:
            raise Refused(f"Images are chosen by {', '.join(RULES)}; “{self.rule[:40]}” is none.")
        if self.most < 1:
            raise Refused("At least one image of a prompt must be allowed.")
        if not 0.5 <= self.precision < 1:
            raise Refused("The precision must lie between 0.5 and 1; 0.9 is usual.")
        if self.category and self.category not in THRESHOLDS:
            known = ", ".join(THRESHOLDS)
            raise Refused(f"GORS has no threshold for “{self.category[:40]}”; it has {known}.")

    def as_dict(self) -> dict[str, Any]:
        return {**asdict(self), "evaluation": sorted(self.evaluation)}
