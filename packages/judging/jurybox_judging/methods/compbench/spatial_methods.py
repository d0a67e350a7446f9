"""T2I-CompBench, spatial relations in the plane and in depth (Huang et al. 2023, UniDet).

The default is what the official scripts do. Where they differ from the paper, and the repairs:

- two objects score 1/4 of each confidence and 1/2 of the position, and a sum below 1/2 becomes 0;
  `keep_partial=True` keeps it. The paper's score is the position alone: `paper=True`.
- "on top of" is found as a relation and has no rule, so it scores 0; `on_top_of=True` reads it
  as "on the top of".
- the noun must be exactly a label: UniDet calls a mouse "mouse2, mouse", so that 100 of the
  300 official prompts can never score; `synonyms=True` lets each name of a label count.
- in depth, the map is read with x and y exchanged (`transposed=False` reads it right), "car" is
  found in "carpet" (`whole_words=True`), and boxes side by side never score
  (`side_by_side=True` asks for the right depth only).
- a noun that the detector was not trained on counts as "not found", score 0;
  `unknown="unscored"` leaves such a prompt without a score.

Boxes are measured in the official frame, where the long side of the picture has about 480 pixels:
the limit of 150 pixels for "near" refers to it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from jurybox_judging.boxes import FAINT, as_evidence, frame, from_score, overlap, plain
from jurybox_judging.methods.compbench.positions import (
    BESIDE,
    DEPTHS,
    PREPOSITIONS,
    RELATIONS,
    SpatialScore,
    absent,
    first,
    in_depth,
    in_plane,
    person,
    relation_in,
    untaught,
)
from jurybox_judging.noun_phrases import check_reader, parser_option, reader
from jurybox_judging.options import Optioned, choice, flag, real
from jurybox_judging.protocols import (
    DepthOf,
    Detection,
    Judgement,
    KnownAnswers,
    Objects,
    Subject,
    Unscored,
    Want,
)


@dataclass(frozen=True, kw_only=True)
class Spatial2D(Optioned):
    threshold: float = real(0.5, "Detections with this score count.", minimum=0, maximum=1)
    on_top_of: bool = flag(False, "Reads “on top of” as “on the top of”.")
    keep_partial: bool = flag(False, "Keeps scores below one half, which the code sets to 0.")
    synonyms: bool = flag(False, "Each of the names that a label lists counts.")
    paper: bool = flag(False, "The score is the position alone, as in the paper.")
    complex: bool = flag(
        False, "Takes the things on either side of the preposition, for complex prompts."
    )
    unknown: str = choice(
        "zero", ("zero", "unscored"), "What a noun means that the detector was never taught."
    )
    parser: str = parser_option()

    identity: ClassVar[str] = "Spatial2D"
    version: ClassVar[str] = "1"
    in_peoples_unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reader(self.parser)

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        asked = _find_relation(subject, self.parser, RELATIONS, around=self.complex)
        if isinstance(asked, str) or _is_left_out(self, asked, seen):
            return ()
        want = _objects(asked)
        return () if want in seen else (want,)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        asked = _find_relation(subject, self.parser, RELATIONS, around=self.complex)
        if isinstance(asked, str):
            # Of a complex prompt whose things it cannot find, the official script says 0.
            if self.complex:
                return Judgement(0.0, reason=asked)
            return Unscored(asked, lacks="relation")
        relation, *nouns = asked
        unknown = untaught(nouns, seen.classes, self.synonyms)
        if unknown and self.unknown == "unscored":
            return Unscored(unknown, lacks="classes")
        if relation in BESIDE and 0 in subject.size:
            return Unscored(f"The size of the picture is not known, and “{relation}” needs it.")
        detections = _framed(seen[_objects(asked)], subject.size, self.threshold)
        rules = {
            name: value
            for name, value in asdict(self).items()
            if name not in ("complex", "unknown", "parser")
        }
        result = in_plane(subject.prompt, nouns, detections, **rules)
        return _judgement(result, relation, nouns, detections, unknown)


@dataclass(frozen=True, kw_only=True)
class Spatial3D(Optioned):
    """Which of two things is in front. There is no `paper=True`: the paper does not define it."""

    threshold: float = real(0.5, "Detections with this score count.", minimum=0, maximum=1)
    transposed: bool = flag(True, "Reads the depth map with x and y exchanged, as coded.")
    whole_words: bool = flag(False, "A noun must be a whole label, not a part of one.")
    side_by_side: bool = flag(False, "Boxes that do not overlap can score, too.")
    synonyms: bool = flag(False, "Each of the names that a label lists counts.")
    unknown: str = choice(
        "zero", ("zero", "unscored"), "What a noun means that the detector was never taught."
    )
    parser: str = parser_option()

    identity: ClassVar[str] = "Spatial3D"
    version: ClassVar[str] = "1"
    in_peoples_unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_reader(self.parser)

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        asked = _find_relation(subject, self.parser, DEPTHS)
        if isinstance(asked, str) or _is_left_out(self, asked, seen):
            return ()
        want = _objects(asked)
        if want not in seen:
            return (want,)
        one, other = self._pair(asked, seen[want], subject.size)
        if one is None or other is None:
            return ()
        depths = (self._depth(d, subject.size) for d in (one, other))
        return tuple(depth for depth in depths if depth not in seen)

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        asked = _find_relation(subject, self.parser, DEPTHS)
        if isinstance(asked, str):
            return Unscored(asked, lacks="relation")
        relation, *nouns = asked
        unknown = untaught(nouns, seen.classes, self.synonyms)
        if unknown and self.unknown == "unscored":
            return Unscored(unknown, lacks="classes")
        detections = seen[_objects(asked)]
        one, other = pair = self._pair(asked, detections, subject.size)
        score = sum(0.25 * float(d["score"]) for d in pair if d is not None)
        reason = absent(nouns, pair)
        depths: list[float | None] = []
        if one is not None and other is not None:
            depths = [seen[self._depth(d, subject.size)] for d in (one, other)]
            if None in depths and not self.transposed:
                return Unscored("A box holds no pixel of the depth map.")
            depth_1, depth_2 = (math.nan if depth is None else depth for depth in depths)
            shared = overlap(one["box"], other["box"])
            position = in_depth(relation, shared, depth_1, depth_2, side_by_side=self.side_by_side)
            score += 0.5 * position
            if position < 1:
                reason = f"{nouns[0]} {relation} {nouns[1]}: {position:.2f} of 1"
        result = SpatialScore(score, reason, pair)
        judgement = _judgement(
            result, relation, nouns, _framed(detections, subject.size, self.threshold), unknown
        )
        judgement.evidence["depths"] = depths
        return judgement

    def _depth(self, detection: Detection, size: tuple[int, int]) -> DepthOf:
        x1, y1, x2, y2 = (float(value) for value in detection["box"])
        return DepthOf((x1, y1, x2, y2), self.transposed, frame(size) if 0 not in size else None)

    def _pair(
        self, asked: tuple[str, str, str], every: Sequence[Detection], size: tuple[int, int]
    ) -> tuple[Detection | None, Detection | None]:
        detections = from_score(_framed(every, size, self.threshold), self.threshold)
        nouns = [person(noun) for noun in asked[1:]]
        if self.whole_words or self.synonyms:
            one, other = (first(noun, detections, self.synonyms) for noun in nouns)
            return one, other
        # As coded: the list is scanned until both nouns have a match, and meanwhile a later match
        # replaces an earlier, more confident one.
        met: list[Detection | None] = [None, None]
        for detection in detections:
            for place, noun in enumerate(nouns):
                if noun in detection["class"]:
                    met[place] = detection
            if None not in met:
                break
        return met[0], met[1]


def _is_left_out(
    rules: Spatial2D | Spatial3D, asked: tuple[str, str, str], seen: KnownAnswers
) -> bool:
    """Whether the prompt stays without a score, since the detector was never taught a noun."""
    return rules.unknown == "unscored" and bool(untaught(asked[1:], seen.classes, rules.synonyms))


def _find_relation(
    subject: Subject, parser: str, relations: Sequence[str], *, around: bool = False
) -> tuple[str, str, str] | str:
    """The relation and the two nouns of a prompt, or a sentence saying why there are none."""
    relation = relation_in(subject.prompt, relations)
    if relation is None:
        return f"This prompt has none of the relations {', '.join(relations)}."
    brought = subject.metadata.get("nouns")
    if brought is not None:
        if not isinstance(brought, list | tuple) or len(brought) != 2:
            return "The prompt's own “nouns” must be two: the first and the second thing."
        return relation, str(brought[0]), str(brought[1])
    read = reader(parser)
    if around:
        return _around(subject.prompt, relation, read)
    nouns = [noun for phrase in read(subject.prompt) for noun in phrase.nouns]
    if len(nouns) < 2:
        return "This prompt does not name two things."
    return relation, nouns[0], nouns[-1]


def _around(prompt: str, relation: str, read: Any) -> tuple[str, str, str] | str:
    preposition = relation_in(prompt, PREPOSITIONS) or relation
    before, _, after = prompt.partition(preposition)
    left, right = read(before), read(after.removeprefix(" of"))
    if not left or not right or not left[-1].nouns or not right[0].nouns:
        return f"This prompt does not name one thing on each side of “{preposition}”."
    return relation, left[-1].nouns[-1], right[0].nouns[-1]


def _objects(asked: tuple[str, str, str]) -> Objects:
    return Objects(tuple(dict.fromkeys(person(noun) for noun in asked[1:])))


def _framed(
    detections: Sequence[Detection], size: tuple[int, int], threshold: float
) -> list[Detection]:
    """In the official order (best first) and frame, without the faintest."""
    visible = from_score(detections, min(threshold, FAINT))
    ordered = sorted(visible, key=lambda detection: -detection["score"])
    if 0 in size:
        return ordered
    width, height = frame(size)
    stretch = (width / size[0], height / size[1]) * 2
    return [
        {**d, "box": [float(v) * s for v, s in zip(d["box"], stretch, strict=True)]}
        for d in ordered
    ]


def _judgement(
    result: SpatialScore,
    relation: str,
    nouns: Sequence[str],
    detections: Sequence[Detection],
    unknown: str,
) -> Judgement:
    return Judgement(
        score=float(result.score),
        reason=". ".join(words for words in (result.reason, unknown) if words),
        evidence={
            "relation": relation,
            "nouns": list(nouns),
            "used": [plain(d) if d else None for d in result.objects],
            "detections": as_evidence(detections),
        },
    )
