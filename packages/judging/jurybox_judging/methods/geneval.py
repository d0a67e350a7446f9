"""GenEval: rules over what an object detector found (Ghosh et al. 2023).

The default is what the official evaluate_images.py does, in its float32: scores equal to the
threshold do not pass, equal scores come out last detection first, only the most confident
`count` objects of a class are coloured and positioned. `paper=True` takes the paper's four
inequalities, one axis at a time, where the code divides by the offset and wants more than half.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from jurybox_judging import boxes
from jurybox_judging.masks import packed
from jurybox_judging.methods.shared.color_options import background_option
from jurybox_judging.options import Optioned, flag, real, texts, whole
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

NAMES = {"geneval": {"class": "GenEval", "parts": ("objects",), "more": ("colors",)}}

COLORS = (
    "red",
    "orange",
    "yellow",
    "green",
    "blue",
    "purple",
    "pink",
    "brown",
    "black",
    "white",
)
TEMPLATES = (
    "a photo of a {color} {noun}",
    "a photo of a {color}-colored {noun}",
    "a photo of a {color} object",
)
# A detector makes a hundred guesses; fainter ones are not kept as evidence.
FAINT = 0.1

_float32 = np.float32
_half = np.float32(0.5)


class ColorUnknown(ValueError):
    """A clause asks for a colour, and the detector did not name one."""


@dataclass(frozen=True, slots=True)
class Decision:
    """`clauses` says for each clause what was found; `kept` are the detections that counted."""

    correct: bool
    reason: str
    clauses: list[dict[str, Any]]
    kept: dict[str, list[Detection]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskSummary:
    score: float
    correct: int
    images: int


@dataclass(frozen=True, slots=True)
class GenEvalSummary:
    """Shares between 0 and 1. A prompt is correct when any of its images is."""

    images: int
    prompts: int
    correct_images: float
    correct_prompts: float
    tasks: dict[str, TaskSummary]
    overall: float


def decide(
    metadata: Mapping[str, Any], detections: Iterable[Detection], **options: Any
) -> Decision:
    """Judge one image."""
    detections, chosen = list(detections), GenEval(**options)
    places = _keep(metadata, detections, chosen)
    kept = {name: [detections[index] for index in mine] for name, mine in places.items()}
    return _decide(metadata, kept, chosen)


def _decide(
    metadata: Mapping[str, Any], kept: dict[str, list[Detection]], chosen: GenEval
) -> Decision:
    """Every clause is checked, so that all reasons are given."""
    clauses = []
    targets: list[list[Detection] | None] = []
    for clause in metadata.get("include", ()):
        objects = kept.get(clause["class"], [])
        reason = _include(clause, objects, targets, chosen)
        targets.append(None if reason else objects[: clause["count"]])
        clauses.append(_clause("include", clause, len(objects), reason))
    for clause in metadata.get("exclude", ()):
        name, count, found = clause["class"], clause["count"], len(kept.get(clause["class"], ()))
        reason = f"expected {name}<{count}, found {found}" if found >= count else ""
        clauses.append(_clause("exclude", clause, found, reason))

    reasons = [clause["reason"] for clause in clauses if clause["reason"]]
    return Decision(not reasons, "\n".join(reasons), clauses, kept)


def relations(
    box_a: Sequence[float],
    box_b: Sequence[float],
    threshold: float = 0.1,
    *,
    paper: bool = False,
) -> set[str]:
    """Where `box_a` lies as seen from `box_b`: none, one or two names.

    The offset of the centres is shortened by threshold x (sum of sizes) on each axis. The code
    then divides by the length of the *whole* offset and names an axis when more than 0.5 is
    left; the paper names it when anything is left.
    """
    ax1, ay1, ax2, ay2 = (_float32(v) for v in box_a[:4])
    bx1, by1, bx2, by2 = (_float32(v) for v in box_b[:4])
    c = _float32(threshold)
    offset_x = (ax1 + ax2) / 2 - (bx1 + bx2) / 2
    offset_y = (ay1 + ay2) / 2 - (by1 + by2) / 2
    left_x = abs(offset_x) - c * (abs(ax2 - ax1) + abs(bx2 - bx1))
    left_y = abs(offset_y) - c * (abs(ay2 - ay1) + abs(by2 - by1))
    if paper:
        beyond_x, beyond_y = left_x > 0, left_y > 0
    elif left_x < 1e-3 and left_y < 1e-3:
        return set()
    else:
        length = np.sqrt(offset_x * offset_x + offset_y * offset_y)
        beyond_x, beyond_y = left_x / length > _half, left_y / length > _half

    names = set()
    if beyond_x:
        names.add("left of" if offset_x < 0 else "right of")
    if beyond_y:
        names.add("above" if offset_y < 0 else "below")
    return names


def overlap(box_a: Sequence[float], box_b: Sequence[float]) -> float:
    """Intersection over union with the official one pixel more per side."""
    return boxes.overlap(box_a, box_b, 1)


def summarise(rows: Iterable[tuple[str, str, bool]]) -> GenEvalSummary:
    """From (tag, prompt, correct) per image: the overall score is the plain mean of the tasks."""
    by_tag: dict[str, list[bool]] = {}
    by_prompt: dict[str, bool] = {}
    for tag, prompt, correct in rows:
        by_tag.setdefault(tag, []).append(bool(correct))
        by_prompt[prompt] = by_prompt.get(prompt, False) or bool(correct)
    if not by_tag:
        raise ValueError("There is no judged image to summarise.")
    tasks = {
        tag: TaskSummary(sum(verdicts) / len(verdicts), sum(verdicts), len(verdicts))
        for tag, verdicts in by_tag.items()
    }
    images = sum(task.images for task in tasks.values())
    return GenEvalSummary(
        images=images,
        prompts=len(by_prompt),
        correct_images=sum(task.correct for task in tasks.values()) / images,
        correct_prompts=sum(by_prompt.values()) / len(by_prompt),
        tasks=tasks,
        overall=sum(task.score for task in tasks.values()) / len(tasks),
    )


@dataclass(frozen=True, kw_only=True)
class GenEval(Optioned):
    """The GenEval judge: its rules, and what an engine must find out for them."""

    threshold: float = real(0.3, "Detections with a higher score count.", minimum=0, maximum=1)
    counting_threshold: float = real(
        0.9, "The threshold where things are counted.", minimum=0, maximum=1
    )
    max_objects: int = whole(16, "Most things of a class that count.", minimum=1, maximum=1_000)
    max_overlap: float = real(
        1.0, "Of two things of a class that share more, one counts.", minimum=0, maximum=1
    )
    position_threshold: float = real(
        0.1, "How far apart two things must be, as a share of their sizes.", minimum=0, maximum=10
    )
    paper: bool = flag(False, "Positions by the paper's inequalities, one axis at a time.")
    background: str = background_option()
    crop: bool = flag(True, "The color is looked for in the thing's box alone.")
    templates: tuple[str, ...] = texts(
        TEMPLATES, "Captions for colors, with {color} and {noun}.", most=20, longest=300
    )

    identity: ClassVar[str] = "GenEval"
    version: ClassVar[str] = "2"
    in_peoples_unit: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "templates", tuple(self.templates))

    def wants(self, subject: Subject, seen: KnownAnswers) -> Sequence[Want]:
        """The objects; then the colors of those that a clause with a color is about.

        Only where there are enough objects: a clause that has failed needs no colors.
        """
        include = subject.metadata.get("include")
        if not include:
            return ()
        objects = _objects(subject)
        if _unknown(objects, seen):
            return ()
        if objects not in seen:
            return (objects,)
        colored = [clause for clause in include if "color" in clause]
        if not colored:
            return ()
        detections = seen[objects]
        kept = _keep(subject.metadata, detections, self)
        return [
            want
            for clause in colored
            if len(kept.get(clause["class"], ())) >= clause["count"]
            for index in kept[clause["class"]][: clause["count"]]
            if "color" not in detections[index]
            and (want := self._color_of(objects, index, clause["class"])) not in seen
        ]

    def judge(self, subject: Subject, seen: KnownAnswers) -> Judgement | Unscored:
        if not subject.metadata.get("include"):
            return Unscored(
                "This prompt has no include clause for GenEval to check.", lacks="include"
            )
        objects = _objects(subject)
        unknown = _unknown(objects, seen)
        if unknown:
            return Unscored(
                f"The detector does not know the class {', '.join(unknown)}.", lacks="classes"
            )
        detections, colors = seen[objects], self._colors(objects, seen)
        places = _keep(subject.metadata, detections, self)
        counted = {
            index: _colored(detections[index], colors.get(index))
            for name in objects.classes
            for index in places.get(name, ())
        }
        kept = {
            name: [counted[index] for index in places.get(name, ())] for name in objects.classes
        }
        try:
            decision = _decide(subject.metadata, kept, self)
        except ColorUnknown as error:
            return Unscored(str(error), {"detections": _evidence(detections, colors, {})})
        return Judgement(
            score=1.0 if decision.correct else 0.0,
            correct=decision.correct,
            reason=decision.reason,
            evidence={
                "detections": _evidence(detections, colors, counted),
                "clauses": decision.clauses,
            },
        )

    def _color_of(self, objects: Objects, index: int, noun: str) -> ColorOf:
        return ColorOf(objects, index, noun, COLORS, self.templates, self.background, self.crop)

    def _colors(self, objects: Objects, seen: KnownAnswers) -> dict[int, str]:
        """The requested colors, by the detection's index."""
        return {
            want.index: color
            for want, color in seen.items()
            if isinstance(want, ColorOf) and want == self._color_of(objects, want.index, want.noun)
        }


