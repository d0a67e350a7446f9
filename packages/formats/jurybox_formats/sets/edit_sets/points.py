"""Which points each set of edits is graded by, and what its script makes of one edit's grades."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from statistics import fmean

Grades = Mapping[str, float]
# Categories of RISEBench, and the one that is graded by two points.
RISE_CATEGORIES = (
    *("temporal_reasoning", "causal_reasoning", "spatial_reasoning"),
    "logical_reasoning",
)
LOGICAL = RISE_CATEGORIES[-1]
# In the prompt's metadata: nothing has to stay as it was.
FREE = "consistency_free"


@dataclass(frozen=True, slots=True)
class Points:
    """`least`, `most`: of each grade. `wanted`: the points without which an edit has no score, by the tags of
    its instruction and whether it says FREE. `overall`: of the grades, by the same."""

    names: tuple[str, ...]
    least: float
    most: float
    wanted: Callable[[Collection[str], bool], tuple[str, ...]]
    overall: Callable[[Grades, Collection[str], bool], float]


def _all_of(names: tuple[str, ...]) -> Callable[[Collection[str], bool], tuple[str, ...]]:
    return lambda tags, is_free: names


def overall_gedit(grades: Grades, tags: Collection[str] = (), is_free: bool = False) -> float:
    """The root of semantic consistency and quality; people grade the former in two parts."""
    return math.sqrt(semantic_consistency(grades) * grades["perceptual_quality"])


def semantic_consistency(grades: Grades) -> float:
    if "semantic_consistency" in grades:
        return grades["semantic_consistency"]
    return min(grades["success"], grades["no_over_editing"])


def overall_imgedit(grades: Grades, tags: Collection[str] = (), is_free: bool = False) -> float:
    """The mean of three; the second and third count at most as much as the first."""
    first, *others = grades.values()
    return fmean([first, *(min(first, grade) for grade in others)])


def overall_kris(grades: Grades, tags: Collection[str] = (), is_free: bool = False) -> float:
    return fmean(grades.values())


def overall_rise(grades: Grades, tags: Collection[str], is_free: bool = False) -> float:
    """Weighted; halved where the reasoning got the lowest grade, but not below 1."""
    reasoning = grades["reasoning"]
    if LOGICAL in tags:
        score = 0.3 * grades["consistency"] + 0.7 * reasoning
    elif is_free:
        score = 0.8 * reasoning + 0.2 * grades["plausibility"]
    else:
        score = 0.3 * grades["consistency"] + 0.5 * reasoning + 0.2 * grades["plausibility"]
    return max(1.0, score / 2) if reasoning == 1 else score


def _wanted_rise(tags: Collection[str], is_free: bool) -> tuple[str, ...]:
    if LOGICAL in tags:
        return ("reasoning", "consistency")
    return (
        ("reasoning", "plausibility") if is_free else ("reasoning", "consistency", "plausibility")
    )


GEDIT = ("semantic_consistency", "perceptual_quality")
# The script's words differ by kind of edit; their order does not.
IMGEDIT = ("instruction", "second", "third")
KRIS = ("visual_consistency", "visual_quality", "instruction", "knowledge")
RISE = ("reasoning", "consistency", "plausibility")
POINTS = {
    "gedit": Points(GEDIT, 0, 10, _all_of(GEDIT), overall_gedit),
    "imgedit": Points(IMGEDIT, 1, 5, _all_of(IMGEDIT), overall_imgedit),
    # Knowledge is graded only where an edit needs some.
    "kris": Points(KRIS, 1, 5, _all_of(KRIS[:3]), overall_kris),
    "rise": Points(RISE, 1, 5, _wanted_rise, overall_rise),
}
