"""The number of a reward model: a vision-language model with a small head, trained on what people prefer.

`texts` are what each head reads, word for word as in its training, with {prompt}. Several heads make one
number by `over_heads`. A head that also gives log σ (HPSv3, EditReward) says how unsure it is: that is
evidence, not part of the score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, ClassVar

from jurybox_judging.methods.shared.shown import NoPicture, check_places, pictures_option, shown_to
from jurybox_judging.options import Optioned, choice, texts
from jurybox_judging.protocols import Judgement, KnownAnswers, Reward, Subject, Unscored, Want

NAMES = {"reward": {"class": "RewardScore", "parts": ("reward",)}}

OVER_HEADS: dict[str, Callable[[Sequence[float]], float]] = {"mean": fmean, "min": min, "sum": sum}
FIRST, SECOND = "first", "second"
HEADS = {"all": None, FIRST: 0, SECOND: 1}
_PLACE = "{prompt}"


@dataclass(frozen=True, kw_only=True)
class RewardScore(Optioned):
    texts: tuple[str, ...] = texts(
        (_PLACE,), "What each head reads, in their order, with {prompt}.", most=4, longest=4_000
    )
    heads: str = choice(
        "all", tuple(HEADS), "Which of them count: all, or one of a model with two of its own."
    )
    over_heads: str = choice("mean", tuple(OVER_HEADS), "One number of the rewards of all heads.")
    pictures: tuple[str, ...] = pictures_option()

    identity: ClassVar[str] = "RewardScore"
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_places(self.pictures)
        if not all(_PLACE in text for text in self.texts):
            raise ValueError(f"Each of “texts” must hold {_PLACE}.")
        if (HEADS[self.heads] or 0) >= len(self.texts):
            raise ValueError(f"“heads” is {self.heads}, and “texts” has one text only.")

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        if not subject.prompt.strip():
            return ()
        try:
            return tuple(want for want in self._rewards(subject) if want not in seen)
        except NoPicture:
            return ()

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not subject.prompt.strip():
            return Unscored("This prompt is empty.", lacks="words")
        try:
            numbers = [tuple(seen[want]) for want in self._rewards(subject)]
        except NoPicture as error:
            return Unscored(str(error), lacks=error.lacks)
        if not all(some and all(map(math.isfinite, some)) for some in numbers):
            return Unscored(f"The model gave {numbers}, which is no reward.")
        rewards = [some[0] for some in numbers]
        evidence: dict[str, Any] = {"rewards": rewards}
        if all(len(some) > 1 for some in numbers):
            evidence["spreads"] = [_spread(some[1]) for some in numbers]
        return Judgement(float(OVER_HEADS[self.over_heads](rewards)), evidence=evidence)

    def _rewards(self, subject: Subject) -> list[Reward]:
        shown = shown_to(subject, self.pictures)
        only = HEADS[self.heads]
        return [
            Reward(text.replace(_PLACE, subject.prompt), head, shown)
            for head, text in enumerate(self.texts)
            if only in (None, head)
        ]


def _spread(log_spread: float) -> float | None:
    """exp(log σ); None where that is no number any more."""
    try:
        return math.exp(log_spread)
    except OverflowError:
        return None