def _objects(subject: Subject) -> Objects:
    asked = [*subject.metadata["include"], *subject.metadata.get("exclude", ())]
    return Objects(tuple(dict.fromkeys(clause["class"] for clause in asked)))


def _unknown(objects: Objects, seen: KnownAnswers) -> list[str]:
    """Classes that the detector was never trained on; that is not the same as "none found"."""
    if not seen.classes:
        return []
    return sorted(name for name in objects.classes if name not in seen.classes)


def _colored(detection: Detection, color: str | None) -> Detection:
    return detection if color is None else {**detection, "color": color}


def _keep(
    metadata: Mapping[str, Any], detections: Sequence[Detection], options: GenEval
) -> dict[str, list[int]]:
    """By class, the indices of the detections that count, most confident first."""
    counting = metadata.get("tag") == "counting"
    threshold = options.counting_threshold if counting else options.threshold
    # One trip through float32 for all scores: the official arrays are float32, and there
    # neither 0.3 nor 0.9 is above itself.
    scores, (threshold,) = array("f", boxes.scores(detections)), array("f", [threshold])
    names = _classes(detections)
    kept: dict[str, list[int]] = {}
    above = [(score, index) for index, score in enumerate(scores) if score > threshold]
    for _, index in sorted(above, reverse=True):
        objects = kept.setdefault(names[index], [])
        if len(objects) < options.max_objects:
            objects.append(index)
    if options.max_overlap == 1:
        return kept
    return {name: _thin(detections, objects, options.max_overlap) for name, objects in kept.items()}


