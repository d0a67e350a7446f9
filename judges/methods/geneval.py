"""GenEval: rules over what an object detector found (Ghosh et al. 2023).

The default is what the official evaluate_images.py does, in its float32: scores equal to the
threshold do not pass, equal scores come out last detection first, only the most confident
`count` objects of a class are coloured and positioned. `paper=True` takes the paper's four
inequalities, one axis at a time, where the code divides by the offset and wants more than half.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from judges.protocols import Detection, Detector, Judgement, Subject, Unscored

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

_float32 = np.float32
_half = np.float32(0.5)


class ColorUnknown(ValueError):
    """A clause asks for a colour, and the detector did not name one."""


@dataclass(frozen=True, slots=True)
class Options:
    threshold: float = 0.3
    counting_threshold: float = 0.9
    max_objects: int = 16
    max_overlap: float = 1.0
    position_threshold: float = 0.1
    paper: bool = False


@dataclass(frozen=True, slots=True)
class Decision:
    """`clauses` tells for each clause what was found; `kept` are the detections that counted."""

    correct: bool
    reason: str
    clauses: list[dict[str, Any]]
    kept: dict[str, list[Detection]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    score: float
    correct: int
    images: int


@dataclass(frozen=True, slots=True)
class Summary:
    """Shares between 0 and 1. A prompt is correct when any of its images is."""

    images: int
    prompts: int
    correct_images: float
    correct_prompts: float
    tasks: dict[str, Task]
    overall: float


def decide(
    metadata: Mapping[str, Any], detections: Iterable[Detection], **options: Any
) -> Decision:
    """Judge one image. Every clause is looked at, so that all reasons are told, not the first."""
    chosen = Options(**options)
    counting = metadata.get("tag") == "counting"
    threshold = chosen.counting_threshold if counting else chosen.threshold
    kept = _keep(detections, threshold, chosen)

    clauses = []
    targets: list[list[Detection] | None] = []
    for clause in metadata.get("include", ()):
        objects = kept.get(clause["class"], [])
        reason = _include(clause, objects, targets, chosen)
        targets.append(None if reason else objects[: clause["count"]])
        clauses.append(_told("include", clause, len(objects), reason))
    for clause in metadata.get("exclude", ()):
        name, count, found = clause["class"], clause["count"], len(kept.get(clause["class"], ()))
        reason = f"expected {name}<{count}, found {found}" if found >= count else ""
        clauses.append(_told("exclude", clause, found, reason))

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

    found = set()
    if beyond_x:
        found.add("left of" if offset_x < 0 else "right of")
    if beyond_y:
        found.add("above" if offset_y < 0 else "below")
    return found


def overlap(box_a: Sequence[float], box_b: Sequence[float]) -> float:
    """Intersection over union with the official one pixel more per side."""
    width = min(box_a[2], box_b[2]) - max(box_a[0], box_b[0]) + 1
    height = min(box_a[3], box_b[3]) - max(box_a[1], box_b[1]) + 1
    shared = max(width, 0.0) * max(height, 0.0)
    union = _area(box_a) + _area(box_b) - shared
    # Boxes of no area at all share nothing.
    return shared / union if union else 0.0


def summarise(rows: Iterable[tuple[str, str, bool]]) -> Summary:
    """From (tag, prompt, correct) per image: the overall score is the plain mean of the tasks."""
    by_tag: dict[str, list[bool]] = {}
    by_prompt: dict[str, bool] = {}
    for tag, prompt, correct in rows:
        by_tag.setdefault(tag, []).append(bool(correct))
        by_prompt[prompt] = by_prompt.get(prompt, False) or bool(correct)
    if not by_tag:
        raise ValueError("There is no judged image to summarise.")
    tasks = {
        tag: Task(sum(verdicts) / len(verdicts), sum(verdicts), len(verdicts))
        for tag, verdicts in by_tag.items()
    }
    images = sum(task.images for task in tasks.values())
    return Summary(
        images=images,
        prompts=len(by_prompt),
        correct_images=sum(task.correct for task in tasks.values()) / images,
        correct_prompts=sum(by_prompt.values()) / len(by_prompt),
        tasks=tasks,
        overall=sum(task.score for task in tasks.values()) / len(tasks),
    )


class GenEval:
    """The GenEval judge: a detector that names colours, and the rules."""

    version = "1"

    def __init__(self, detector: Detector, **options: Any) -> None:
        self.detector = detector
        self.options = asdict(Options(**options))

    def judge(self, subject: Subject) -> Judgement | Unscored:
        include = subject.metadata.get("include")
        if not include:
            return Unscored("This prompt has no include clause for GenEval to check.")
        unknown = self._unknown([*include, *subject.metadata.get("exclude", ())])
        if unknown:
            return Unscored(f"The detector does not know the class {', '.join(unknown)}.")
        detections = self.detector.detect(subject.image)
        evidence = {"detections": [_plain(detection) for detection in detections]}
        try:
            decision = decide(subject.metadata, detections, **self.options)
        except ColorUnknown as error:
            return Unscored(str(error), evidence)
        return Judgement(
            score=1.0 if decision.correct else 0.0,
            correct=decision.correct,
            reason=decision.reason,
            evidence={**evidence, "clauses": decision.clauses},
        )

    def _unknown(self, clauses: list[dict[str, Any]]) -> list[str]:
        """A class that the detector was never taught is not "none found"."""
        known = getattr(self.detector, "classes", None)
        if known is None:
            return []
        return sorted({clause["class"] for clause in clauses} - set(known))


def _keep(
    detections: Iterable[Detection], threshold: float, options: Options
) -> dict[str, list[Detection]]:
    """The detections of each class that count, most confident first."""
    detections = list(detections)
    # One trip through float32 for all scores: the official arrays are float32, and there
    # neither 0.3 nor 0.9 is above itself.
    *scores, threshold = array("f", [*(d["score"] for d in detections), threshold])
    ranked: dict[str, list[tuple[float, int]]] = {}
    for index, (detection, score) in enumerate(zip(detections, scores, strict=True)):
        if score > threshold:
            ranked.setdefault(detection["class"], []).append((score, index))
    kept = {}
    for name, found in ranked.items():
        found.sort(reverse=True)
        objects = [detections[index] for _, index in found[: options.max_objects]]
        kept[name] = objects if options.max_overlap == 1 else _thin(objects, options.max_overlap)
    return kept


def _thin(objects: list[Detection], max_overlap: float) -> list[Detection]:
    kept: list[Detection] = []
    for candidate in objects:
        if all(overlap(candidate["box"], other["box"]) < max_overlap for other in kept):
            kept.append(candidate)
    return kept


def _include(
    clause: Mapping[str, Any],
    found: list[Detection],
    targets: list[list[Detection] | None],
    options: Options,
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
    others = [color for color in COLORS if color != wanted and color in colors]
    told = ", ".join(f"{colors.count(color)} {color}" for color in others)
    return f"expected {wanted} {name}>={count}, found {right} {wanted}; and {told}"


def _position(
    clause: Mapping[str, Any],
    objects: list[Detection],
    targets: list[list[Detection] | None],
    options: Options,
) -> str:
    name = clause["class"]
    wanted, index = clause["position"]
    target = targets[index]
    if target is None:
        return f"no target for {name} to be {wanted}"
    for one in objects:
        for other in target:
            found = relations(
                one["box"], other["box"], options.position_threshold, paper=options.paper
            )
            if wanted not in found:
                # Sorted, where the official order of two names changes with the hash seed.
                told = " and ".join(sorted(found))
                return f"expected {name} {wanted} target, found {told} target"
    return ""


def _told(kind: str, clause: Mapping[str, Any], found: int, reason: str) -> dict[str, Any]:
    return {"kind": kind, **clause, "found": found, "met": not reason, "reason": reason}


def _plain(detection: Detection) -> dict[str, Any]:
    plain = {
        "class": detection["class"],
        "score": float(detection["score"]),
        "box": [float(value) for value in detection["box"]],
    }
    if "color" in detection:
        plain["color"] = detection["color"]
    return plain


def _area(box: Sequence[float]) -> float:
    return max(box[2] - box[0] + 1, 0.0) * max(box[3] - box[1] + 1, 0.0)
