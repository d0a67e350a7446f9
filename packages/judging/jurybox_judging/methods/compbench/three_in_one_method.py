"""T2I-CompBench, 3-in-1 for complex prompts: attributes, space and action in one mean.

As coded, the mean depends on the list that the prompt stands in: spatial prompts take attributes
and space, action prompts attributes and CLIPScore, prompts of both kinds all three. The paper
takes all three always (`paper=True`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from jurybox_judging.methods.blip_vqa import BlipVqa
from jurybox_judging.methods.clip_score import ClipScore
from jurybox_judging.methods.compbench.spatial_methods import Spatial2D
from jurybox_judging.noun_phrases import check_reader, parser_option
from jurybox_judging.options import Optioned, choice, flag
from jurybox_judging.protocols import Judgement, KnownAnswers, Method, Subject, Unscored, Want

ALL = ("attribute", "spatial", "clip")
# By the official lists complex_val_spatial, _action and _spatialaction.
PARTS = {
    "spatial": ("attribute", "spatial"),
    "action": ("attribute", "clip"),
    "spatialaction": ALL,
}


def three_in_one(
    kind: str, *, attribute: float, spatial: float, clip: float, paper: bool = False
) -> float:
    """`kind`: spatial, action or spatialaction, the list of the benchmark it stands in."""
    given = {"attribute": attribute, "spatial": spatial, "clip": clip}
    parts = _parts(kind, paper)
    return sum(given[part] for part in parts) / len(parts)


@dataclass(frozen=True, kw_only=True)
class ThreeInOne(Optioned):
    """The kind is the prompt's `metadata["subset"]`; `kind` is for prompts that have none."""

    kind: str = choice("", ("", *PARTS), "The kind of prompts whose metadata name none.")
    paper: bool = flag(False, "All three parts always, as in the paper.")
    without_adjectives: bool = flag(False, "The “--complex” of the official CLIP script.")
    parser: str = parser_option()

    identity: ClassVar[str] = "ThreeInOne"
    version: ClassVar[str] = "1"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reader(self.parser)

    @cached_property
    def _methods(self) -> dict[str, Method]:
        return {
            "attribute": BlipVqa(parser=self.parser),
            "spatial": Spatial2D(complex=True, parser=self.parser),
            "clip": ClipScore(without_adjectives=self.without_adjectives, parser=self.parser),
        }

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        wants = [
            want
            for part in self._phrases(subject)
            for want in self._methods[part].wants(subject, seen)
        ]
        return tuple(dict.fromkeys(wants))

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        parts = self._phrases(subject)
        if not parts:
            return Unscored(
                "3-in-1 must know whether this prompt is spatial, action or spatialaction "
                "(its “subset”, or the option “kind”).",
                lacks="kind",
            )
        judged = {part: self._methods[part].judge(subject, seen) for part in parts}
        evidence: dict[str, Any] = {
            "parts": {
                part: {"score": getattr(result, "score", None), "reason": result.reason}
                for part, result in judged.items()
            }
        }
        for result in judged.values():
            evidence |= result.evidence
        failed = [f"{part}: {t.reason}" for part, t in judged.items() if isinstance(t, Unscored)]
        if failed:
            return Unscored(f"Not every part has a score: {'; '.join(failed)}", evidence)
        scores = [t.score for t in judged.values() if isinstance(t, Judgement)]
        return Judgement(sum(scores) / len(scores), evidence=evidence)

    def _phrases(self, subject: Subject) -> tuple[str, ...]:
        if self.paper:
            return ALL
        kind = str(subject.metadata.get("subset", ""))
        return PARTS.get(kind) or PARTS.get(self.kind, ())


def _parts(kind: str, paper: bool) -> tuple[str, ...]:
    if paper:
        return ALL
    if kind not in PARTS:
        raise ValueError(f"The kind is one of {', '.join(PARTS)}, not “{kind}”.")
    return PARTS[kind]
