"""Where two things stand to each other: T2I-CompBench's rules over boxes and labels.

`spatial_methods` says where they differ from the paper, and names the repairs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from jurybox_judging.boxes import Box, center, overlap
from jurybox_judging.protocols import Detection

BESIDE = ("on side of", "next to", "near")
# In the official order: the first one that occurs in the prompt is the relation.
RELATIONS = (
    *BESIDE,
    "on the left of",
    "on the right of",
    "on the bottom of",
    "on the top of",
    "on top of",
)
DEPTHS = ("in front of", "behind", "hidden")
# The official script looks for the two things of a complex prompt on either side of these.
PREPOSITIONS = (
    "on top of",
    "on bottom of",
    "on the left",
    "on the right",
    "next to",
    "on side of",
    "near",
)
PEOPLE = ("girl", "boy", "man", "woman")
# Labels that mean the noun, beyond the names that a label itself lists.
SYNONYMS = {
    "airplane": ("aeroplane",),
    "bag": ("handbag", "plastic bag", "luggage and bags", "suitcase", "backpack"),
    "bicycle": ("bike",),
    "boat": ("ship", "watercraft"),
    "computer": ("laptop", "computer monitor", "tablet computer"),
    "cow": ("cattle",),
    "mouse": ("computer mouse", "mouse1", "mouse2"),
    "painting": ("picture",),
    "phone": ("cell phone", "mobile phone", "corded phone", "telephone"),
    "sofa": ("couch", "sofa bed", "studio couch", "loveseat"),
    "couch": ("sofa", "sofa bed", "studio couch", "loveseat"),
    "table": ("dining table", "coffee table", "kitchen & dining room table", "desk"),
    "television": ("tv",),
    "wallet": ("purse", "handbag"),
}


@dataclass(frozen=True, slots=True)
class SpatialScore:
    """`reason` says what took points away; empty where nothing did."""

    score: float
    reason: str
    objects: tuple[Detection | None, Detection | None]


def relation_in(prompt: str, relations: Sequence[str] = RELATIONS) -> str | None:
    return next((words for words in relations if words in prompt), None)


def position_2d(
    locality: str,
    box_1: Box,
    box_2: Box,
    *,
    on_top_of: bool = False,
    paper: bool = False,
) -> float:
    """How well the first box stands where the relation says, as seen from the second: 0 to 1.

    As coded, a relation that only just fails loses points softly: 0.1/IoU where the boxes overlap
    by more than 0.1, 150/distance where "near" is too far away on both axes. The paper knows yes
    and no, and for "near" one distance between the centers.
    """
    if on_top_of and locality == "on top of":
        locality = "on the top of"
    dx, dy = (center(box_2)[axis] - center(box_1)[axis] for axis in (0, 1))
    across, along = abs(dx), abs(dy)
    if locality in BESIDE:
        if paper:
            return float(math.hypot(dx, dy) < 150)
        return 1.0 if across < 150 or along < 150 else 150 / max(across, along)
    stands = {
        "on the left of": dx > 0 and across > along,
        "on the right of": dx < 0 and across > along,
        "on the top of": dy > 0 and along > across,
        "on the bottom of": dy < 0 and along > across,
    }
    if not stands.get(locality, False):
        return 0.0
    shared = overlap(box_1, box_2)
    if shared < 0.1:
        return 1.0
    return 0.0 if paper else 0.1 / shared


def position_3d(
    locality: str,
    box_1: Box,
    box_2: Box,
    depth: np.ndarray,
    *,
    transposed: bool = True,
    side_by_side: bool = False,
) -> float:
    """The same in depth: `depth[row, column]`, larger is nearer."""
    if locality not in DEPTHS:
        raise ValueError(f"“{locality}” is none of the relations {', '.join(DEPTHS)}.")
    means = [_mean_depth(depth, box, transposed) for box in (box_1, box_2)]
    return in_depth(locality, overlap(box_1, box_2), *means, side_by_side=side_by_side)


def spatial(
    prompt: str,
    noun_1: str,
    noun_2: str,
    detections: Iterable[Detection],
    *,
    threshold: float = 0.5,
    on_top_of: bool = False,
    keep_partial: bool = False,
    synonyms: bool = False,
    paper: bool = False,
) -> float:
    """The score of one image; `detections` with boxes in the official frame, best first."""
    return in_plane(
        prompt,
        (noun_1, noun_2),
        detections,
        threshold=threshold,
        on_top_of=on_top_of,
        keep_partial=keep_partial,
        synonyms=synonyms,
        paper=paper,
    ).score


def in_plane(
    prompt: str,
    nouns: Sequence[str],
    detections: Iterable[Detection],
    *,
    threshold: float = 0.5,
    on_top_of: bool = False,
    keep_partial: bool = False,
    synonyms: bool = False,
    paper: bool = False,
) -> SpatialScore:
    relation = relation_in(prompt)
    if relation is None:
        raise ValueError(f"“{prompt}” has none of the relations {', '.join(RELATIONS)}.")
    confident = [detection for detection in detections if detection["score"] >= threshold]
    one, other = (first(person(noun), confident, synonyms) for noun in nouns)
    score = sum(0.25 * float(detection["score"]) for detection in (one, other) if detection)
    reason = absent(nouns, (one, other))
    position = 0.0
    if one and other:
        position = position_2d(relation, one["box"], other["box"], on_top_of=on_top_of, paper=paper)
        score += 0.5 * position
        if position < 1:
            reason = f"{nouns[0]} {relation} {nouns[1]}: {position:.2f} of 1"
    if paper:
        return SpatialScore(position, reason, (one, other))
    if score < 0.5 and not keep_partial:
        score = 0.0
    return SpatialScore(score, reason, (one, other))


def in_depth(
    relation: str, shared: float, one: float, other: float, *, side_by_side: bool
) -> float:
    """A comparison with an unknown depth (nan) fails, as in the official code."""
    right = one > other if relation == "in front of" else one < other
    if not right:
        return 0.0
    if side_by_side or shared > 0.5:
        return 1.0
    # Exactly one half falls between the two official conditions.
    return shared / 0.5 if 0 < shared < 0.5 else 0.0


def first(noun: str, detections: Sequence[Detection], synonyms: bool) -> Detection | None:
    return next((d for d in detections if _means(d["class"], noun, synonyms)), None)


def person(noun: str) -> str:
    return "person" if noun in PEOPLE else noun


def untaught(nouns: Sequence[str], classes: Sequence[str], synonyms: bool) -> str:
    """A sentence about nouns that the detector cannot find; empty where it can find all."""
    if not classes:
        return ""
    wanted = dict.fromkeys(person(noun) for noun in nouns)
    unknown = [n for n in wanted if not any(_means(label, n, synonyms) for label in classes)]
    return f"The detector does not know the class {', '.join(unknown)}." if unknown else ""


def absent(nouns: Sequence[str], pair: Sequence[Detection | None]) -> str:
    lacking = [noun for noun, detection in zip(nouns, pair, strict=True) if detection is None]
    return f"found no {' and no '.join(lacking)}" if lacking else ""


def _means(label: str, noun: str, synonyms: bool) -> bool:
    if label == noun:
        return True
    if not synonyms:
        return False
    names = {name.strip() for name in re.split(r"[,/]", label)}
    return noun in names or not names.isdisjoint(SYNONYMS.get(noun, ()))


def _mean_depth(depth: np.ndarray, box: Box, transposed: bool) -> float:
    x1, y1, x2, y2 = (int(value) for value in box[:4])
    inside = depth[x1:x2, y1:y2] if transposed else depth[y1:y2, x1:x2]
    return float(inside.mean()) if inside.size else math.nan
