"""AlignScore of M3T2IBench: are all instances there, in their color, where they should be?

The code was never released, so part of this is *inferred* from the paper's text and tables:

- bias: the sum over the prompted categories of |wanted - found|. Inferred: the formula is missing,
  the magnitudes of the paper's table 2 fit.
- accuracy: over the best matching of instances to detections of their category, the colors and
  relations that are right, divided by all colors and relations. As the paper describes it.
- score: (accuracy + 1/(1 + bias))/2. Inferred: it gives 13 of the 15 rows of table 2 from the
  printed means. Either the formula takes the mean bias and accuracy ("means"), or it is applied to
  each image and then averaged ("images"); see `summarise`.

A relation holds as in GenEval's paper, each axis by itself: the centers are further apart than a
tenth of both sizes. Detections above GenEval's 0.3 count, and overlapping ones are kept: this is
what "the same as GenEval" means.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from jurybox_judging.boxes import as_evidence, overlap, scores
from jurybox_judging.methods.geneval import relations as geneval_relations
from jurybox_judging.methods.shared import matching
from jurybox_judging.methods.shared.color_options import background_option
from jurybox_judging.options import Optioned, real
from jurybox_judging.protocols import (
    ColorOf,
    Detection,
    Judgement,
    KnownAnswers,
    Objects,
    Subject,
    Unscored,
    Want,
)

NAMES = {"align-score": {"class": "AlignScore", "parts": ("objects",), "more": ("colors",)}}

COLORS = ("green", "red", "yellow", "brown", "black", "white", "blue")
TEMPLATES = (
    "The color of {noun} in this photo is {color}.",
    "The {noun} in this photo is {color}-colored.",
)
RELATIONS = {"left": "left of", "right": "right of", "above": "above", "below": "below"}
Relation = tuple[int, str, int]


@dataclass(frozen=True, slots=True)
class Alignment:
    """`pairs`: for each instance the index of its detection; `hits` of `parts` are right."""

    bias: int
    accuracy: float
    score: float
    hits: int
    parts: int
    pairs: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class AlignmentSummary:
    bias: float
    accuracy: float
    score: float


def align(
    instances: Sequence[Mapping[str, Any]],
    relations: Iterable[Relation],
    detections: Sequence[Mapping[str, Any]],
    *,
    threshold: float = 0.1,
) -> Alignment:
    """`instances`: class and color; `relations`: (index, left|right|above|below, index).

    `detections`: class, color and box. Those of categories that nobody looked for do not count.
    """
    relations = [(first, words, second) for first, words, second in relations]
    if not instances:
        raise ValueError("There is no instance to look for.")
    for first, words, second in relations:
        if words not in RELATIONS or not {first, second} <= set(range(len(instances))):
            raise ValueError(f"[{first}, {words}, {second}] is no relation of two instances.")
        if first == second:
            raise ValueError(f"Instance {first} cannot stand in a relation to itself.")

    @cache
    def relations_between(one: int, other: int) -> set[str]:
        boxes = detections[one]["box"], detections[other]["box"]
        return geneval_relations(*boxes, threshold, paper=True)

    def holds(edge: int, one: int, other: int) -> bool:
        return RELATIONS[relations[edge][1]] in relations_between(one, other)

    best = matching.best(
        [matching.Instance(i["class"], i["color"]) for i in instances],
        [matching.Instance(d["class"], d.get("color")) for d in detections],
        [(one, other) for one, _, other in relations],
        holds,
    )
    wanted = Counter(instance["class"] for instance in instances)
    counted = Counter(detection["class"] for detection in detections)
    bias = sum(abs(count - counted[name]) for name, count in wanted.items())
    parts = len(instances) + len(relations)
    accuracy = best.hits / parts
    return Alignment(bias, accuracy, combined(bias, accuracy), best.hits, parts, best.pairs)


def combined(bias: float, accuracy: float) -> float:
    """Inferred; see the top of this file."""
    return (accuracy + 1 / (1 + bias)) / 2


def summarise(alignments: Iterable[Alignment], mode: str = "images") -> AlignmentSummary:
    """`mode` "images": the mean of the images' scores; "means": the score of the mean values."""
    listed = list(alignments)
    if not listed:
        raise ValueError("There is no image to summarise.")
    if mode not in ("images", "means"):
        raise ValueError(f"The mode is images or means, not “{mode}”.")
    bias = sum(a.bias for a in listed) / len(listed)
    accuracy = sum(a.accuracy for a in listed) / len(listed)
    mean = sum(a.score for a in listed) / len(listed)
    return AlignmentSummary(bias, accuracy, mean if mode == "images" else combined(bias, accuracy))


