"""The images that may be trained on, and why the others may not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from annotations.errors import Refused
from annotations.models import Flag, Image, Prompt, Study
from audit.reports.pairing import People
from jurybox_judging.methods.gors import THRESHOLDS

RULES = {
    "paper": "above the paper’s threshold",
    "calibrated": "above the score from which people surely say yes",
    "people": "by the share of people who said yes",
}
MOST, PRECISION = 9, 0.9


EVALUATED = "the prompt is in an evaluation study"
NO_PICTURE = "there is no picture"
FLAGGED = "somebody flagged it, and nobody has resolved that"
BROKEN = "it was flagged as broken"
NO_SCORE = "the judge gave no score"


@dataclass(frozen=True)
class Eligible:
    """`places` of the images in `People`, in the order of their keys; `facts` of each by its place."""

    places: np.ndarray
    facts: dict[int, dict[str, Any]]
    dropped: Counter[str]


def normalised(text: str) -> str:
    """Two prompts that differ in case, spaces or a last full stop are one."""
    return " ".join(text.casefold().split()).rstrip(" .")


def prompts_of(studies: Sequence[Study]) -> set[str]:
    texts = Prompt.objects.filter(study__in=studies).order_by().values_list("text", flat=True)
    return {normalised(text) for text in texts.iterator()}


def eligible(
    study: Study, people: People, scores: np.ndarray, evaluation: Iterable[Study]
) -> Eligible:
    """A constant number of queries."""
    forbidden = prompts_of(list(evaluation))
    flags: dict[int, str] = {}
    for image, reason, settled in (
        Flag.objects.filter(image__study=study)
        .order_by("pk")
        .values_list("image_id", "reason", "settled_at")
    ):
        if reason == Flag.Reason.BROKEN:
            flags[image] = BROKEN
        elif settled is None:
            flags.setdefault(image, FLAGGED)
    place = {key: number for number, key in enumerate(people.images.tolist())}
    facts: dict[int, dict[str, Any]] = {}
    dropped: Counter[str] = Counter()
    rows = Image.objects.filter(study=study).order_by().values_list(
        "pk", "key", "file", "sha256", "prompt__key", "prompt__text", "prompt__metadata",
        "generator__name",
    )  # fmt: skip
    for pk, key, file, sha256, prompt, text, metadata, generator in rows:
        at = place[key]
        reason = (
            NO_PICTURE if not file
            else flags.get(pk)
            or (EVALUATED if normalised(text) in forbidden else "")
            or (NO_SCORE if np.isnan(scores[at]) else "")
        )  # fmt: skip
        if reason:
            dropped[reason] += 1
            continue
        facts[at] = {
            "image": key,
            "prompt": prompt,
            "text": text,
            "metadata": metadata,
            "generator": generator,
            "sha256": sha256,
        }
    return Eligible(np.array(sorted(facts), dtype=np.int64), facts, dropped)


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
