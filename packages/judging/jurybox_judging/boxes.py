"""Boxes `[x1, y1, x2, y2]` in pixels, y down, and detections as evidence beside a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jurybox_judging.protocols import Detection

Box = Sequence[float]
# A detector makes a hundred guesses; fainter ones are no evidence of anything.
FAINT = 0.05


def center(box: Box) -> tuple[float, float]:
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def area(box: Box, more: float = 0.0) -> float:
    """`more` is the pixel that some official scripts add to each side."""
    return max(box[2] - box[0] + more, 0.0) * max(box[3] - box[1] + more, 0.0)


def shared_area(box_a: Box, box_b: Box, more: float = 0.0) -> float:
    """The area that lies in both boxes."""
    width = min(box_a[2], box_b[2]) - max(box_a[0], box_b[0]) + more
    height = min(box_a[3], box_b[3]) - max(box_a[1], box_b[1]) + more
    return max(width, 0.0) * max(height, 0.0)


def overlap(box_a: Box, box_b: Box, more: float = 0.0) -> float:
    """Intersection over union; 0 where neither box has an area."""
    both = shared_area(box_a, box_b, more)
    union = area(box_a, more) + area(box_b, more) - both
    return both / union if union else 0.0


def scores(detections: Sequence[Detection]) -> Sequence[float]:
    """Stored detections have their scores ready, so only those that count are unpacked."""
    ready = getattr(detections, "scores", None)
    return [detection["score"] for detection in detections] if ready is None else ready


def from_score(detections: Sequence[Detection], least: float) -> list[Detection]:
    return [detections[at] for at, score in enumerate(scores(detections)) if score >= least]


def frame(size: tuple[int, int]) -> tuple[int, int]:
    """The size to which T2I-CompBench brings a picture: short side 479, no side over 480."""
    short, long = sorted(size)
    new_short, new_long = 479, int(479 * long / short)
    if new_long > 480:
        new_short, new_long = int(480 * new_short / new_long), 480
    return (new_short, new_long) if size[0] <= size[1] else (new_long, new_short)


def as_evidence(detections: Sequence[Detection]) -> list[dict[str, Any]]:
    """As JSON keeps them, without masks and without the faintest."""
    return [
        plain_at(detections, at) for at, score in enumerate(scores(detections)) if score >= FAINT
    ]


def plain_at(detections: Sequence[Detection], at: int) -> dict[str, Any]:
    """Stored detections are plain already, and are not built for it."""
    ready = getattr(detections, "plain", None)
    return plain(detections[at]) if ready is None else ready(at)


def plain(detection: Detection) -> dict[str, Any]:
    return {
        "class": detection["class"],
        "score": float(detection["score"]),
        "box": [float(value) for value in detection["box"]],
        **({"color": detection["color"]} if "color" in detection else {}),
    }
