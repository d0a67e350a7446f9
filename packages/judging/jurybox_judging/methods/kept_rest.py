"""Whether an edit kept what nobody wanted to change: the likeness of source and result outside a mask.

It never looks at the instruction: an edit that did nothing kept everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from jurybox_judging.methods.shared.shown import NoPicture, shown_to
from jurybox_judging.options import Optioned, choice
from jurybox_judging.protocols import (
    RESULT,
    Judgement,
    KnownAnswers,
    Placed,
    Question,
    Subject,
    Unscored,
    Want,
)

NAMES = {"kept-rest": {"class": "KeptRest", "parts": ("answers",)}}

SOURCE, MASK = "source", "mask"
EITHER, SET, CHANGE = "either", "set", "change"
QUESTION = "How far is everything outside the part that may change as it was?"


@dataclass(frozen=True, kw_only=True)
class KeptRest(Optioned):
    mask: str = choice(
        EITHER,
        (EITHER, SET, CHANGE),
        "What may change. set: the prompt’s own mask. change: the largest coherent change. either: the "
        "prompt’s mask where it has one.",
    )

    identity: ClassVar[str] = "KeptRest"
    version: ClassVar[str] = "1"
    # What every question shows, besides a mask.
    pictures: ClassVar[tuple[str, ...]] = (SOURCE, RESULT)

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        try:
            want = self._question(subject)
        except NoPicture:
            return ()
        return () if want in seen else (want,)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        try:
            answer = seen[self._question(subject)]
        except NoPicture as error:
            return Unscored(str(error), lacks=error.lacks)
        if answer.probability is None:
            return Unscored(answer.reason or "Source and result were not compared.")
        evidence: dict[str, Any] = {"compared": f"outside {answer.said}"}
        return Judgement(float(answer.probability), evidence=evidence)

    def _question(self, subject: Subject) -> Question:
        return Question(QUESTION, ("kept",), "share", self._source_picture(subject))

    def _source_picture(self, subject: Subject) -> tuple[Placed, ...]:
        """One source: of several pictures nobody says which one was edited."""
        sources = shown_to(subject, (SOURCE,))
        if len(sources) > 1:
            raise NoPicture("This prompt has several source pictures; it is compared with one.")
        result = shown_to(subject, (RESULT, SOURCE))[:1]
        if self.mask == CHANGE:
            return sources + result
        try:
            return sources + shown_to(subject, (MASK,))[:1] + result
        except NoPicture:
            if self.mask == SET:
                raise
            return sources + result