def _classes(detections: Sequence[Detection]) -> Sequence[str]:
    classes = getattr(detections, "classes", None)
    return [detection["class"] for detection in detections] if classes is None else classes


def _thin(detections: Sequence[Detection], objects: Sequence[int], max_overlap: float) -> list[int]:
    kept: list[int] = []
    for candidate in objects:
        box = detections[candidate]["box"]
        if all(overlap(box, detections[other]["box"]) < max_overlap for other in kept):
            kept.append(candidate)
    return kept


def _include(
    clause: Mapping[str, Any],
    found: list[Detection],
    targets: list[list[Detection] | None],
    options: GenEval,
) -> str:
    """Why this clause is not met; empty when it is."""
    name, count = clause["class"], clause["count"]
    objects = found[:count]
    if len(objects) < count:
        return f"expected {name}>={count}, found {len(objects)}"
    if "color" in clause:
        reason = _color(clause, objects)
        if reason:
            return reason
    if "position" in clause:
        return _position(clause, objects, targets, options)
    return ""


def _color(clause: Mapping[str, Any], objects: list[Detection]) -> str:
    name, count, wanted = clause["class"], clause["count"], clause["color"]
    colors = [detection.get("color") for detection in objects]
    if None in colors:
        raise ColorUnknown(f"The detector names no colour for a {name}, and {wanted} is asked for.")
    right = colors.count(wanted)
    if right >= count:
        return ""
    # As coded, the wanted color stands in the list again where some of the things have it.
    counts = ", ".join(f"{colors.count(color)} {color}" for color in COLORS if color in colors)
    return f"expected {wanted} {name}>={count}, found {right} {wanted}; and {counts}"


def _position(
    clause: Mapping[str, Any],
    objects: list[Detection],
    targets: list[list[Detection] | None],
    options: GenEval,
) -> str:
    name = clause["class"]
    wanted, index = clause["position"]
    target = targets[index]
    if target is None:
        return f"no target for {name} to be {wanted}"
    for detection in objects:
        for other in target:
            places = relations(
                detection["box"], other["box"], options.position_threshold, paper=options.paper
            )
            if wanted not in places:
                # Sorted, where the official order of two names changes with the hash seed.
                words = " and ".join(sorted(places))
                return f"expected {name} {wanted} target, found {words} target"
    return ""


def _clause(kind: str, clause: Mapping[str, Any], found: int, reason: str) -> dict[str, Any]:
    return {"kind": kind, **clause, "found": found, "met": not reason, "reason": reason}


def _evidence(
    detections: Sequence[Detection], colors: Mapping[int, str], counted: Mapping[int, Detection]
) -> list[dict[str, Any]]:
    """For JSON: without the faintest guesses, with masks for the detections that counted."""
    rows = []
    for index, score in enumerate(boxes.scores(detections)):
        if score < FAINT:
            continue
        row = boxes.plain_at(detections, index)
        if index in colors:
            row["color"] = colors[index]
        if index in counted and counted[index].get("mask"):
            row["mask"] = packed(counted[index]["mask"])
        rows.append(row)
    return rows
