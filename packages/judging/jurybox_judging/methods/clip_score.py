"""CLIPScore and similar scores: one number for how well a picture and a text fit.

T2I-CompBench and the authors of VQAScore report the plain cosine; Hessel et al. (2021) cut it at 0
and multiply it by 2.5 (`clip_and_scale=True`), and put "A photo depicts" before the text
(`prefix`).
The same rule serves every matcher: BLIP-2's matching head, PickScore, HPSv2 and ImageReward each
have a scale of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from jurybox_judging.noun_phrases import check_reader, parser_option, reader
from jurybox_judging.options import Optioned, flag, free_text
from jurybox_judging.protocols import Judgement, KnownAnswers, Similarity, Subject, Unscored, Want

NAMES = {"clip-score": {"class": "ClipScore", "parts": ("similarity",)}}

SCALE = 2.5


def clip_and_scale(cosine: float) -> float:
    return SCALE * max(cosine, 0.0)


@dataclass(frozen=True, kw_only=True)
class ClipScore(Optioned):
    clip_and_scale: bool = flag(False, "Cut at 0 and multiply by 2.5, as Hessel et al. do.")
    prefix: str = free_text("", "Put before the prompt, such as “A photo depicts”.")
    without_adjectives: bool = flag(
        False, "T2I-CompBench's “--complex”, which any value after it turns on."
    )
    parser: str = parser_option()

    identity: ClassVar[str] = "ClipScore"
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reader(self.parser)

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        if not subject.prompt.strip():
            return ()
        want = self._similarity(subject)
        return () if want in seen else (want,)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not subject.prompt.strip():
            return Unscored("This prompt is empty.", lacks="words")
        want = self._similarity(subject)
        similarity = seen[want]
        if similarity is None or not math.isfinite(similarity):
            return Unscored(f"The matcher gave {similarity}, which is no similarity.")
        score = clip_and_scale(similarity) if self.clip_and_scale else float(similarity)
        return Judgement(score, evidence={"text": want.text, "similarity": float(similarity)})

    def _similarity(self, subject: Subject) -> Similarity:
        text = subject.prompt
        if self.without_adjectives:
            phrases = reader(self.parser)(text)
            adjectives = {word.lower() for phrase in phrases for word in phrase.adjectives}
            text = " ".join(w for w in text.split() if w.lower().strip(".,;") not in adjectives)
        return Similarity(f"{self.prefix} {text}".strip() if self.prefix else text)