@dataclass(frozen=True, kw_only=True)
class AlignScore(Optioned):
    threshold: float = real(0.3, "Detections with a higher score count.", minimum=0, maximum=1)
    max_overlap: float = real(
        1.0, "Of two things of a class that share more, one counts.", minimum=0, maximum=1
    )
    min_side: float = real(
        0.0,
        "Detections with a shorter side, in pixels, are dropped (the paper names none).",
        minimum=0,
        maximum=100_000,
    )
    position_threshold: float = real(
        0.1, "How far apart two things must be, as a share of their sizes.", minimum=0, maximum=10
    )
    background: str = background_option()

    identity: ClassVar[str] = "AlignScore"
    version: ClassVar[str] = "1"
    in_peoples_unit: ClassVar[bool] = True

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        record = asked_of(subject.metadata)
        if isinstance(record, str) or _untaught(record[0], seen):
            return ()
        objects = _objects(record[0])
        if objects not in seen:
            return (objects,)
        return tuple(
            want
            for index in self._counting_detections(objects, seen[objects])
            if "color" not in seen[objects][index]
            and (want := self._color_of(objects, index, seen[objects][index])) not in seen
        )

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        record = asked_of(subject.metadata)
        if isinstance(record, str):
            return Unscored(record, lacks="instances")
        instances, relations = record
        untaught = _untaught(instances, seen)
        if untaught:
            return Unscored(
                f"The detector does not know the class {', '.join(untaught)}.", lacks="classes"
            )
        objects = _objects(instances)
        detections = [
            self._colored(objects, index, seen)
            for index in self._counting_detections(objects, seen[objects])
        ]
        alignment = align(instances, relations, detections, threshold=self.position_threshold)
        return Judgement(
            score=alignment.score,
            reason=(
                f"{alignment.hits} of {alignment.parts} colors and relations, bias {alignment.bias}"
            ),
            evidence={
                "bias": alignment.bias,
                "accuracy": alignment.accuracy,
                "combination": "(accuracy + 1/(1 + bias))/2, inferred from the paper's table 2",
                "pairs": list(alignment.pairs),
                "detections": as_evidence(detections),
            },
        )

    def _counting_detections(self, objects: Objects, detections: Sequence[Detection]) -> list[int]:
        """The indices of the detections that count, most confident first."""
        wanted = set(objects.classes)
        ranked = sorted(
            (
                index
                for index, score in enumerate(scores(detections))
                if score > self.threshold
                and detections[index]["class"] in wanted
                and _shorter_side(detections[index]["box"]) >= self.min_side
            ),
            key=lambda index: -detections[index]["score"],
        )
        if self.max_overlap >= 1:
            return ranked
        kept: list[int] = []
        for index in ranked:
            detection = detections[index]
            others = (detections[other] for other in kept)
            if all(
                detection["class"] != other["class"]
                or overlap(detection["box"], other["box"], 1) < self.max_overlap
                for other in others
            ):
                kept.append(index)
        return kept

    def _color_of(self, objects: Objects, index: int, detection: Detection) -> ColorOf:
        return ColorOf(objects, index, detection["class"], COLORS, TEMPLATES, self.background)

    def _colored(self, objects: Objects, index: int, seen: KnownAnswers) -> Detection:
        detection = seen[objects][index]
        if "color" in detection:
            return detection
        colored = detection.copy()
        colored["color"] = seen[self._color_of(objects, index, detection)]
        return colored


def asked_of(
    metadata: Mapping[str, Any],
) -> tuple[list[dict[str, Any]], list[Relation]] | str:
    """The instances and relations of a record, or a sentence saying why it has none."""
    categories = metadata.get("categories")
    if not isinstance(categories, Mapping) or not categories:
        return "This prompt has no instances and relations of M3T2IBench."
    instances: list[dict[str, Any]] = []
    at: dict[tuple[str, Any], int] = {}
    relations: list[Relation] = []
    try:
        for category, listed in categories.items():
            for instance in listed:
                at[category, instance["id"]] = len(instances)
                instances.append({"class": category, "color": instance["color"]})
        for name, number, words, other_name, other in metadata.get("relations", ()):
            if words not in RELATIONS:
                return f"“{words}” is no relation of M3T2IBench."
            relations.append((at[name, number], words, at[other_name, other]))
    except (KeyError, TypeError, ValueError):
        return "The prompt's categories and relations do not fit together."
    return instances, relations


def _objects(instances: Sequence[Mapping[str, Any]]) -> Objects:
    return Objects(tuple(dict.fromkeys(instance["class"] for instance in instances)))


def _untaught(instances: Sequence[Mapping[str, Any]], seen: KnownAnswers) -> list[str]:
    if not seen.classes:
        return []
    return sorted({instance["class"] for instance in instances} - set(seen.classes))


def _shorter_side(box: Sequence[float]) -> float:
    return min(box[2] - box[0], box[3] - box[1])
